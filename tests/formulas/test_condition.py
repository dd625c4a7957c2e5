"""Conditions on sizes: where they hold, what they imply, and when signs decide them.

test_random_expressions.py compares random conditions with plain ints.
"""

import pytest

from paramproof.formulas.condition import (
    RELATION,
    RELATIONS,
    Condition,
    Relation,
    at_least_one,
    condition_in,
)
from paramproof.formulas.expression import computed, expression, floor, letter
from paramproof.formulas.notation import expression_in

A, H, L = map(letter, "AHL")


@pytest.mark.parametrize(
    ("relation", "met", "not_met"),
    [
        (Relation.EQUAL, [(4, 4)], [(3, 4), (4, 3)]),
        (Relation.LESS, [(3, 4)], [(4, 4), (5, 4)]),
        (Relation.MORE, [(5, 4)], [(4, 4), (3, 4)]),
        (Relation.DIVIDES, [(4, 4), (2, 4), (1, 3)], [(3, 4), (8, 4), (0, 4)]),
    ],
)
def test_where_a_condition_holds(relation, met, not_met):
    for holds, pairs in ((True, met), (False, not_met)):
        condition, negated = (Condition(relation, A, H, one) for one in (holds, not holds))
        for left, right in pairs:
            assert condition.is_met({"A": left, "H": right})
            assert not negated.is_met({"A": left, "H": right})
        undefined = Condition(relation, H / A, L, holds)
        assert not undefined.is_met({"A": 0, "H": 1, "L": 1})


@pytest.mark.parametrize(
    ("relation", "holds", "written"),
    [
        (Relation.EQUAL, True, "L − D = 1"),
        (Relation.DIVIDES, False, "L − D does not divide 1"),
        (Relation.LESS, True, "L < D + 1"),
        (Relation.LESS, False, "L > D"),
        (Relation.MORE, True, "L > D + 1"),
        (Relation.MORE, False, "L ≤ D + 1"),
    ],
)
def test_a_condition_in_words(relation, holds, written):
    """A term that one side of an inequality subtracts is printed on the other side."""
    assert str(Condition(relation, L - letter("D"), expression(1), holds)) == written


def test_a_float_of_at_least_one_is_not_one_above_zero():
    share = computed("times", H, 0.001)
    condition = Condition(Relation.LESS, share, expression(1), False)
    assert str(condition) == str(condition.normalized()) == "(H × 0.001) ≥ 1"
    assert not condition.normalized().is_met({"H": 500})


def test_a_condition_with_other_letters():
    condition = Condition(Relation.LESS, A, H * L, False)
    assert condition.letters == {"A", "H", "L"}
    other = condition.substitute({"A": 2 * L, "H": 3})
    assert other == Condition(Relation.LESS, 2 * L, 3 * L, False)


def stated(text):
    """Return the condition as it stands, with no term moved to the other side."""
    left, sign, right = RELATION.split(text)
    relation, holds = RELATIONS[sign]
    return Condition(relation, expression_in(left), expression_in(right), holds)


SETTLED = """H ≠ 0 | H·A + L ≠ −H | ⌊H/A⌋ + 1 ≠ 0 | H ≥ 1 | H ≥ H + 1 | −H ≥ 0 | H/A ≥ 0
H/A² + H/A ≥ 0 | ⌊(H − 1)/A⌋ ≥ 0 | ⌊(H·A − 1)/L⌋ ≥ 0 | ⌊(⌊H/A⌋ + L)/A⌋ ≥ 0 | ⌊H/(⌊L/A⌋ + 1)⌋ ≥ 0
H·A ≤ 0 | −H ≤ 0 | 1 − H/A² ≤ 1 | 1 does not divide H | 2 does not divide 4
1 does not divide ⌊(⌊(H − 5)/2⌋ − 2)/L⌋ | 1 does not divide ⌊L/(⌊A/H⌋ + 1)⌋"""
OPEN = """H ≠ A | H ≠ 1 | H ≠ 2 | ⌊H/A⌋ ≠ 0 | H/⌊L/A⌋ ≠ 1 + H/⌊L/A⌋ | H − A ≥ 0 | ⌊(H − 2·A)/L⌋ ≥ 0
⌊(H − 2)/L⌋ ≥ 0 | ⌊H/(A − 1)⌋ ≥ 0 | ⌊(⌊H/A⌋ − 1)/L⌋ ≥ 0 | ⌊(⌊(H − 5)/2⌋ + L)/A⌋ ≥ 0
⌊H/⌊L/A⌋⌋ ≥ 0 | H/⌊L/A⌋ ≥ 0 | abs(H) ≥ 0 | 0 ≤ abs(H) | H ≤ 1 | ⌊H/A⌋ ≤ 0 | A does not divide H
2 does not divide H | 1 does not divide A/H | 1 does not divide ⌊1/(⌊(A − L)/H⌋ + 2)⌋
1 does not divide ⌊(⌊1/⌊L/2⌋⌋ − 7)/3⌋ | 1 does not divide ⌊floor(H ÷ A)/L⌋
⌊floor(H ÷ A)/L⌋ ≥ 0 | ⌊L/floor(H ÷ A)⌋ ≥ 0"""


