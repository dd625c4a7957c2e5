"""Common miscounts in each framework, and by how much each one is off.

A framework gives modules with their entries as it lists them, and as our list has them: usually
all of them, those that it calls trainable, and those that we do.
"""

import math

import pytest

from paramproof.builders import load
from paramproof.sources.live import live_weights

B, S, H, F, A, R = 1, 3, 6, 5, 3, 2
DENSE, SQUARE = H * F + F, H * H + H
ATTENTION = 4 * SQUARE
LAYER = 4 * H * H + 9 * H + 2 * H * F + F
CACHE = 2 * B * S * H + 1
"""The keys and values of every position, and the number of positions so far."""


def sizes(weights):
    return sum(math.prod(one.shape) for one in weights)


def torch():
    """``parameters()``, those that are trained, ``state_dict``, and ours."""
    import torch
    from torch import nn

    def counts(module):
        trained = [one for one in module.parameters() if one.requires_grad]
        lists = module.parameters(), trained, module.state_dict().values()
        return *map(sizes, lists), sizes(one for one in live_weights(module) if one.trainable)

    with torch.device("meta"):
        persistent, other, frozen = (nn.Linear(H, F) for _ in range(3))
        persistent.register_buffer("scale", torch.ones(9))
        other.register_buffer("scale", torch.ones(9), persistent=False)
        frozen.bias.requires_grad_(False)
        shared, layer = nn.Linear(H, H), nn.TransformerEncoderLayer(H, A, F)
        yield counts, persistent, (DENSE, DENSE, DENSE + 9, DENSE)
        yield counts, other, (DENSE,) * 4
        yield counts, frozen, (DENSE, DENSE - F, DENSE, DENSE - F)
        # A mean and a variance for each feature, and the number of batches seen.
        yield counts, nn.BatchNorm1d(H), (2 * H, 2 * H, 4 * H + 1, 2 * H)
        yield counts, nn.Sequential(shared, shared), (SQUARE, SQUARE, 2 * SQUARE, SQUARE)
        # A list of one layer shares it, and ``nn.TransformerEncoder`` copies it.
        yield counts, nn.ModuleList([layer] * 3), (LAYER, LAYER, 3 * LAYER, LAYER)
        stack = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)
        yield counts, stack, (3 * LAYER,) * 4
        # bias=False also removes the biases of the norms: 4H in attention, F + H and 2H.
        bare = nn.TransformerEncoderLayer(H, A, F, bias=False)
        yield counts, bare, (LAYER - (4 * H + F + H + 2 * H),) * 4
        # With another kdim there are three matrices in place of one.
        yield counts, nn.MultiheadAttention(H, A, kdim=F), (ATTENTION + H * F - H * H,) * 4


def flax_linen():
    """All variables, ``params`` alone, and ours; ``init`` leaves out intermediates."""
    import jax
    import jax.numpy as jnp
    from flax import linen as nn

    from paramproof.builders.frameworks.flax_linen import LinenModel

    def counts(module):
        variables = jax.eval_shape(module.init, jax.random.key(0), jnp.ones((B, S, H)))
        params = variables.get("params", {})
        ours = LinenModel(module, variables).weights() if params else ()
        return *(sizes(jax.tree.leaves(tree)) for tree in (variables, params)), sizes(ours)

    class Sowing(nn.Module):
        collection: str

        @nn.compact
        def __call__(self, x):
            x = nn.Dense(F)(x)
            self.sow(self.collection, "inner", x)
            return x

    class Remembering(nn.Module):
        @nn.compact
        def __call__(self, x):
            self.variable("memory", "last", jnp.zeros, x.shape)
            return nn.Dense(F)(x)

    class Setup(nn.Module):
        called: bool

        def setup(self):
            self.used, self.head = nn.Dense(F), nn.Dense(2)

        def __call__(self, x):
            x = self.used(x)
            return self.head(x) if self.called else x

    class Twice(nn.Module):
        anew: bool

        @nn.compact
        def __call__(self, x):
            dense = nn.Dense(H)
            return (nn.Dense(H) if self.anew else dense)(dense(x))

    attention = nn.MultiHeadDotProductAttention
    yield counts, nn.BatchNorm(use_running_average=True), (4 * H, 2 * H, 2 * H)
    yield counts, attention(A, decode=True), (ATTENTION + CACHE, ATTENTION, ATTENTION)
    yield counts, Sowing("losses"), (DENSE + B * S * F, DENSE, DENSE)
    yield counts, Sowing("intermediates"), (DENSE,) * 3
    yield counts, Remembering(), (DENSE + B * S * H, DENSE, DENSE)
    # A submodule that is never called has no parameters.
    yield counts, Setup(False), (DENSE,) * 3
    yield counts, Setup(True), (DENSE + 2 * F + 2,) * 3
    yield counts, Twice(False), (SQUARE,) * 3
    yield counts, Twice(True), (2 * SQUARE,) * 3
    # Its random key is an argument of every call; nnx and Keras keep one.
    yield counts, nn.Dropout(0.1, deterministic=True), (0, 0, 0)
    # qkv_features is the width of all heads, and Keras's key_dim that of one.
    yield counts, attention(2, qkv_features=6), (ATTENTION,) * 3
    yield counts, attention(2, qkv_features=12), (3 * (H * 12 + 12) + 12 * H + H,) * 3


