"""Numbers in questions that were sizes, by their values."""

from fractions import Fraction

import pytest

from paramproof.derivation import trace_runner as module
from paramproof.derivation.fitting import fit_length
from paramproof.derivation.trace_runner import SpecializedConstants
from paramproof.formulas.condition import Condition, Relation
from paramproof.formulas.expression import expression, letter

A, F, H = map(letter, "AFH")
HERE, THERE = ("attention.py", 89), ("attention.py", 90)
KNOWN = ((12, 13), (35, 38), (17, 22))
SIZES = ({"A": 3, "F": 20, "H": 12}, {"A": 5, "F": 31, "H": 35}, {"A": 4, "F": 18, "H": 17})


def divides(number, holds=True, left=A):
    return Condition(Relation.DIVIDES, left, expression(number), holds)


def learned(*asked):
    """Return the first guards in symbols, after learning from these at the sizes above."""
    lost = SpecializedConstants()
    for sizes, questions in zip(SIZES, asked, strict=False):
        lost.learn(sizes, questions)
    return [(str(condition), place) for condition, place in lost.in_letters(asked[0])]


def test_a_number_is_the_size_that_it_is_everywhere():
    asked = [{divides(12): {HERE}}, {divides(35): {HERE}}]
    assert learned(*asked) == [("A divides H", HERE)]


def test_what_a_refused_model_asked_tells_too():
    assert learned({divides(12): {HERE}}, {divides(35, False): {HERE}}) == [("A divides H", HERE)]


def test_the_number_may_stand_on_the_left():
    asked = [{Condition(Relation.LESS, expression(n), A, False): {HERE}} for n in (24, 70)]
    assert learned(*asked) == [("2·H ≥ A", HERE)]


@pytest.mark.parametrize("numbers", [(12, 12), (12, 36)])
def test_numbers_that_no_size_is(numbers):
    assert learned(*({divides(n): {HERE}} for n in numbers)) == [("A divides 12", HERE)]


def test_a_third_model_corrects_what_two_had_in_common():
    asked = [{divides(number): {HERE}} for number in (24, 70, 18)]
    assert learned(*asked[:2]) == [("A divides 2·H", HERE)]
    assert learned(*asked) == [("A divides 24", HERE)]


def test_what_is_known_is_not_sought_again(monkeypatch):
    """A meaning that still fits is the first one still, and what had none gets none."""
    sought = []

    def seeking(numbers, *rest):
        sought.append(list(numbers))
        return fit_length(numbers, *rest)

    monkeypatch.setattr(module, "fit_length", seeking)
    asked = [{divides(one): {HERE}, divides(other): {THERE}} for one, other in KNOWN]
    assert sorted(learned(*asked)) == [("A divides 13", THERE), ("A divides H", HERE)]
    assert sought == [[12, 35], [13, 38]]


def test_each_place_asks_for_itself():
    """The same number at first, of another size each: 12 and 12, then 35 and 12."""
    asked = [{divides(12): {HERE, THERE}}, {divides(35): {HERE}, divides(12): {THERE}}]
    assert sorted(learned(*asked)) == [("A divides 12", THERE), ("A divides H", HERE)]


def test_the_numbers_of_one_place_are_told_apart_by_their_order():
    asked = [{divides(12): {HERE}, divides(20): {HERE}}, {divides(35): {HERE}}]
    assert learned(*asked) == [("A divides H", HERE), ("A divides 20", HERE)]
    asked[1][divides(31)] = {HERE}
    assert learned(*asked) == [("A divides H", HERE), ("A divides F", HERE)]


def test_what_is_no_whole_number_is_no_lost_size():
    half = Condition(Relation.LESS, H, expression(Fraction(5, 2)), False)
    asked = [{half: {HERE}, divides(12): {HERE}}, {half: {HERE}, divides(35): {HERE}}]
    assert learned(*asked) == [("H ≥ 5/2", HERE), ("A divides H", HERE)]
