"""Boxes: their areas are proportional to sizes, they fill their parent, and do not overlap."""

from random import Random

import pytest

from paramproof.pages.picture import SHEET, Box, squarified
from tests.boxes import require_filled

SIZES = {
    "as in the paper": [6, 6, 4, 3, 2, 2, 1],
    "one": [7],
    "equal": [1] * 10,
    "far apart": [10**20, 10**18],
    "random": sorted((Random(0).randrange(1, 10**9) for _ in range(40)), reverse=True),
}


@pytest.mark.parametrize("whole", [Box(0, 0, 1000, 480), Box(5, 7, 6, 40)], ids=["wide", "high"])
@pytest.mark.parametrize("name", SIZES)
def test_areas_are_proportional_to_sizes(name, whole):
    boxes = [*squarified(SIZES[name], whole)]
    assert len(boxes) == len(SIZES[name])
    require_filled(boxes, SIZES[name], whole)


def test_the_example_of_the_paper():
    boxes = [*squarified(SIZES["as in the paper"], Box(0, 0, 6, 4))]
    # Two of 6 fill half of it, one below the other; then 4 and 3, and so on.
    assert boxes[:2] == [Box(0, 0, 3, 2), Box(0, 2, 3, 2)]
    assert (boxes[2].width, boxes[3].width) == pytest.approx((12 / 7, 9 / 7))
    assert boxes[2].height == boxes[3].height == pytest.approx(7 / 3)


def test_cells_are_nearly_square():
    boxes = [*squarified(SIZES["random"], SHEET)]
    ratios = sorted(max(box) / min(box) for box in ((one.width, one.height) for one in boxes))
    assert ratios[len(ratios) // 2] < 1.5
    assert ratios[-1] < 8


def test_invisible_cells_are_left_out():
    seen, *unseen = squarified([10**30, 10**15, 1], Box(5, 7, 6, 40))
    assert seen == pytest.approx((5, 7, 6, 40))
    assert unseen == [Box(5, 7, 0, 0)] * 2
    assert [*squarified([], SHEET)] == []