@pytest.mark.parametrize(("texts", "settled"), [(SETTLED, True), (OPEN, False)])
def test_conditions_that_signs_settle(texts, settled):
    for text in texts.replace("\n", " | ").split(" | "):
        assert stated(text).is_settled is settled, text


ONE_VALUE = "m divides 1: m = 1 | L = 54: L = 54 | 54 = L: L = 54 | 2·L = L + 3: L = 3"
SEVERAL = """2·L = 5 | L² = 4 | ⌊L/2⌋ = 1 | L = A | L ≠ 54 | L > 54 | m divides 2 | 2·m divides 1
m does not divide 1"""


def test_a_condition_that_allows_one_value_states_it():
    for text in ONE_VALUE.split(" | "):
        condition, only = text.split(": ")
        name, value = condition_in(condition).only
        assert f"{name} = {value}" == only
    assert not any(condition_in(text).only for text in SEVERAL.replace("\n", " | ").split(" | "))


@pytest.mark.parametrize(
    ("one", "other", "implied"),
    [
        ("L > A", "L ≥ A", True),
        ("L > A", "A ≤ L", True),
        ("A ≤ L", "L > A", False),
        # A divisor is not larger than its multiple, unless that may be 0: 3 divides 0.
        ("A divides H", "H ≥ A", True),
        ("A divides H", "A ≤ H", True),
        ("A divides H", "A < H", False),
        ("A does not divide H", "H ≥ A", False),
        ("A divides H − L", "H ≥ A + L", False),
        ("1 divides 0", "0 ≥ 1", False),
        # Divisibility carries over to multiples.
        ("A divides H", "A divides H", True),
        ("A divides H", "A divides 2·H", True),
        ("A divides H", "L divides H", False),
        ("A divides H", "A divides L", False),
        ("A divides H", "H divides A", False),
        # Fractions are not rounded to bounds: H/2 > 2 holds at 5, but H/2 ≥ 3 does not.
        ("H/2 > 2", "H/2 ≥ 3", False),
        # A value that violates a condition of the same size alone.
        ("H ≥ 2", "H ≠ 1", True),
        ("H ≥ 2", "H ≠ 2", False),
        ("H ≥ A", "H ≠ 1", False),
    ],
)
def test_conditions_that_imply_others(one, other, implied):
    assert condition_in(one).implies(condition_in(other)) is implied


@pytest.mark.parametrize(
    ("one", "conditions"),
    [
        (A * H, []),
        (3 * floor(H, A), ["H ≥ A"]),
        (A * floor(H, A) + 2 * L * floor(H, A), ["H ≥ A"]),
        (floor(H, A) ** 2 * floor(L, 4), ["H ≥ A", "L ≥ 4"]),
        (floor(H, A) ** 2 + floor(H, A), ["H ≥ A"]),
        (floor(H, A) + floor(L, 4), ["⌊H/A⌋ + ⌊L/4⌋ > 0"]),
        ((H - L) * floor(H, A), ["H·⌊H/A⌋ > L·⌊H/A⌋"]),
        (-floor(H, A), ["0 > ⌊H/A⌋"]),
        (expression(0), ["0 > 0"]),
    ],
)
def test_text_of_the_conditions_for_positivity(one, conditions):
    assert sorted(map(str, at_least_one(one))) == sorted(conditions)
