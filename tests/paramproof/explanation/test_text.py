"""How an answer is printed: its width, its limits, its legend, and its warnings."""

import re
from functools import cache

import pytest

from paramproof.explanation.number import read
from paramproof.explanation.search import explained
from paramproof.explanation.text import lines

SEVERAL = ["2362368", "109483778", "28339968", "117M", "438MB", "131072", "7B", "37B", "123456789"]


@cache
def answer(number):
    return explained(read(number))


def lines_of(number, **how):
    return list(lines(answer(number), **how))


@pytest.mark.parametrize("number", SEVERAL)
@pytest.mark.parametrize("width", [80, 120])
def test_width(number, width):
    """Nothing is lost, and only line breaks and spaces are added; a long name is not broken."""
    assert all(len(one) <= width or " " not in one.strip() for one in lines_of(number, width=width))
    wide = " ".join(lines_of(number, width=10_000)).split()
    assert " ".join(lines_of(number, width=width)).split() == wide


def test_continuation_lines_are_indented():
    first, second, *_ = lines_of("2362368")
    assert first.startswith("2,362,368 is published")
    assert second.startswith("  Exchange")


@pytest.mark.parametrize("number", ["2362368", "7B", "110M"])
def test_everything_can_be_shown(number):
    few, all_of_it = lines_of(number), lines_of(number, everything=True)
    assert not [line for line in all_of_it if re.search(r"and \d+ more", line)]
    names = {name for one in answer(number).found for name in one.models}
    assert all(name in "\n".join(all_of_it) for name in names)
    assert len(all_of_it) >= len(few)


@pytest.mark.parametrize("number", ["2362368", "37B", "6815744", "335043584", "109483778"])
def test_every_letter_is_explained(number):
    """With its field and its size: no formula has a letter that the next line does not name."""
    text = lines_of(number, width=10_000)
    formulas = [line for line in text if line.lstrip().startswith(("= ", "claimed"))]
    legends = [line for line in text if line.lstrip().startswith("where ")]
    assert len(formulas) == len(legends) > 0
    for formula, legend in zip(formulas, legends, strict=True):
        letters = set(re.findall(r"[^\W\d⁰¹²³⁴⁵⁶⁷⁸⁹][^\W⁰¹²³⁴⁵⁶⁷⁸⁹]*", formula)) - {
            "claimed",
            "formula",
        }
        assert letters == set(re.findall(r"(\w+) = [\w.]+ = [\d,]+", legend))


def test_equal_formulas_are_one_row():
    for number in ("2362368", "28348416", "590592"):
        rows = [(one.formula_at_sizes, one.way.kind) for one in answer(number).found]
        assert len(rows) == len(set(rows))


def test_a_power_of_two_may_be_chance():
    warning = "131,072 is 2¹⁷: sizes are often powers of two, and so are their products,"
    assert any(line.startswith(warning) for line in lines_of("131072"))
    for number in ("2362368", "110M", str(2**60)):
        assert not [line for line in lines_of(number) if "powers of two" in line]


def test_conventions_are_explained():
    assert "total: All tensors, including frozen ones" in "\n".join(lines_of("10152448"))
