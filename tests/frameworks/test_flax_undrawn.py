"""Where nothing is allocated nothing is drawn: it is over half of what a trace takes."""

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
def drawing():
    """Every draw of JAX's initialisers fails; they look up what they draw with at each call."""
    from jax._src.nn.initializers import random

    failing = mock.Mock(side_effect=AssertionError("drawn"))
    with mock.patch.multiple(random, normal=failing, truncated_normal=failing):
        yield


@pytest.mark.parametrize("family", SPECS)
def test_shapes_are_made_without_a_draw(build, drawing, family):
    assert build(SPECS[family]).weights()


def test_what_is_allocated_is_drawn(build, drawing):
    with pytest.raises(AssertionError, match="drawn"):
        build(SPECS["gpt"], allocate=True)


@pytest.mark.framework("flax-nnx")
def test_no_key_is_made_for_shapes(build):
    """Keys are split and counted at each layer: a third of what a trace takes."""
    from flax import nnx

    with mock.patch.object(nnx.RngStream, "__call__", side_effect=AssertionError("a key")):
        assert build(SPECS["encoder-decoder"]).weights()
        with pytest.raises(AssertionError, match="a key"):
            build(SPECS["encoder-decoder"], allocate=True)
