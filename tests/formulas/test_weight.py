"""Layouts: the derived shape agrees with einops on a real array, in both directions."""

import einops
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof.formulas import Weight
from paramproof.formulas.layout import LAYOUTS, stored_shape


@pytest.mark.parametrize("layout", LAYOUTS)
@given(heads=st.integers(1, 5), size=st.integers(1, 5), other=st.integers(1, 7))
def test_stored_shape_agrees_with_einops(layout, heads, size, other):
    split = heads * size
    shape = {"heads_in": (split, other), "heads": (split,)}.get(layout, (other, split))
    canonical = np.arange(np.prod(shape)).reshape(shape)
    stored = einops.rearrange(canonical, LAYOUTS[layout], **_heads(layout, heads))
    assert stored_shape((layout,), [shape], head_size=size, layers=1) == stored.shape

    left, right = LAYOUTS[layout].split(" -> ")
    back = einops.rearrange(stored, f"{right} -> {left}", **_heads(layout, heads))
    assert (back == canonical).all()


def _heads(layout, heads):
    return {"a": heads} if "a" in LAYOUTS[layout] else {}


def test_plain():
    assert stored_shape((), [(3, 4)], head_size=2, layers=1) == (3, 4)


def test_concatenated_along_the_last_axis():
    """With unequal parts too, as for grouped queries."""
    parts = [(8, 8), (8, 2), (8, 2)]
    assert stored_shape((), parts, head_size=2, layers=1) == (8, 12)
    assert stored_shape(("transposed",), parts, head_size=2, layers=1) == (12, 8)
    assert stored_shape(("heads_out",), parts, head_size=2, layers=1) == (8, 6, 2)
    assert stored_shape((), [(8,), (2,), (2,)], head_size=2, layers=1) == (12,)


def test_stacked_over_layers():
    assert stored_shape(("stacked", "heads_in"), [(6, 4)], head_size=2, layers=5) == (5, 3, 2, 4)
    assert stored_shape(("stacked",), [(6,), (6,)], head_size=2, layers=0) == (0, 12)


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="7 does not split"):
        stored_shape(("heads",), [(7,)], head_size=2, layers=1)
    with pytest.raises(ValueError, match="does not fit the layout 'i o -> o i'"):
        stored_shape(("transposed",), [(7,)], head_size=1, layers=1)
    with pytest.raises(ValueError, match="cannot be concatenated"):
        stored_shape((), [(7, 1), (8, 1)], head_size=1, layers=1)


def test_the_registry_is_closed():
    with pytest.raises(
        ValueError, match=r"w: unknown layouts \['reshaped'\]; known are transposed, heads_out"
    ):
        Weight("w", (1,), True, ("pooler.bias",), ("reshaped",))


@pytest.mark.parametrize(("part", "layout"), [("layers.0.x", ("stacked",)), ("layers.*.x", ())])
def test_stacked_goes_with_a_star(part, layout):
    with pytest.raises(ValueError, match="stacked if, and only if, its parts have a"):
        Weight("w", (1,), True, (part,), layout)
