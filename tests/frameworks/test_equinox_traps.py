"""Common miscounts in Equinox, and by how much each one is off."""

import pytest

from paramproof.builders import load
from paramproof.formulas.models import named_model

pytestmark = pytest.mark.framework("equinox")

H, F, A = 6, 5, 3
DENSE = H * F + F

COUNTS = {
    # Other frameworks have no bias; a LLaMA of L layers would have (2·L + 1)·H parameters more.
    "RMS norm": (2 * H,) * 3,
    "RMS norm without bias": (H,) * 3,
    # It is one object at first, but each place gets a gradient of its own.
    "a layer in two places": (2 * (H * H + H),) * 3,
    "a shared matrix": (F * H + F,) * 3,
    "a matrix shared transposed": (F * H + H,) * 3,
    # Its statistics are in the tree until ``make_with_state`` moves them into a second object.
    "batch norm": (4 * H, 4 * H, 2 * H),
    "EMA batch norm": (4 * H, 4 * H, 2 * H),
    "batch norm beside its state": (2 * H,) * 3,
    "EMA batch norm beside its state": (2 * H,) * 3,
    "integers and plain numbers": (DENSE,) * 3,
    "PReLU": (1, 1, 1),
    # Two vectors of its power iteration are state.
    "spectral norm": (DENSE + H + F, DENSE + H + F, DENSE),
    # Layers made by vmap are one module: each array has an axis of layers.
    "four layers by vmap": (4 * DENSE,) * 3,
}
"""The entries of all arrays, of our list, and of what in it is trainable."""


def modules():
    import equinox as eqx
    import jax

    key, nn = jax.random.key(0), eqx.nn

    class Model(eqx.Module):
        linear: nn.Linear
        positions: jax.Array
        rate: float

    linear = nn.Linear(H, H, key=key)
    pair = (nn.Linear(H, F, use_bias=False, key=key), nn.Linear(F, H, key=key))
    norms = {"batch norm": "batch", "EMA batch norm": "ema"}
    return (
        {
            "RMS norm": nn.RMSNorm(H),
            "RMS norm without bias": nn.RMSNorm(H, use_bias=False),
            "a layer in two places": nn.Sequential([linear, linear]),
            "a shared matrix": shared(eqx, key),
            "a matrix shared transposed": nn.Shared(
                pair, lambda two: two[1].weight, lambda two: two[0].weight.T
            ),
            "integers and plain numbers": Model(nn.Linear(H, F, key=key), jax.numpy.arange(7), 0.1),
            "PReLU": nn.PReLU(),
            "spectral norm": nn.SpectralNorm(nn.Linear(H, F, key=key), "weight", key=key),
            "four layers by vmap": eqx.filter_vmap(lambda key: nn.Linear(H, F, key=key))(
                jax.random.split(key, 4)
            ),
        }
        | {name: nn.BatchNorm(H, "batch", mode=mode) for name, mode in norms.items()}
        | {
            f"{name} beside its state": nn.make_with_state(nn.BatchNorm)(H, "batch", mode=mode)[0]
            for name, mode in norms.items()
        }
    )


def shared(eqx, key):
    tables = (eqx.nn.Embedding(F, H, key=key), eqx.nn.Linear(H, F, key=key))
    return eqx.nn.Shared(tables, lambda pair: pair[1].weight, lambda pair: pair[0].weight)


def arrays(tree):
    """Return the entries of all arrays, as ``eqx.filter`` finds them."""
    import equinox as eqx
    import jax

    return sum(leaf.size for leaf in jax.tree.leaves(eqx.filter(tree, eqx.is_inexact_array)))


def counts(module):
    ours = load("equinox").live_weights(module)
    return sum(one.size for one in ours), sum(one.size for one in ours if one.trainable)


def test_counts():
    import equinox as eqx

    found = {name: (arrays(module), *counts(module)) for name, module in modules().items()}
    assert found == COUNTS
    abstract = eqx.filter_eval_shape(lambda: modules()["a matrix shared transposed"])
    assert counts(abstract) == (F * H + H,) * 2


@pytest.mark.parametrize("abstract", [False, True])
def test_a_shared_matrix_has_two_names(abstract):
    """It is in the tree once until it is put together, and then twice."""
    import equinox as eqx
    import jax

    class Model(eqx.Module):
        tables: eqx.nn.Shared
        head: eqx.nn.Linear

    key = jax.random.key(0)
    model = Model(shared(eqx, key), eqx.nn.Linear(H, H, key=key))
    assert arrays(model.tables()) == 2 * F * H + F
    if abstract:
        model = eqx.filter_eval_shape(lambda: model)
    assert {one.path: one.aliases for one in load("equinox").live_weights(model)} == {
        "tables.0.weight": ("tables.1.weight",),
        "tables.1.bias": (),
        "head.weight": (),
        "head.bias": (),
    }


def test_attention_has_no_biases_by_default(monkeypatch):
    """Four biases of H in each of BERT-base's 12 layers: 48·H parameters."""
    from paramproof.builders.frameworks.equinox import models

    spec = named_model("bert-base").spec

    def total():
        return sum(weight.size for weight in load("equinox").build(spec).weights())

    whole = total()
    attention = models.Attention

    def by_default(heads, size, *, dtype, key, **biases):
        assert set(biases.values()) == {True}
        return attention(heads, size, dtype=dtype, key=key)

    monkeypatch.setattr(models, "Attention", by_default)
    assert total() - whole == -48 * spec.hidden_size == -36_864


def test_rotary_positions_ignore_theta_after_the_first_model():
    """This is why our LLaMA has its own rotation: the cache of angles ignores theta."""
    import equinox as eqx
    import jax.numpy as jnp

    def turned(theta):
        return eqx.nn.RotaryPositionalEmbedding(4, theta)(jnp.ones((3, 4)))

    eqx.clear_caches()
    first = turned(10_000.0)
    assert (turned(100.0) == first).all()
    eqx.clear_caches()
    assert (turned(100.0) != first).any()
    eqx.clear_caches()
