"""Live models of linen and nnx, with their own names."""

import pytest

from tests.specs import LIVE_ENCODER as SPEC


def report_on(model):
    from paramproof import compare

    return compare(model, SPEC)


@pytest.fixture
def linen():
    """Return a module and its abstract variables, with a batch norm on request."""
    import jax
    import jax.numpy as jnp
    from flax import linen as nn

    class Net(nn.Module):
        extra: bool = False

        @nn.compact
        def __call__(self, ids):
            table = nn.Embed(31, 12, name="t")
            pos = self.param("p", nn.initializers.zeros, (1, 17, 12))
            x = nn.LayerNorm()(table(ids) + pos[:, : ids.shape[1]] + nn.Embed(2, 12)(ids * 0))
            for _ in range(2):
                x = nn.LayerNorm()(x + nn.MultiHeadDotProductAttention(3)(x))
                x = nn.LayerNorm()(x + nn.Dense(12)(nn.Dense(20)(x)))
            if self.extra:
                x = nn.BatchNorm(use_running_average=True, use_bias=False, use_scale=False)(x)
            return nn.Dense(12)(x[:, 0])

    def make(**options):
        net = Net(**options)
        ids = jax.ShapeDtypeStruct((1, 4), jnp.int32)
        key = jax.eval_shape(lambda: jax.random.key(0))
        return net, jax.eval_shape(net.init, key, ids)

    return make


@pytest.mark.framework("flax-linen")
def test_linen(linen):
    net, variables = linen()
    from flax.core import freeze

    frozen = freeze(variables)
    for model in ((net, variables), variables, frozen, (net, frozen), net.bind(variables)):
        report = report_on(model)
        assert report.equal, report.render()
    for params in (variables["params"], frozen["params"], (net, variables["params"])):
        with pytest.raises(ValueError, match=r"has no collection 'params'.* as module.init retur"):
            report_on(params)


@pytest.mark.framework("flax-linen")
def test_linen_statistics_are_not_trainable(linen):
    report = report_on(linen(extra=True))
    assert (report.equal, report.frozen) == (True, 2 * 12)


@pytest.mark.framework("flax-linen")
def test_linen_different(linen):
    net, variables = linen()
    del variables["params"]["p"]
    report = report_on((net, variables))
    assert report.difference == -17 * 12
    assert "embeddings.position_embeddings.weight is missing: (17, 12)" in report.render()


@pytest.mark.framework("flax-linen")
def test_linen_without_variables(linen):
    net, _ = linen()
    with pytest.raises(ValueError, match=r"Net has no variables: give \(module, variables\)"):
        report_on(net)


@pytest.mark.framework("flax-linen")
def test_linen_boxed(linen):
    from flax import linen as nn

    net, variables = linen()
    params = variables["params"]
    params["t"]["embedding"] = nn.Partitioned(params["t"]["embedding"], names=("v", "h"))
    assert report_on((net, variables)).equal


@pytest.fixture
def nnx_net():
    """Return a list of layers, not stacked, with a dropout and its random key."""
    from flax import nnx

    class Block(nnx.Module):
        def __init__(self, rngs):
            self.attend = nnx.MultiHeadAttention(3, 12, decode=False, rngs=rngs)
            self.one, self.two = nnx.LayerNorm(12, rngs=rngs), nnx.LayerNorm(12, rngs=rngs)
            self.up, self.down = nnx.Linear(12, 20, rngs=rngs), nnx.Linear(20, 12, rngs=rngs)
            self.dropout = nnx.Dropout(0.1, rngs=rngs)

    class Net(nnx.Module):
        def __init__(self, rngs, norm=nnx.LayerNorm):
            self.tables = nnx.List(nnx.Embed(rows, 12, rngs=rngs) for rows in (31, 17, 2))
            self.blocks = nnx.List(Block(rngs) for _ in range(2))
            self.norm = norm(12, rngs=rngs)
            self.cls = nnx.Linear(12, 12, rngs=rngs)

    return lambda **options: nnx.eval_shape(lambda: Net(nnx.Rngs(0), **options))


@pytest.mark.framework("flax-nnx")
def test_nnx(nnx_net):
    report = report_on(nnx_net())
    assert report.equal, report.render()
    assert report.frozen == 0


@pytest.mark.framework("flax-nnx")
def test_an_nnx_state_is_read_like_its_module(nnx_net):
    """The statistics of a batch norm are not trainable."""
    from flax import nnx

    from paramproof.sources.live import live_weights

    net = nnx_net(norm=nnx.BatchNorm)
    weights = live_weights(net)
    assert live_weights(nnx.state(net)) == weights
    assert {one.trainable for one in weights} == {True, False}
    trained = [one for one in weights if one.trainable]
    assert live_weights(nnx.state(net, nnx.Param)) == trained


@pytest.mark.framework("flax-nnx")
def test_nnx_statistics_are_not_trainable(nnx_net):
    from flax import nnx

    report = report_on(nnx_net(norm=nnx.BatchNorm))
    assert (report.equal, report.frozen) == (True, 2 * 12)


@pytest.mark.framework("flax-nnx")
def test_nnx_shared_counts_once(nnx_net):
    net = nnx_net()
    net.blocks[1].up.bias = net.blocks[0].up.bias
    report = report_on(net)
    assert report.difference == -20
    assert "  −20  layers 1: feed_forward.intermediate.bias is missing: (20)" in report.render()


@pytest.mark.framework("flax-nnx")
def test_nnx_empty():
    from flax import nnx

    with pytest.raises(ValueError, match="Dropout is empty: it has no weights"):
        report_on(nnx.Dropout(0.1, rngs=nnx.Rngs(0)))
