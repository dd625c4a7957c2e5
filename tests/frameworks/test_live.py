"""Live models of every framework, with their own names, compared with the formula by shapes.

Each framework gives models with the difference that the report must find, how many entries are
frozen, and a text of the report; and objects that are refused, by a part of the message.
"""

import re
from functools import partial

import pytest

import paramproof
from paramproof import compare
from paramproof.builders import load
from paramproof.sources.live import live_weights
from tests.frameworks.modules import for_each
from tests.specs import LIVE_ENCODER as SPEC

H, A, F, TABLES = 12, 3, 20, (31, 17, 2)
DENSE = H * H + H
BIASES = {f"use_{name}_bias": True for name in ("query", "key", "value", "output")}
ONCE = "one storage, counted once: "


def equinox():
    import equinox as eqx
    import jax
    import jax.numpy as jnp
    import numpy as np

    nn, key = eqx.nn, jax.random.key(0)

    class Block(eqx.Module):
        attend: nn.MultiheadAttention
        norms: tuple[nn.LayerNorm, ...]
        mlp: nn.MLP
        dropout: nn.Dropout

        def __init__(self, options):
            self.attend = nn.MultiheadAttention(A, H, **options, key=key)
            self.norms = (nn.LayerNorm(H), nn.LayerNorm(H))
            self.mlp = nn.MLP(H, H, F, 1, key=key)
            self.dropout = nn.Dropout(0.1)

    class Net(eqx.Module):
        tables: list[nn.Embedding]
        blocks: list[Block]
        norm: eqx.Module
        cls: nn.Linear

        def __init__(self, options=BIASES, norm=nn.LayerNorm):
            self.tables = [nn.Embedding(rows, H, key=key) for rows in TABLES]
            self.blocks = [Block(options) for _ in range(2)]
            self.norm = norm(H)
            self.cls = nn.Linear(H, H, key=key)

    def ema(size):
        return nn.BatchNorm(size, "batch", mode="ema")

    net = Net()
    bias = "mlp.layers.0.bias"
    shared = nn.Shared(
        net, lambda it: it.blocks[1].mlp.layers[0].bias, lambda it: it.blocks[0].mlp.layers[0].bias
    )
    arrays, rest = eqx.partition(net, eqx.is_array)
    trained = eqx.filter_grad(lambda it: it.cls(jnp.ones(H)).sum())(net)
    yield "as it is", net, 0, 0, ""
    yield "abstract", eqx.filter_eval_shape(Net), 0, 0, ""
    # Its attention has no biases as it comes.
    yield "no biases", Net({}), -2 * 4 * H, 0, r"layers( \d+: |\.\*\.)attention"
    yield "initial statistics", Net(norm=ema), 0, 2 * H, ""
    yield "statistics beside it", nn.make_with_state(Net)(norm=ema)[0], 0, 0, ""
    yield "shared", shared, -F, 0, f"{ONCE}blocks.0.{bias}, blocks.1.{bias}"
    # One object in two places is two layers.
    yield "twice", eqx.tree_at(lambda it: it.blocks[1], net, net.blocks[0]), 0, 0, ""
    yield "trained", eqx.apply_updates(net, trained), 0, 0, ""
    # Equinox accepts arrays of NumPy, too, and takes gradients of them.
    yield "of NumPy", eqx.combine(jax.tree.map(np.asarray, arrays), rest), 0, 0, ""
    yield "", nn.Dropout(0.1), "Dropout is empty: it has no weights"
    pair = nn.make_with_state(nn.BatchNorm)(H, "batch", mode="ema")
    yield "", pair, r"^tuple is a module of Equinox and more: give the "


