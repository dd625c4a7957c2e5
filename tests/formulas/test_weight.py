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


@pytest.mark.parametrize(
    ("layout", "parts", "shape"),
    [
        ((), [(3, 4)], (3, 4)),
        # Concatenated along the last axis, with unequal parts for grouped queries.
        ((), [(8, 8), (8, 2), (8, 2)], (8, 12)),
        (("transposed",), [(8, 8), (8, 2), (8, 2)], (12, 8)),
        (("heads_out",), [(8, 8), (8, 2), (8, 2)], (8, 6, 2)),
        ((), [(8,), (2,), (2,)], (12,)),
        (("stacked", "heads_in"), [(6, 4)], (5, 3, 2, 4)),
        (("stacked",), [(6,), (6,)], (5, 12)),
    ],
)
def test_concatenated_and_stacked(layout, parts, shape):
    assert stored_shape(layout, parts, head_size=2, layers=5) == shape


@pytest.mark.parametrize(
    ("layout", "parts", "message"),
    [
        (("heads",), [(7,)], "7 does not split"),
        (("transposed",), [(7,)], "does not fit the layout 'i o -> o i'"),
        ((), [(7, 1), (8, 1)], "cannot be concatenated"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(layout, parts, message):
    with pytest.raises(ValueError, match=message):
        stored_shape(layout, parts, head_size=2, layers=1)


@pytest.mark.parametrize(
    ("part", "layout", "message"),
    [
        ("a", "reshaped", r"w: unknown layouts \['reshaped'\]; known are transposed, heads_out"),
        ("layers.0.x", "stacked", "stacked if, and only if, its parts have a"),
        ("layers.*.x", "transposed", "stacked if, and only if, its parts have a"),
    ],
)
def test_impossible_weights_are_refused(part, layout, message):
    with pytest.raises(ValueError, match=message):
        Weight("w", (1,), True, (part,), (layout,))
