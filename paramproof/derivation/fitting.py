"""Fit expressions to lengths and counts, from their values in models at several sizes.

Candidates are tried in order of simplicity, and the first one that has the right value in every
model is taken. A formula with a fitted part is not called proved.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, combinations_with_replacement, permutations, product
from math import inf
from typing import Any

from paramproof.derivation.runner import Sizes
from paramproof.formulas.expression import Expression, ceiling, expression, floor, letter

DIVIDED_BY = (2, 3, 4, 8, 16, 32, 64, 128, 256)
"""The numbers by which a length may divide a size, and round the quotient down or up."""

MAX_FACTOR = 4
"""The largest factor of a term in a sum of two."""

MAX_COUNT = 256
"""The largest constant count."""

MAX_RATIO, MAX_MORE = 9, 8
"""The largest multiple of a size in a count, and the largest number added to it."""

MAX_STEP = 12
"""The largest n for every n-th layer, if n is a constant."""


def fit_length(lengths: Sequence[int], points: Sequence[Sizes]) -> Expression | None:
    """Return an expression in sizes with the values ``lengths`` at ``points``, None if none fits.

    Candidates are constants, sizes, multiples of one, one plus a constant, and products and sums of
    two; then also with quotients of two sizes, then with products of two and quotients by a number;
    then sums of multiples.
    """
    return _first_fitting(_lengths(lengths[0], points), lengths, points)


def fit_count(
    counts: Sequence[int], points: Sequence[Sizes], loops: Sequence[Expression]
) -> Expression | None:
    """Return an expression with the values ``counts`` at ``points``, None if no simple one fits.

    Candidates of ``loops``, the lengths of the loops that ran, and of the sizes in them come first.
    """
    return _first_fitting(_counts(counts[0], points[0], loops), counts, points)


def _first_fitting(
    candidates: Iterable[Expression], values: Sequence[int], points: Sequence[Sizes]
) -> Expression | None:
    """Return the first candidate with these values at ``points``, None if there is none."""
    for one in candidates:
        if all(one.value(point) == value for point, value in zip(points, values, strict=True)):
            return one
    return None


def _lengths(first: int, points: Sequence[Sizes]) -> Iterator[Expression]:
    yield expression(first)
    letters = [letter(name) for name in sorted(points[0])]
    found = (floor(*pair) for pair in permutations(letters, 2))
    # One that is 0 at some point would fit too easily.
    quotients = [one for one in found if all(one.value(point) for point in points)]
    products = [one * other for one, other in combinations_with_replacement(letters, 2)]
    parts = [divide(one, n) for one in letters for n in DIVIDED_BY for divide in (floor, ceiling)]
    for more in ([], quotients, [*products, *parts]):
        simple = [*letters, *more]
        simple.sort(key=lambda one: (len(one.terms), len(one.letters), str(one)))
        values = {one: one.value(points[0]) for one in simple}
        yield from _of_one(first, values)
        yield from _of_two(first, values)
    # As the heads of queries, keys and values in one tensor: A·⌊H/A⌋ + 2·G·⌊H/A⌋.
    heads = [one * quotient for quotient in quotients for one in letters]
    made = [*letters, *products, *quotients, *heads]
    yield from _of_two(first, {one: one.value(points[0]) for one in made}, MAX_FACTOR)


def _counts(first: int, own: Sizes, loops: Sequence[Expression]) -> Iterator[Expression]:
    near = sorted({name for loop in loops for name in loop.letters})
    names = [letter(name) for name in dict.fromkeys([*near, *sorted(own)])]
    values = {one: one.value(own) for one in (*loops, *names)}
    if 1 <= first <= MAX_COUNT:
        yield expression(first)
    yield from _of_one(first, values, MAX_RATIO, MAX_MORE)
    yield from _computed([*values], names)


def _of_one(
    first: int, values: dict[Expression, Any], max_ratio: float = inf, max_more: float = inf
) -> Iterator[Expression]:
    """Yield expressions and multiples of them that are ``first``, then sums with a constant."""
    for one, value in values.items():
        if value == first:
            yield one
        elif value and first % value == 0 and 1 < first / value <= max_ratio:
            yield first // value * one
    for one, value in values.items():
        if abs(first - value) <= max_more:
            yield one + (first - value)


def _of_two(first: int, values: dict[Expression, Any], max_factor: int = 1) -> Iterator[Expression]:
    """Yield products of two expressions, and sums of small multiples of two."""
    with_value = defaultdict(list)
    for one, value in values.items():
        with_value[value].append(one)
    factors = [*product(range(1, max_factor + 1), repeat=2)]
    for one, value in values.items():
        if value and first % value == 0:
            yield from (one * other for other in with_value.get(first // value, ()))
        for factor, other_factor in factors:
            rest, more = divmod(first - factor * value, other_factor)
            for other in with_value.get(rest, ()) if not more else ():
                yield factor * one + other_factor * other


def _computed(lengths: Iterable[Expression], names: Iterable[Expression]) -> Iterator[Expression]:
    """Yield what is computed of lengths of loops and of sizes, which are the ``names``."""
    for a, b in permutations(lengths, 2):
        yield from (a - b, a * b, a - b + 1, a - b - 1)
    steps: list[tuple[Expression, Any, Iterable[Any]]] = [
        *((a, step, range(step)) for a in lengths for step in range(2, MAX_STEP + 1)),
        *((a, b, (0, -1, b - 1)) for a, b in permutations(names, 2)),
    ]
    for a, step, offsets in steps:
        for part in (floor(a + offset, step) for offset in offsets):
            yield from (part, a - part)
    for a, b in combinations(lengths, 2):
        for c in lengths:
            yield from (a * b * c, (a - b) * c, (b - a) * c, a + b - c, a * b - c, a * b + c)
