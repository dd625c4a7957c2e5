"""Live models of Equinox, with their own names."""

import re

import pytest

import paramproof
from tests.specs import LIVE_ENCODER as SPEC

pytestmark = pytest.mark.framework("equinox")


def report_on(model):
    from paramproof import compare

    return compare(model, SPEC)


@pytest.fixture
def net():
    """Return a function that makes a model, with other biases or layers on request."""
    import equinox as eqx
    import jax

    key = jax.random.key(0)
    biases = {f"use_{name}_bias": True for name in ("query", "key", "value", "output")}

    class Block(eqx.Module):
        attend: eqx.nn.MultiheadAttention
        norms: tuple[eqx.nn.LayerNorm, ...]
        mlp: eqx.nn.MLP
        dropout: eqx.nn.Dropout

        def __init__(self, options):
            self.attend = eqx.nn.MultiheadAttention(3, 12, **options, key=key)
            self.norms = (eqx.nn.LayerNorm(12), eqx.nn.LayerNorm(12))
            self.mlp = eqx.nn.MLP(12, 12, 20, 1, key=key)
            self.dropout = eqx.nn.Dropout(0.1)

    class Net(eqx.Module):
        tables: list[eqx.nn.Embedding]
        blocks: list[Block]
        norm: eqx.Module
        cls: eqx.nn.Linear

        def __init__(self, options, norm):
            self.tables = [eqx.nn.Embedding(rows, 12, key=key) for rows in (31, 17, 2)]
            self.blocks = [Block(options) for _ in range(2)]
            self.norm = norm(12)
            self.cls = eqx.nn.Linear(12, 12, key=key)

    return lambda options=biases, norm=eqx.nn.LayerNorm: Net(options, norm)


def test_equinox(net):
    import equinox as eqx

    for model in (net(), eqx.filter_eval_shape(net)):
        report = report_on(model)
        assert report.equal, report.render()
        assert report.frozen == 0
        paramproof.assert_parameters(model, SPEC)
        assert paramproof.count(model).total == report.actual


def test_attention_as_it_comes_has_no_biases(net):
    report = report_on(net(options={}))
    assert report.difference == -2 * 4 * 12
    assert re.search(r"layers( \d+: |\.\*\.)attention", report.render())


def test_initial_statistics_are_not_trainable(net):
    import equinox as eqx

    def norm(size):
        return eqx.nn.BatchNorm(size, "batch", mode="ema")

    report = report_on(net(norm=norm))
    assert (report.equal, report.frozen) == (True, 2 * 12)
    model, _ = eqx.nn.make_with_state(net)(norm=norm)
    report = report_on(model)
    assert (report.equal, report.frozen) == (True, 0)


def test_what_is_shared_counts_once_and_is_named(net):
    import equinox as eqx

    shared = eqx.nn.Shared(
        net(),
        lambda it: it.blocks[1].mlp.layers[0].bias,
        lambda it: it.blocks[0].mlp.layers[0].bias,
    )
    report = report_on(shared)
    assert report.difference == -20
    said = "one storage, counted once: blocks.0.mlp.layers.0.bias, blocks.1.mlp.layers.0.bias"
    assert said in report.render()
    # One object in two places is two layers.
    twice = eqx.tree_at(lambda it: it.blocks[1], net(), net().blocks[0])
    assert report_on(twice).equal


def test_a_trained_model_is_read_as_a_new_one(net):
    import equinox as eqx
    import jax.numpy as jnp

    model = net()
    gradients = eqx.filter_grad(lambda it: it.cls(jnp.ones(12)).sum())(model)
    trained = eqx.apply_updates(model, gradients)
    assert report_on(trained).equal


def test_arrays_of_numpy_are_parameters(net):
    """As in Equinox, whose gradients are of them, too."""
    import equinox as eqx
    import jax
    import numpy as np

    arrays, rest = eqx.partition(net(), eqx.is_array)
    assert report_on(eqx.combine(jax.tree.map(np.asarray, arrays), rest)).equal


def test_nothing_is_refused():
    import equinox as eqx

    with pytest.raises(ValueError, match="Dropout is empty: it has no weights"):
        report_on(eqx.nn.Dropout(0.1))


def test_a_model_beside_its_state_is_refused():
    import equinox as eqx

    pair = eqx.nn.make_with_state(eqx.nn.BatchNorm)(12, "batch", mode="ema")
    with pytest.raises(ValueError, match=r"^tuple is a module of Equinox and more: give the "):
        report_on(pair)
