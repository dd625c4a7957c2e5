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
    lost = SpecializedConstants()
    for sizes, questions in zip(SIZES, asked, strict=False):
        lost.learn(sizes, questions)
    return [(str(condition), place) for condition, place in lost.in_letters(asked[0])]


def at(place, *guards):
    return {one: {place} for one in guards}


def more(number):
    return Condition(Relation.LESS, expression(number), A, False)


HALF = Condition(Relation.LESS, H, expression(Fraction(5, 2)), False)
TWO_H = [at(HERE, divides(number)) for number in (24, 70)]


@pytest.mark.parametrize(
    ("asked", "stated"),
    [
        # A number is the size that it is everywhere, also in what a refused model asked.
        ([at(HERE, divides(12)), at(HERE, divides(35))], ["A divides H"]),
        ([at(HERE, divides(12)), at(HERE, divides(35, False))], ["A divides H"]),
        ([at(HERE, more(24)), at(HERE, more(70))], ["2·H ≥ A"]),
        ([at(HERE, divides(12)), at(HERE, divides(12))], ["A divides 12"]),
        ([at(HERE, divides(12)), at(HERE, divides(36))], ["A divides 12"]),
        # A third model corrects what two had in common.
        (TWO_H, ["A divides 2·H"]),
        ([*TWO_H, at(HERE, divides(18))], ["A divides 24"]),
        # Numbers of one place are told apart by their order.
        (
            [at(HERE, divides(12), divides(20)), at(HERE, divides(35))],
            ["A divides H", "A divides 20"],
        ),
        (
            [at(HERE, divides(12), divides(20)), at(HERE, divides(35), divides(31))],
            ["A divides H", "A divides F"],
        ),
        # What is no whole number is no lost size.
        ([at(HERE, HALF, divides(12)), at(HERE, HALF, divides(35))], ["H ≥ 5/2", "A divides H"]),
    ],
)
def test_what_a_number_is(asked, stated):
    assert learned(*asked) == [(condition, HERE) for condition in stated]


def test_each_place_asks_for_itself():
    """The same number at first, of another size each: 12 and 12, then 35 and 12."""
    asked = [{divides(12): {HERE, THERE}}, {divides(35): {HERE}, divides(12): {THERE}}]
    assert sorted(learned(*asked)) == [("A divides 12", THERE), ("A divides H", HERE)]


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
