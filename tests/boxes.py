"""Check that rectangles fill a sheet, with areas in proportion and without overlaps."""

from itertools import combinations

import pytest

CLOSE = 1e-9
"""Tolerance for positions on a sheet, which are floats."""


def require_filled(boxes, sizes, whole, total=None):
    """Fail if an area is not in proportion to its size, or if boxes overlap or exceed the sheet."""
    areas = [box.width * box.height for box in boxes]
    area = whole.width * whole.height
    assert areas == pytest.approx(
        [area * size / (total or sum(sizes)) for size in sizes], rel=CLOSE
    )
    slack = CLOSE * (whole.width + whole.height)
    for box in boxes:
        assert min(box.x - whole.x, box.y - whole.y) >= -slack
        assert box.x + box.width <= whole.x + whole.width + slack
        assert box.y + box.height <= whole.y + whole.height + slack
    for one, two in combinations(boxes, 2):
        wide = min(one.x + one.width, two.x + two.width) - max(one.x, two.x)
        high = min(one.y + one.height, two.y + two.height) - max(one.y, two.y)
        assert min(wide, high) <= slack, (one, two)
