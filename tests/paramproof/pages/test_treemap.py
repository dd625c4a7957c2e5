"""Cells: their areas are as the counts, they fill their box, and none lies on another."""

import re
from itertools import combinations
from random import Random
from urllib.parse import unquote

import pytest

from paramproof.derive.models import resolve
from paramproof.pages.picture import COLOURS, SHEET, cells, picture, pictures
from paramproof.pages.treemap import Box, squarified
from paramproof.pages.viewing import View

SIZES = {
    "as in the paper": [6, 6, 4, 3, 2, 2, 1],
    "one": [7],
    "equal": [1] * 10,
    "far apart": [10**30, 10**15, 1],
    "random": sorted((Random(0).randrange(1, 10**9) for _ in range(40)), reverse=True),
}

CLOSE = 1e-9
"""Of places on a sheet, which are floats."""


def require_filled(boxes, sizes, whole):
    """Fail where areas are not as the sizes, or where a box lies on another or outside."""
    areas = [box.width * box.height for box in boxes]
    area = whole.width * whole.height
    assert areas == pytest.approx([area * size / sum(sizes) for size in sizes], rel=CLOSE)
    slack = CLOSE * (whole.width + whole.height)
    for box in boxes:
        assert min(box.x - whole.x, box.y - whole.y) >= -slack
        assert box.x + box.width <= whole.x + whole.width + slack
        assert box.y + box.height <= whole.y + whole.height + slack
    for one, two in combinations(boxes, 2):
        wide = min(one.x + one.width, two.x + two.width) - max(one.x, two.x)
        high = min(one.y + one.height, two.y + two.height) - max(one.y, two.y)
        assert min(wide, high) <= slack, (one, two)


@pytest.mark.parametrize("whole", [Box(0, 0, 1000, 480), Box(5, 7, 6, 40)], ids=["wide", "high"])
@pytest.mark.parametrize("name", SIZES)
def test_areas_are_as_the_sizes(name, whole):
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


@pytest.mark.parametrize("name", ["bert-base", "transformer-base", "deepseek-v3", "t5-small"])
def test_the_cells_of_a_model_add_up_to_it(name):
    whole = View(resolve(name)).components()
    for opened in whole.below():
        found = [*cells(opened, SHEET, 4, ())]
        totals = [cell.component.total for cell in found]
        assert sum(totals) == opened.total
        require_filled([cell.box for cell in found], totals, SHEET)
    assert whole.total == resolve(name).inventory().total()


def test_a_component_opens_and_leads_back():
    whole = View(resolve("bert-base")).components()
    drawn = picture(whole, "layers")
    assert '<a href="#at=" data-at="">total</a> › ' in drawn
    assert 'data-at="layers">layers</a></p>' in drawn
    # The layers are of one kind, and so their parts are shown, each with what it opens.
    links = re.findall('<a href="#at=([^"]+)" data-at="[^"]+" aria-label="([^:]+): ', drawn)
    assert [name for _, name in links] == ["feed_forward", "attention"]
    (layer,) = whole.way("layers")[-1].inside
    assert {unquote(path) for path, _ in links} <= {one.path for one in layer.inside}
    # What is of one size has one colour.
    counts = {cell.component.total for cell in cells(layer, SHEET, 4, ())}
    used = set(re.findall('class="c([0-9])"', drawn))
    assert 2 <= len(used) <= min(COLOURS, len(counts))


def test_where_nothing_is_counted_nothing_is_drawn():
    nothing = View(resolve("llama-3-8b"), "biases-only").components()
    assert nothing.total == 0
    assert "<rect" not in picture(nothing)
    assert pictures(nothing).count("<svg") == 1