def flax_nnx():
    """The whole state, ``nnx.Param`` alone, ours, and what else is in the state by its filter."""
    import jax
    from flax import nnx

    from paramproof.builders.frameworks.flax_nnx import NnxModel

    def counts(module):
        def entries(*of):
            return sizes(jax.tree.leaves(nnx.state(module, *of)))

        filters = (nnx.RngState, nnx.BatchStat, nnx.Cache, nnx.LoRAParam)
        others = sum(map(entries, filters))
        return entries(), entries(nnx.Param), sizes(NnxModel(module).weights()), others

    class Held(nnx.Module):
        def __init__(self, layers):
            self.layers = layers

    rngs = nnx.Rngs(0)
    decoding = nnx.MultiHeadAttention(A, H, decode=True, rngs=rngs)
    decoding.init_cache((B, S, H))
    shared = nnx.Linear(H, H, rngs=rngs)
    dropouts = [nnx.Dropout(0.1, rngs=nnx.Rngs(0)) for _ in range(3)]
    # Each dropout keeps a key and a count.
    dropping = nnx.Sequential(nnx.Linear(H, F, rngs=rngs), *dropouts)
    yield counts, dropping, (DENSE + 2 * 3, DENSE, DENSE, 2 * 3)
    yield counts, nnx.BatchNorm(H, rngs=rngs), (4 * H, 2 * H, 2 * H, 2 * H)
    yield counts, decoding, (ATTENTION + CACHE, ATTENTION, ATTENTION, CACHE)
    # Fine-tuning with rank R adds that many parameters to a layer, and they are listed.
    more = R * (H + F)
    yield counts, nnx.LoRALinear(H, F, lora_rank=R, rngs=rngs), (*(DENSE + more,) * 3, more)
    layers = nnx.List(nnx.Linear(H, F, rngs=rngs) for _ in range(3))
    yield counts, Held(layers), (3 * DENSE, 3 * DENSE, 3 * DENSE, 0)
    yield counts, nnx.Sequential(shared, shared), (SQUARE, SQUARE, SQUARE, 0)
    # linen creates parameters when a module is called, nnx when it is constructed.
    yield counts, Held(nnx.Linear(H, F, rngs=rngs)), (DENSE, DENSE, DENSE, 0)
    for kind in (list, tuple):
        with pytest.raises(ValueError, match=f"Found data on value of type .*{kind.__name__}"):
            Held(kind([nnx.Linear(H, F, rngs=rngs)]))


