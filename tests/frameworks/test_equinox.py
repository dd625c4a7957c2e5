"""Equinox: shared matrices."""

import pytest

from paramproof.builders import load

pytestmark = pytest.mark.framework("equinox")

H, F = 6, 5


def shared(eqx, key):
    tables = (eqx.nn.Embedding(F, H, key=key), eqx.nn.Linear(H, F, key=key))
    return eqx.nn.Shared(tables, lambda pair: pair[1].weight, lambda pair: pair[0].weight)


def arrays(tree):
    """Return the entries of all arrays, as ``eqx.filter`` finds them."""
    import equinox as eqx
    import jax

    return sum(leaf.size for leaf in jax.tree.leaves(eqx.filter(tree, eqx.is_inexact_array)))


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
