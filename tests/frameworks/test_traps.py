"""Common miscounts in each framework: what it lists, and what we count as trainable.

A framework gives modules with the entries of everything that it lists, and of the weights that we
read and call trainable. Buffers, statistics, caches, seeds and what is frozen are listed, too.
PyTorch's are in test_live_torch.py.
"""

import math

from paramproof.builders import load
from paramproof.sources.live import live_weights
from tests.frameworks.modules import for_each

B, S, H, F, A, R = 1, 3, 6, 5, 3, 2
DENSE, SQUARE = H * F + F, H * H + H
ATTENTION = 4 * SQUARE
CACHE = 2 * B * S * H + 1
"""The keys and values of every position, and the number of positions so far."""


def sizes(arrays):
    return sum(math.prod(one.shape) for one in arrays)


def trained(weights):
    return sizes(one for one in weights if one.trainable)


def flax_linen():
    """All variables, and ours; a dropout's random key is an argument of every call."""
    import jax
    import jax.numpy as jnp
    from flax import linen as nn

    from paramproof.builders.frameworks.flax_linen import LinenModel

    def counts(module):
        variables = jax.eval_shape(module.init, jax.random.key(0), jnp.ones((B, S, H)))
        return sizes(jax.tree.leaves(variables)), trained(LinenModel(module, variables).weights())

    class Sowing(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.Dense(F)(x)
            self.sow("losses", "inner", x)
            return x

    class Remembering(nn.Module):
        @nn.compact
        def __call__(self, x):
            self.variable("memory", "last", jnp.zeros, x.shape)
            return nn.Dense(F)(x)

    yield counts, nn.BatchNorm(use_running_average=True), (4 * H, 2 * H)
    decoding = nn.MultiHeadDotProductAttention(A, decode=True)
    yield counts, decoding, (ATTENTION + CACHE, ATTENTION)
    yield counts, Sowing(), (DENSE + B * S * F, DENSE)
    yield counts, Remembering(), (DENSE + B * S * H, DENSE)


def flax_nnx():
    """The whole state, and ours."""
    import jax
    from flax import nnx

    from paramproof.builders.frameworks.flax_nnx import NnxModel

    def counts(module):
        return sizes(jax.tree.leaves(nnx.state(module))), trained(NnxModel(module).weights())

    rngs = nnx.Rngs(0)
    decoding = nnx.MultiHeadAttention(A, H, decode=True, rngs=rngs)
    decoding.init_cache((B, S, H))
    shared = nnx.Linear(H, H, rngs=rngs)
    dropouts = [nnx.Dropout(0.1, rngs=nnx.Rngs(0)) for _ in range(3)]
    # Each dropout keeps a key and a count.
    dropping = nnx.Sequential(nnx.Linear(H, F, rngs=rngs), *dropouts)
    yield counts, dropping, (DENSE + 2 * 3, DENSE)
    yield counts, nnx.BatchNorm(H, rngs=rngs), (4 * H, 2 * H)
    yield counts, decoding, (ATTENTION + CACHE, ATTENTION)
    yield counts, nnx.Sequential(shared, shared), (SQUARE, SQUARE)
    # Fine-tuning with rank R adds that many parameters to a layer, and they are trained.
    adapted = DENSE + R * (H + F)
    yield counts, nnx.LoRALinear(H, F, lora_rank=R, rngs=rngs), (adapted, adapted)


def keras():
    """``variables``, which hold a seed of two numbers for every dropout, and ours."""
    import keras
    from keras import layers

    builder = load(f"keras-{keras.backend.backend()}")

    def counts(layer):
        ours = builder.KerasModel(layer, allocated=True).weights()
        assert sizes(ours) == layer.count_params() == sizes(layer.weights)
        return sizes(layer.variables), trained(ours)

    def stack(*parts):
        return keras.Sequential([keras.Input((H,)), *parts])

    dropouts = (layers.Dropout(0.1) for _ in range(3))
    yield counts, stack(layers.Dense(F), *dropouts), (DENSE + 2 * 3, DENSE)
    norm, frozen = (stack(layers.Dense(F), layers.BatchNormalization()) for _ in range(2))
    frozen.trainable = False
    yield counts, norm, (DENSE + 4 * F, DENSE + 2 * F)
    yield counts, frozen, (DENSE + 4 * F, 0)
    shared = layers.Dense(H)
    yield counts, stack(shared, layers.ReLU(), shared), (SQUARE, SQUARE)
    attention = layers.MultiHeadAttention(A, H // A, dropout=0.1)
    attention.build((None, None, H), (None, None, H))
    yield counts, attention, (ATTENTION + 2, ATTENTION)


def equinox():
    """All arrays, as ``eqx.filter`` finds them, and ours."""
    import equinox as eqx
    import jax

    nn, key = eqx.nn, jax.random.key(0)

    def counts(module):
        arrays = jax.tree.leaves(eqx.filter(module, eqx.is_inexact_array))
        return sizes(arrays), trained(live_weights(module))

    def abstract(module):
        return counts(eqx.filter_eval_shape(lambda: module))[1]

    class Model(eqx.Module):
        linear: nn.Linear
        positions: jax.Array
        rate: float

    def linear(*widths, **options):
        return nn.Linear(*widths, key=key, **options)

    pair = linear(H, F, use_bias=False), linear(F, H)
    turned = nn.Shared(pair, lambda two: two[1].weight, lambda two: two[0].weight.T)
    square = linear(H, H)
    # It is one object at first, but each place gets a gradient of its own.
    yield counts, nn.Sequential([square, square]), (2 * SQUARE, 2 * SQUARE)
    yield counts, turned, (F * H + H, F * H + H)
    yield abstract, turned, F * H + H
    # Statistics are in the tree until ``make_with_state`` moves them into a second object.
    for mode in ("batch", "ema"):
        yield counts, nn.BatchNorm(H, "batch", mode=mode), (4 * H, 2 * H)
        module, _ = nn.make_with_state(nn.BatchNorm)(H, "batch", mode=mode)
        yield counts, module, (2 * H, 2 * H)
    yield counts, Model(linear(H, F), jax.numpy.arange(7), 0.1), (DENSE, DENSE)
    yield counts, nn.PReLU(), (1, 1)
    # Two vectors of its power iteration are state.
    norm = nn.SpectralNorm(linear(H, F), "weight", key=key)
    yield counts, norm, (DENSE + H + F, DENSE)


def mlx():
    """``parameters()``, and ours."""
    from mlx import nn
    from mlx.utils import tree_flatten

    from paramproof.builders.frameworks.mlx import stored_arrays

    def counts(module):
        listed = sizes(array for _, array in tree_flatten(module.parameters()))
        return listed, sum(one.size for one in stored_arrays(module) if one.trainable)

    class Net(nn.Module):
        def __init__(self, **parts):
            super().__init__()
            for name, part in parts.items():
                setattr(self, name, part)

    bias, norm, shared = nn.Linear(H, F), nn.BatchNorm(H), nn.Linear(H, H)
    bias.freeze(keys="bias")
    yield counts, bias, (DENSE, DENSE - F)
    # Statistics are frozen, and stay so: ``unfreeze`` does not make them trainable.
    yield counts, norm, (4 * H, 2 * H)
    norm.unfreeze()
    yield counts, norm, (4 * H, 2 * H)
    # Listed twice and stored once.
    yield counts, nn.Sequential(shared, shared), (2 * SQUARE, SQUARE)
    # A list or a dict is searched; of a tuple nobody says that it is not.
    for parts in ([nn.Linear(H, F)], {"a": nn.Linear(H, F)}):
        yield counts, Net(parts=parts), (DENSE, DENSE)
    for parts in ((nn.Linear(H, F),), {"a": (nn.Linear(H, F),)}):
        yield counts, Net(parts=parts), (0, 0)
    yield counts, Net(_hidden=nn.Linear(H, F)), (0, 0)


def paddle():
    """``parameters()``, and ours."""
    load("paddle")
    from paddle import nn

    def counts(layer):
        return sizes(layer.parameters()), trained(live_weights(layer))

    # In PyTorch the statistics are buffers.
    for kind in (nn.BatchNorm1D, nn.BatchNorm2D, nn.SyncBatchNorm):
        yield counts, kind(H), (4 * H, 2 * H)
    # ``stop_gradient`` is the opposite of PyTorch's ``requires_grad``.
    frozen = nn.Linear(H, F)
    frozen.weight.stop_gradient = True
    yield counts, frozen, (DENSE, F)
    tied = nn.LayerList([nn.Linear(H, H), nn.Linear(H, H)])
    tied[1].weight = tied[0].weight
    yield counts, tied, (SQUARE + H, SQUARE + H)


@for_each(flax_linen, flax_nnx, keras, equinox, mlx, paddle)
def test_counts(name, cases_of):
    for number, (counts, module, expected) in enumerate(cases_of(), 1):
        assert counts(module) == expected, (number, module)
    assert number >= 4
