"""Expressions and conditions parse back from their printed text."""

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from paramproof.formulas.condition import Condition, Relation, condition_in
from paramproof.formulas.expression import (
    Computed,
    ceiling,
    computed,
    expression,
    floor,
    letter,
    text,
)
from paramproof.formulas.notation import DEEPEST, LONGEST, expression_in

NAMES = ("A", "H", "L", "dr", "H_text", "C_0", "nl2")
LETTERS = st.sampled_from(NAMES).map(letter)
NUMBERS = st.integers(-9, 9)
A, D, H, K, L, V = map(letter, "ADHKLV")


def rounded(parts):
    divisors = st.one_of(st.integers(1, 9).map(expression), parts.filter(bool))
    made = st.tuples(st.sampled_from([floor, ceiling]), parts, divisors)
    return made.map(lambda one: one[0](one[1], one[2]))


def larger(parts):
    two = st.tuples(parts, parts)
    return st.one_of(
        two.map(lambda pair: pair[0] + pair[1]),
        two.map(lambda pair: pair[0] * pair[1]),
        parts.map(lambda one: one**2),
        rounded(parts),
    )


WHOLE = st.recursive(st.one_of(LETTERS, NUMBERS.map(expression)), larger, max_leaves=8)
"""Nested sums, products and rounded quotients."""


# ⌈−A/(2·A)⌉ would be 0.
@example(one=floor(A - 1, 2 * A), divisor=1, by=A)
@given(one=WHOLE, divisor=st.integers(1, 12), by=LETTERS)
def test_printed_expressions_parse_back(one, divisor, by):
    for printed in (one, one / divisor, one / by, one / (by * divisor * letter("A"))):
        assert expression_in(text(printed)) == printed


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("⌊H/A⌋·A", floor(H, A) * A),
        ("⌈V/64⌉·64", ceiling(V, 64) * 64),
        # All of the divisor stands without brackets in older files.
        ("⌊H/2·A⌋", floor(H, 2 * A)),
        ("⌈H·V/A·K·L⌉", ceiling(H * V, A * K * L)),
        ("(H ÷ 2·A)", computed("over", H, 2 * A)),
        ("⌈V/(H + A)⌉²·(L + 1)", ceiling(V, H + A) ** 2 * (L + 1)),
        ("⌊−H/A⌋", floor(-H, A)),
        ("−3·H/2", expression(-3) * H / 2),
        ("int(H × −0.7)·A", computed("int", Computed("times", (H, -0.7))) * A),
        ("A·gcd(H, 6)/6", A * computed("gcd", H, expression(6)) / 6),
        ("gcd(H, 2·(A + V))·gcd(H, A)", computed("gcd", H, 2 * (A + V)) * computed("gcd", H, A)),
        ("max0", letter("max0")),
        ("L·(H ÷ A)²", L * computed("over", H, A) ** 2),
        ("plus(L, 1e−05)", computed("plus", L, 1e-05)),
        ("int(−H ÷ A)", computed("int", Computed("over", (-H, A)))),
        ("V'", letter("V'")),
        ("größe²", letter("größe") ** 2),
    ],
)
def test_handwritten_expressions(written, meant):
    assert expression_in(written) == meant


REFUSED = """H + | H H | H*A | 2^3 | -H | H//A | (H | H) | ⌊H⌋ | ⌊H/A⌉ | H/0 | ⌊H/0⌋ | (H + 1)·A
−(H + 1)·A | (H + A)/2·L | L·(H + 1)·A | (L·(H + 1))² | (−(H + 1))² | ((H + A)/2)²
sum(H) | ⌊H/A/2⌋ | 9² | (H²)² | (H·A)²
(H + 1)² | H/(A + 1) | ² | H²²² | H ≤ A | __import__('os') | max(H) | (0.5) | H\x1b[2J
int() | gcd(H, ²)"""
LONG = ["", " ", "1" * 41, "(" * 5_000 + "H" + ")" * 5_000, "⌊" * 5_000, "H" * (LONGEST + 1)]


@pytest.mark.parametrize("written", [*REFUSED.replace("\n", " | ").split(" | "), *LONG])
def test_other_text_is_refused_in_one_line(written):
    with pytest.raises(ValueError, match=r"^.* is not an expression$") as caught:
        expression_in(written)
    assert str(caught.value).startswith(repr(written)[:50])
    assert len(str(caught.value)) < 120
    assert str(caught.value).isprintable()


def test_what_is_accepted_is_bounded():
    """Brackets side by side do not add to the depth."""
    assert expression_in("H" * LONGEST) == letter("H" * LONGEST)
    beside = " + ".join(["⌊H/A⌋"] * (DEEPEST + 1))
    deepest = "(" * DEEPEST + "H" + ")" * DEEPEST
    assert expression_in(f"{beside} + {deepest}") == (DEEPEST + 1) * floor(H, A) + H
    with pytest.raises(ValueError, match="is not an expression"):
        expression_in(f"{beside} + ({deepest})")


@given(
    relation=st.sampled_from(Relation),
    left=WHOLE,
    right=WHOLE,
    holds=st.booleans(),
    sizes=st.fixed_dictionaries({name: st.integers(1, 50) for name in NAMES}),
)
def test_printed_conditions_parse_back(relation, left, right, holds, sizes):
    condition = Condition(relation, left, right, holds)
    # Printing cancels common terms, and with them a divisor that is 0.
    assume(not condition.is_settled and _is_defined(condition, sizes))
    again = condition_in(str(condition))
    assert str(again) == str(condition)
    assert again.is_met(sizes) is condition.is_met(sizes)


def _is_defined(condition, sizes):
    try:
        return bool([side.value(sizes) for side in (condition.left, condition.right)])
    except ZeroDivisionError:
        return False


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("A divides H", Condition(Relation.DIVIDES, A, H, True)),
        ("2 does not divide K", Condition(Relation.DIVIDES, expression(2), K, False)),
        ("V ≤ 25000", Condition(Relation.MORE, V, expression(25_000), False)),
        ("L > D", Condition(Relation.MORE, L, D, True)),
        ("H = A·K", Condition(Relation.EQUAL, H, A * K, True)),
        ("H ≠ A·K", Condition(Relation.EQUAL, H, A * K, False)),
    ],
)
def test_handwritten_conditions(written, meant):
    assert condition_in(written) == meant


@pytest.mark.parametrize("written", ["", "H", "H < 3 < L", "H ≤ ", "H == 3", "A divides", "H≤3"])
def test_other_text_is_not_a_condition(written):
    with pytest.raises(ValueError, match=r"is not an? (condition|expression)"):
        condition_in(written)