def flax_linen():
    import jax
    import jax.numpy as jnp
    from flax import linen as nn
    from flax.core import freeze

    class Net(nn.Module):
        extra: bool = False

        @nn.compact
        def __call__(self, ids):
            table = nn.Embed(31, H, name="t")
            pos = self.param("p", nn.initializers.zeros, (1, 17, H))
            x = nn.LayerNorm()(table(ids) + pos[:, : ids.shape[1]] + nn.Embed(2, H)(ids * 0))
            for _ in range(2):
                x = nn.LayerNorm()(x + nn.MultiHeadDotProductAttention(A)(x))
                x = nn.LayerNorm()(x + nn.Dense(H)(nn.Dense(F)(x)))
            if self.extra:
                x = nn.BatchNorm(use_running_average=True, use_bias=False, use_scale=False)(x)
            return nn.Dense(H)(x[:, 0])

    def make(**options):
        net = Net(**options)
        ids = jax.ShapeDtypeStruct((1, 4), jnp.int32)
        return net, jax.eval_shape(net.init, jax.eval_shape(lambda: jax.random.key(0)), ids)

    net, variables = make()
    frozen = freeze(variables)
    models = ((net, variables), variables, frozen, (net, frozen), net.bind(variables))
    for number, model in enumerate(models):
        yield f"form {number}", model, 0, 0, ""
    yield "statistics", make(extra=True), 0, 2 * H, ""
    less, boxed = make(), make()
    del less[1]["params"]["p"]
    missing = "embeddings.position_embeddings.weight is missing: (17, 12)"
    yield "one table less", less, -17 * H, 0, re.escape(missing)
    table = boxed[1]["params"]["t"]
    table["embedding"] = nn.Partitioned(table["embedding"], names=("v", "h"))
    yield "boxed", boxed, 0, 0, ""
    for params in (variables["params"], frozen["params"], (net, variables["params"])):
        yield "", params, r"has no collection 'params'.* as module.init retur"
    yield "", net, r"Net has no variables: give \(module, variables\)"


def flax_nnx():
    from flax import nnx

    class Block(nnx.Module):
        def __init__(self, rngs):
            self.attend = nnx.MultiHeadAttention(A, H, decode=False, rngs=rngs)
            self.one, self.two = nnx.LayerNorm(H, rngs=rngs), nnx.LayerNorm(H, rngs=rngs)
            self.up, self.down = nnx.Linear(H, F, rngs=rngs), nnx.Linear(F, H, rngs=rngs)
            self.dropout = nnx.Dropout(0.1, rngs=rngs)

    class Net(nnx.Module):
        def __init__(self, rngs, norm=nnx.LayerNorm):
            self.tables = nnx.List(nnx.Embed(rows, H, rngs=rngs) for rows in TABLES)
            self.blocks = nnx.List(Block(rngs) for _ in range(2))
            self.norm = norm(H, rngs=rngs)
            self.cls = nnx.Linear(H, H, rngs=rngs)

    def net(**options):
        return nnx.eval_shape(lambda: Net(nnx.Rngs(0), **options))

    shared, statistics = net(), net(norm=nnx.BatchNorm)
    shared.blocks[1].up.bias = shared.blocks[0].up.bias
    missing = "layers 1: feed_forward.intermediate.bias is missing: (20)"
    yield "as it is", net(), 0, 0, ""
    yield "statistics", statistics, 0, 2 * H, ""
    yield "state", nnx.state(statistics), 0, 2 * H, ""
    yield "parameters of the state", nnx.state(statistics, nnx.Param), 0, 0, ""
    yield "shared", shared, -F, 0, re.escape(f"  −20  {missing}")
    yield "", nnx.Dropout(0.1, rngs=nnx.Rngs(0)), "Dropout is empty: it has no weights"


