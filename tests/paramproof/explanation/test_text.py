"""How an answer is printed: its width, its limits, and its warnings."""

from functools import cache

import pytest

from paramproof.counting.explained import explained
from paramproof.explanation.number import read
from paramproof.explanation.rendering import as_json
from paramproof.explanation.text import lines

LONG = ["2362368", "109483778", "28339968", "133577846", "117M", "438MB", "131072", "123456789"]


@cache
def answer(number):
    return explained(read(number))


def lines_of(number, **how):
    return list(lines(answer(number), **how))


@pytest.mark.parametrize("number", LONG)
def test_eighty_columns(number):
    assert max(map(len, lines_of(number))) <= 80


def test_other_columns():
    wide = lines_of("28339968", width=1000)
    assert max(map(len, wide)) > 100
    assert max(map(len, lines_of("28339968", width=60))) <= 60
    # Nothing is lost, and only spaces are added.
    words = " ".join(wide).split()
    assert " ".join(lines_of("28339968", width=60)).split() == words


def test_continuation_lines_are_indented():
    _, _, first, second, *_ = lines_of("28339968")
    assert first.startswith("  layers.*.attention in one layer,")
    assert second.startswith("    ")


def test_all_models_can_be_shown():
    few, all_of_them = lines_of("2362368"), lines_of("2362368", everything=True)
    assert any(line.endswith("and 4 more") for line in few)
    assert "keras-bert-question" not in " ".join(few)
    assert any(line.endswith("keras-bert-question") for line in all_of_them)
    assert not [line for line in all_of_them if "more" in line]


def test_all_explanations_can_be_shown():
    few, all_of_them = lines_of("24576"), lines_of("24576", everything=True)
    assert any(line.startswith("  and ") for line in few)
    assert sum(line.startswith("    of ") for line in few) == 6
    assert sum(line.startswith("    of ") for line in all_of_them) > 6
    assert not [line for line in all_of_them if "more" in line]


def test_a_power_of_two_may_be_chance():
    warning = "131,072 is 2¹⁷: sizes are often powers of two, and so are their products,"
    assert any(line.startswith(warning) for line in lines_of("131072"))
    assert as_json(answer("131072"))["power_of_two"] == 17


@pytest.mark.parametrize("number", ["2362368", "131073", "110M"])
def test_other_numbers_are_not_powers_of_two(number):
    assert not [line for line in lines_of(number) if "powers of two" in line]
    assert as_json(answer(number))["power_of_two"] is None


def test_no_warning_for_an_unexplained_power_of_two():
    assert not [line for line in lines_of(str(2**60)) if "powers of two" in line]
