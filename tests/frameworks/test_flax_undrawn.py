"""Without allocation no random values are drawn, which would take over half of a trace's time."""

from unittest import mock

import pytest

from tests.selection import loaded, selected
from tests.specs import SPECS

NAMES = ("flax-linen", "flax-nnx")

pytestmark = pytest.mark.framework(*NAMES)


@pytest.fixture
def build(request):
    name = next(name for name in selected(request.config) if name in NAMES)
    return loaded(name, request.config).build


@pytest.fixture
def failing_draws():
    """Make every draw of JAX's initialisers fail; they look the functions up at each call."""
    from jax._src.nn.initializers import random

    failing = mock.Mock(side_effect=AssertionError("drawn"))
    with mock.patch.multiple(random, normal=failing, truncated_normal=failing):
        yield


@pytest.mark.parametrize("family", SPECS)
def test_shapes_need_no_draw(build, failing_draws, family):
    assert build(SPECS[family]).weights()


def test_allocated_values_are_drawn(build, failing_draws):
    with pytest.raises(AssertionError, match="drawn"):
        build(SPECS["gpt"], allocate=True)


@pytest.mark.framework("flax-nnx")
def test_shapes_need_no_random_key(build):
    """Splitting and counting keys in each layer would take a third of a trace's time."""
    from flax import nnx

    with mock.patch.object(nnx.RngStream, "__call__", side_effect=AssertionError("a key")):
        assert build(SPECS["encoder-decoder"]).weights()
        with pytest.raises(AssertionError, match="a key"):
            build(SPECS["encoder-decoder"], allocate=True)
