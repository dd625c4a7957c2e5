"""The tree of a model: nested lists, which fold without a script."""

from xml.etree import ElementTree

import pytest

from paramproof.pages.model import HEADS, tree
from paramproof.pages.viewing import View
from paramproof.resolver import resolve

AT_A_GLANCE = 30
"""The number of lines."""


def elements(view):
    written = tree(view).replace("<wbr>", "").replace("<details open", '<details open=""')
    return ElementTree.fromstring(f"<div>{written}</div>")


def is_line(element):
    return (element.get("class") or "").startswith("line ")


def texts(line):
    return ["".join(cell.itertext()) for cell in line]


def lines_of(view):
    """Return the cells of each line, without the heading and the total."""
    found = [one for one in elements(view).iter("span") if is_line(one)]
    return [texts(line) for line in found][:-1]


def visible_lines(element, depth=0):
    """Yield the lines that are visible before anything is folded or unfolded."""
    for item in element:
        if item.tag == "div" or is_line(item):
            yield item
        elif element.tag == "details" and "open" not in element.attrib and item.tag != "summary":
            continue
        else:
            yield from visible_lines(item)


@pytest.mark.parametrize("name", ["bert-base", "transformer-base", "deepseek-v3", "t5-small"])
def test_each_component_and_tensor_is_a_line(name):
    view = View(resolve(name))
    expected = []
    for row in view.rows:
        each, times, total = map(view.at, (row.each, row.times, row.total))
        share = f" {100 * total / view.number:.2f} %"
        expected += [[f"each {each:,}", f"× {times:,}", f"total {total:,}", share]] * bool(total)
    assert tuple(texts(elements(view)[0])) == HEADS
    assert [line[3:] for line in lines_of(view)] == expected


@pytest.mark.parametrize("name", ["bert-base", "deepseek-v3", "clip-vit-l-14", "jamba", "lfm2"])
def test_the_initially_unfolded_lines_stay_readable(name):
    view = View(resolve(name))
    lines = [*visible_lines(elements(view))]
    first = len(view.components.inside)
    # With the heading and the total.
    assert first + 2 < len(lines) <= max(first, AT_A_GLANCE) + 2
    assert len(lines) < len(lines_of(view))


def test_components_fold_without_a_script():
    view = View(resolve("bert-base"))
    folding = list(elements(view).iter("details"))
    assert all([part.tag for part in one] == ["summary", "ul"] for one in folding)
    paths = [one.get("data-path") for one in folding]
    assert len(paths) == len(set(paths))
    assert set(paths) == {one.path for one in view.components.below() if one.inside} - {""}