def keras():
    import keras
    from keras import layers

    def functional(norm=layers.LayerNormalization, key_dim=H // A):
        ids, segments = (keras.Input((None,), dtype="int32") for _ in range(2))
        x = layers.Embedding(31, H)(ids) + layers.Embedding(2, H)(segments)
        x = x + layers.Embedding(17, H)(keras.ops.cumsum(keras.ops.ones_like(ids), axis=1))
        x = layers.LayerNormalization()(x)
        for _ in range(2):
            x = norm()(x + layers.MultiHeadAttention(A, key_dim)(x, x))
            x = norm()(x + layers.Dense(H)(layers.Dense(F, "gelu")(x)))
        return keras.Model([ids, segments], layers.Dense(H, "tanh")(x[:, 0]))

    frozen, dropout = functional(), layers.Dropout(0.5)
    frozen.layers[-1].trainable = False
    dropout.build((None, 3))
    yield "as it is", functional(), 0, 0, ""
    yield "statistics", functional(layers.BatchNormalization), 0, 4 * 2 * H, ""
    said = "(?s)is frozen, but should be trainable.*is frozen, but should be trainable"
    yield "frozen", frozen, -DENSE, DENSE, said
    # A common mistake: key_dim is the width of one head.
    wide = 2 * (4 * H * 24 + 3 * 24)
    yield "key_dim of all heads", functional(key_dim=H), wide, 0, re.escape("(12, 3, 12)")
    unbuilt = r"Sequential is not built: sequential\w* has no weights"
    yield "", keras.Sequential([layers.Dense(3)]), unbuilt
    yield "", layers.Dense(3), r"Dense is not built: dense\w* has no weights yet"
    yield "", dropout, "Dropout is empty: it has no weights"


def mlx():
    import mlx.core as mx
    from mlx import nn, optimizers

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.heads = nn.MultiHeadAttention(H, A, bias=True)
            self.norms = [nn.LayerNorm(H), nn.LayerNorm(H)]
            self.up, self.down = nn.Linear(H, F), nn.Linear(F, H)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.tables = [nn.Embedding(n, H) for n in TABLES]
            self.norm = nn.LayerNorm(H)
            self.blocks = [Block(), Block()]
            self.cls = nn.Linear(H, H)

    frozen, bare, shared = Net(), Net(), Net()
    frozen.cls.freeze()
    bare.blocks[0].heads = nn.MultiHeadAttention(H, A)
    shared.blocks[1].up.weight = shared.blocks[0].up.weight
    (one,) = (one for one in live_weights(shared) if one.aliases)
    assert (one.path, one.aliases) == ("blocks.0.up.weight", ("blocks.1.up.weight",))
    yield "as it is", Net(), 0, 0, ""
    yield "frozen", frozen, -DENSE, DENSE, ""
    yield "no biases", bare, -4 * H, 0, "attention"
    yield "shared", shared, -H * F, 0, ONCE
    quantised = nn.Sequential(nn.Linear(64, 64), nn.Linear(64, 64))
    nn.quantize(quantised, group_size=64, bits=4)
    yield "", quantised, r"Sequential is quantised \(it has layers\.\d\): "
    yield "", optimizers.SGD(0.1), r"SGD is not an mlx\.nn\.Module"
    arrays = {"params": {"w": mx.zeros(3)}}
    yield "", arrays, r"params/w is not linen's but of mlx\.core\.array"


def paddle():
    load("paddle")
    import paddle
    from paddle import nn
    from paddle.incubate.nn import FusedTransformerEncoderLayer

    class Net(nn.Layer):
        def __init__(self, layer=nn.TransformerEncoderLayer, norm=nn.LayerNorm):
            super().__init__()
            self.tables = nn.LayerList(nn.Embedding(rows, H) for rows in TABLES)
            self.norm = norm(H)
            self.layers = nn.LayerList(layer(H, A, F) for _ in range(2))
            self.pooler = nn.Linear(H, H)

    with paddle.LazyGuard():
        lazy = Net()
    frozen, shared = Net(), Net()
    frozen.pooler.weight.stop_gradient = True
    shared.again = shared.pooler
    yield "as it is", Net(), 0, 0, ""
    yield "not allocated", lazy, 0, 0, ""
    yield "fused", Net(FusedTransformerEncoderLayer), 0, 0, ""
    yield "statistics", Net(norm=nn.BatchNorm1D), 0, 2 * H, ""
    yield "frozen", frozen, -H * H, H * H, "is frozen, but should be trainable"
    # The biases of 6 dense layers in each of 2 layers.
    bare = Net(partial(nn.TransformerEncoderLayer, bias_attr=False))
    yield "no biases", bare, -2 * (5 * H + F), 0, ""
    yield "shared", shared, 0, 0, f"{ONCE}pooler.weight, again.weight"
    yield "", paddle.ones([3]), r"^paddle\.Tensor is not an nn\.Layer$"
    state = dict(Net().state_dict())
    yield "", state, r"is not linen's but of paddle\.base\."
    yield "", {"params": state}, r"is not linen's but of paddle\.base\."


@for_each(equinox, flax_linen, flax_nnx, keras, mlx, paddle)
def test_live_models(name, cases_of):
    cases = list(cases_of())
    models = [case for case in cases if case[0]]
    assert min(len(models), len(cases) - len(models)) >= 1
    for which, model, difference, frozen, said in models:
        report = compare(model, SPEC)
        assert (report.difference, report.frozen) == (difference, frozen), report.render()
        assert report.equal == (difference == 0), report.render()
        assert re.search(said, report.render()), (which, report.render())
        if report.equal:
            paramproof.assert_parameters(model, SPEC)
        if name in ("equinox", "mlx", "paddle"):
            assert paramproof.count(model).total == report.actual
    for _, model, said in (case for case in cases if not case[0]):
        with pytest.raises(ValueError, match=said):
            compare(model, SPEC)


@pytest.mark.framework("paddle")
def test_reading_a_model_leaves_it_in_training():
    _, model, *_ = next(paddle())
    compare(model, SPEC)
    assert model.training
