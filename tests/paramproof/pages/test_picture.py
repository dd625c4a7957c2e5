"""The picture of a model: boxes fill it, cells add up to it, components open and lead back."""

import re
from itertools import combinations
from random import Random
from urllib.parse import unquote

import pytest

from paramproof.pages.picture import (
    COLOURS,
    LEAST,
    SHEET,
    Box,
    cells,
    picture,
    pictures,
    squarified,
)
from paramproof.pages.viewing import View
from paramproof.resolver import resolve
from tests.configs import BERT

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


NAMES = ["bert-base", "transformer-base", "deepseek-v3", "t5-small"]


@pytest.mark.parametrize("name", NAMES)
def test_the_cells_of_a_model_add_up_to_it(name):
    whole = View(resolve(name)).components
    assert whole.total == resolve(name).inventory().total()
    for opened in whole.below():
        found = [*cells(opened, SHEET, ())]
        assert sum(cell.component.total for cell in found) == opened.total
        boxes = [cell.box for cell in found]
        seen = [cell.component.total for cell in found if cell.box.width]
        unseen = [cell.component.total for cell in found if not cell.box.width]
        require_filled([box for box in boxes if box.width], seen, SHEET, opened.total)
        assert all(total * SHEET.width * SHEET.height < LEAST * opened.total for total in unseen)


def test_a_component_opens_and_leads_back():
    view = View(resolve("bert-base"))
    drawn = picture(view, "layers")
    assert '<a href="#at=" data-at="">total</a> › ' in drawn
    assert 'data-at="layers">layers</a>: 85,054,464, 77.69 %</p>' in drawn
    # The layers are all of one kind, so their parts are shown, each with a link.
    links = re.findall('<a href="#at=([^"]+)" data-at="[^"]+" aria-label="([^:]+): ', drawn)
    norms = ["attention_layer_norm", "feed_forward_layer_norm"]
    assert [name for _, name in links] == ["feed_forward", "attention", *norms]
    (layer,) = view.components.way("layers")[-1].inside
    assert {unquote(path) for path, _ in links} <= {one.path for one in layer.inside}


@pytest.mark.parametrize("name", NAMES)
def test_each_component_of_the_sum_has_a_colour(name):
    view = View(resolve(name))
    terms = {}
    for term in view.terms:
        kind = term.path.rpartition(".")[2]
        terms[kind] = terms.get(kind, 0) + view.at(term.times * term.each)
    tensors = [one for one in view.components.below() if not one.inside]
    counted = {kind: sum(one.total for one in tensors if one.kind == kind) for kind in terms}
    assert counted == terms
    assert [*view.colours] == sorted(terms, key=lambda kind: -terms[kind])
    used = set(re.findall('class="c([0-9]+)"', picture(view)))
    assert used
    assert used <= {str(place) for place in range(COLOURS)}


def test_colours_do_not_depend_on_sizes():
    view = View(resolve("bert-base"))
    vast = view.resized(resolve({**BERT, "vocab_size": 10**9}))
    assert vast.components.parts[0].name == "embeddings"
    assert vast.colours == view.colours


def test_each_picture_in_a_file_has_its_own_id():
    drawn = pictures(View(resolve("deepseek-v3")))
    places = re.findall('<div id="([^"]+)"', drawn)
    assert len(places) == len(set(places)) == drawn.count("<svg viewBox")
    assert len(places) > 20


def test_nothing_is_drawn_if_nothing_is_counted():
    nothing = View(resolve("llama-3-8b"), "biases-only")
    assert nothing.number == 0
    assert "<rect" not in picture(nothing)
    assert pictures(nothing).count("<svg") == 1


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


@pytest.mark.parametrize("name", ["deepseek-v3", "mixtral-8x7b"])
def test_experts_that_a_token_is_not_sent_to_are_pale(name):
    """Their share of the box is that of the experts, and all that is drawn is on the sheet."""
    view = View(resolve(name))
    drawn = picture(view, "")
    numbers = re.compile(r'<rect x="(\S+)" y="(\S+)" width="(\S+)" height="(\S+)" class="(\w+)"')
    rects = [(*map(float, one[:4]), one[4]) for one in numbers.findall(drawn)]
    for x, y, width, height, _ in rects:
        assert min(x, y) >= 0
        assert x + width <= SHEET.width + 0.02
        assert y + height <= SHEET.height + 0.02
    areas = [width * height for _, _, width, height, kind in rects if kind == "pale"]
    (experts,) = {one.experts for one in view.components.below() if one.experts}
    first = next(place for place, one in enumerate(rects) if one[4] == "pale")
    whole = rects[first - 1][2] * rects[first - 1][3]
    pale = 1 - experts.per_token / experts.every
    assert sum(areas) == pytest.approx(pale * whole, rel=1e-3)