def keras():
    """``count_params()``, weights that are trained and not, ``variables``, and ours."""
    import keras
    from keras import layers

    builder = load(f"keras-{keras.backend.backend()}")

    def counts(layer):
        assert layer.count_params() == sizes(layer.weights)
        lists = layer.trainable_weights, layer.non_trainable_weights, layer.variables
        ours = builder.KerasModel(layer, allocated=True).weights()
        return layer.count_params(), *map(sizes, lists), sizes(w for w in ours if w.trainable)

    def stack(*parts):
        return keras.Sequential([keras.Input((H,)), *parts])

    def attention(key_dim, **options):
        layer = layers.MultiHeadAttention(A, key_dim, **options)
        layer.build((None, None, H), (None, None, H))
        return layer

    # ``variables`` holds a seed for every dropout, of two numbers.
    for rate, seeds in ((0.1, 3), (0.0, 0)):
        parts = layers.Dense(F), *(layers.Dropout(rate) for _ in range(3))
        yield counts, stack(*parts), (DENSE, DENSE, 0, DENSE + 2 * seeds, DENSE)
    norm, frozen = (stack(layers.Dense(F), layers.BatchNormalization()) for _ in range(2))
    frozen.trainable = False
    whole, trained = DENSE + 4 * F, DENSE + 2 * F
    # ``count_params`` includes the statistics.
    yield counts, norm, (whole, trained, 2 * F, whole, trained)
    yield counts, frozen, (whole, 0, whole, whole, 0)
    shared = layers.Dense(H)
    yield counts, stack(shared, layers.ReLU(), shared), (SQUARE, SQUARE, 0, SQUARE, SQUARE)
    # key_dim is the width of one head: passing the hidden size, as other frameworks expect, gives A
    # times the attention. value_dim adds columns to value, and rows to the output's kernel.
    wide = A * ATTENTION - (A - 1) * H
    valued = ATTENTION + A * (H + 1 + H)
    for layer, number, seeds in (
        (attention(H // A), ATTENTION, 0),
        (attention(H // A, dropout=0.1), ATTENTION, 1),
        (attention(H), wide, 0),
        (attention(H // A, value_dim=H // A + 1), valued, 0),
    ):
        yield counts, layer, (number, number, 0, number + 2 * seeds, number)


def equinox():
    """All arrays, as ``eqx.filter`` finds them, and ours, as a whole and trainable."""
    import equinox as eqx
    import jax

    nn, key = eqx.nn, jax.random.key(0)

    def counts(module):
        arrays = jax.tree.leaves(eqx.filter(module, eqx.is_inexact_array))
        ours = load("equinox").live_weights(module)
        return sizes(arrays), sizes(ours), sizes(one for one in ours if one.trainable)

    def ours_of_shapes(module):
        return counts(eqx.filter_eval_shape(lambda: module))[1:]

    class Model(eqx.Module):
        linear: nn.Linear
        positions: jax.Array
        rate: float

    def linear(*widths, **options):
        return nn.Linear(*widths, key=key, **options)

    tables = nn.Embedding(F, H, key=key), linear(H, F)
    shared = nn.Shared(tables, lambda two: two[1].weight, lambda two: two[0].weight)
    pair = linear(H, F, use_bias=False), linear(F, H)
    turned = nn.Shared(pair, lambda two: two[1].weight, lambda two: two[0].weight.T)
    square = linear(H, H)
    # Other frameworks have no bias; a LLaMA of L layers would have (2·L + 1)·H parameters more.
    yield counts, nn.RMSNorm(H), (2 * H,) * 3
    yield counts, nn.RMSNorm(H, use_bias=False), (H,) * 3
    # It is one object at first, but each place gets a gradient of its own.
    yield counts, nn.Sequential([square, square]), (2 * SQUARE,) * 3
    yield counts, shared, (F * H + F,) * 3
    yield counts, turned, (F * H + H,) * 3
    yield ours_of_shapes, turned, (F * H + H,) * 2
    # Statistics are in the tree until ``make_with_state`` moves them into a second object.
    for mode in ("batch", "ema"):
        yield counts, nn.BatchNorm(H, "batch", mode=mode), (4 * H, 4 * H, 2 * H)
        module, _ = nn.make_with_state(nn.BatchNorm)(H, "batch", mode=mode)
        yield counts, module, (2 * H,) * 3
    yield counts, Model(linear(H, F), jax.numpy.arange(7), 0.1), (DENSE,) * 3
    yield counts, nn.PReLU(), (1, 1, 1)
    # Two vectors of its power iteration are state.
    norm = nn.SpectralNorm(linear(H, F), "weight", key=key)
    yield counts, norm, (DENSE + H + F, DENSE + H + F, DENSE)
    # Layers made by vmap are one module: each array has an axis of layers.
    make = eqx.filter_vmap(lambda key: nn.Linear(H, F, key=key))
    yield counts, make(jax.random.split(key, 4)), (4 * DENSE,) * 3


def mlx():
    """``parameters()``, ``trainable_parameters()``, and ours."""
    from mlx import nn
    from mlx.utils import tree_flatten

    from paramproof.builders.frameworks.mlx import stored_arrays

    def counts(module):
        trees = module.parameters(), module.trainable_parameters()
        ours = sum(one.size for one in stored_arrays(module) if one.trainable)
        return *(sizes(array for _, array in tree_flatten(tree)) for tree in trees), ours

    class Net(nn.Module):
        def __init__(self, **parts):
            super().__init__()
            for name, part in parts.items():
                setattr(self, name, part)

    first, bias, norm, shared = nn.Linear(H, F), nn.Linear(H, F), nn.BatchNorm(H), nn.Linear(H, H)
    rest = F * H + H
    first.freeze()
    bias.freeze(keys="bias")
    yield counts, nn.Sequential(first, nn.Linear(F, H)), (DENSE + rest, rest, rest)
    yield counts, bias, (DENSE, DENSE - F, DENSE - F)
    # Statistics are frozen, and stay so: ``unfreeze`` does not make them trainable.
    yield counts, norm, (4 * H, 2 * H, 2 * H)
    norm.unfreeze()
    yield counts, norm, (4 * H, 2 * H, 2 * H)
    # Listed twice and stored once.
    yield counts, nn.Sequential(shared, shared), (2 * SQUARE, 2 * SQUARE, SQUARE)
    # A list or a dict is searched; of a tuple nobody says that it is not.
    for parts in ([nn.Linear(H, F)], {"a": nn.Linear(H, F)}):
        yield counts, Net(parts=parts), (DENSE,) * 3
    for parts in ((nn.Linear(H, F),), {"a": (nn.Linear(H, F),)}):
        yield counts, Net(parts=parts), (0, 0, 0)
    yield counts, Net(_hidden=nn.Linear(H, F)), (0, 0, 0)
    for module in (nn.RoPE(H), nn.SinusoidalPositionalEncoding(H), nn.Dropout(0.5)):
        yield counts, module, (0, 0, 0)
    # ``mlp_dims or 4 * dims``: an inner width of 0 counts as not given.
    inner = 4 * H
    wide = 4 * H * H + 2 * H * inner + inner + 5 * H
    yield counts, nn.TransformerEncoderLayer(H, A, 0), (wide,) * 3


def paddle():
    """``parameters()``, those that are trained, and ours."""
    builder = load("paddle")
    import paddle
    from paddle import nn
    from paddle.incubate.nn import FusedTransformerEncoderLayer

    def counts(layer):
        trained = [one for one in layer.parameters() if not one.stop_gradient]
        ours = [one for one in builder.live_weights(layer) if one.trainable]
        return sizes(layer.parameters()), sizes(trained), sizes(ours)

    class Net(nn.Layer):
        def __init__(self, layers):
            super().__init__()
            self.layers = layers

    # In PyTorch the statistics are buffers.
    for kind in (nn.BatchNorm1D, nn.BatchNorm2D, nn.SyncBatchNorm):
        yield counts, kind(H), (4 * H, 2 * H, 2 * H)
    # ``stop_gradient`` is the opposite of PyTorch's ``requires_grad``.
    frozen, changed = nn.Linear(H, F), nn.TransformerEncoderLayer(H, A, F)
    frozen.weight.stop_gradient = True
    yield counts, frozen, (DENSE, F, F)
    # bias_attr leaves the norms their biases; a list is for attention and feed-forward.
    for attr, less in ((False, 5 * H + F), ([False, None], 4 * H), ([None, False], F + H)):
        bare = nn.TransformerEncoderLayer(H, A, F, bias_attr=attr)
        yield counts, bare, (LAYER - less,) * 3
    yield counts, Net([nn.Linear(H, F), nn.Linear(H, F)]), (0, 0, 0)
    yield counts, Net(nn.LayerList([nn.Linear(H, F), nn.Linear(H, F)])), (2 * DENSE,) * 3
    with paddle.LazyGuard():
        lazy = nn.Linear(H, F)
    yield counts, lazy, (DENSE,) * 3
    tied = Net(nn.LayerList([nn.Linear(H, H), nn.Linear(H, H)]))
    tied.layers[1].weight = tied.layers[0].weight
    yield counts, tied, (SQUARE + H,) * 3
    # An encoder calls the constructor of its first layer again: later changes are lost.
    changed.norm1 = nn.Identity()
    yield counts, nn.TransformerEncoder(changed, 3), (3 * LAYER - 2 * H,) * 3
    yield counts, nn.TransformerEncoder(changed, 0), (0, 0, 0)
    yield counts, FusedTransformerEncoderLayer(H, A, F), (LAYER,) * 3


FRAMEWORKS = {
    "torch": torch,
    "flax-linen": flax_linen,
    "flax-nnx": flax_nnx,
    "keras-jax": keras,
    "keras-tensorflow": keras,
    "keras-torch": keras,
    "equinox": equinox,
    "mlx": mlx,
    "paddle": paddle,
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.framework(name)) for name in FRAMEWORKS]
)
def test_counts(name):
    number = 0
    for counts, module, expected in FRAMEWORKS[name]():
        assert counts(module) == expected, module
        number += 1
    assert number >= 7
