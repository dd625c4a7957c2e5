"""Fit expressions to lengths and counts, from their values in models at several sizes.

Candidates are tried in order of simplicity, and the first one that has the right value in every
model is taken. A formula with a fitted part is not called proved.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, combinations_with_replacement, permutations
from math import inf
from typing import Any, TypeAlias

from paramproof.formulas.expression import Expression, ceiling, expression, floor, letter

Points: TypeAlias = Sequence[Mapping[str, int]]
"""The sizes of models."""

Values: TypeAlias = Mapping[Expression, Any]
"""Expressions, simple ones first, with their values in the first model."""

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


def fit_length(
    lengths: Sequence[int], points: Points, made: Iterable[Expression]
) -> Expression | None:
    """Return an expression with the values ``lengths`` at ``points``, None if there is none.

    Candidates are constants, the expressions ``made`` of sizes, multiples of one, one plus a
    constant, and products and sums of two.
    """
    usable = sorted(made, key=lambda one: (len(one.terms), len(one.letters), str(one)))
    values, first = _values(usable, points), lengths[0]
    candidates = chain([expression(first)], _of_one(first, values), _of_two(first, values))
    return _first_fitting(candidates, lengths, points)


def fit_any_length(lengths: Sequence[int], points: Points) -> Expression | None:
    """Return an expression in sizes with the values ``lengths`` at ``points``.

    Candidates are the simple ones first; then with quotients of two sizes, with products of two,
    and with quotients by a number; then sums of multiples.
    """
    letters = [letter(name) for name in sorted(points[0])]
    found = (floor(*pair) for pair in permutations(letters, 2))
    # One that is 0 at some point would fit too easily.
    quotients = [one for one in found if all(one.value(point) for point in points)]
    products = [one * other for one, other in combinations_with_replacement(letters, 2)]
    parts = [divide(one, n) for one in letters for n in DIVIDED_BY for divide in (floor, ceiling)]
    for more in ((), quotients, (*products, *parts)):
        one = fit_length(lengths, points, [*letters, *more])
        if one is not None:
            return one
    # As the heads of queries, keys and values in one tensor: A·⌊H/A⌋ + 2·G·⌊H/A⌋.
    heads = [one * quotient for quotient in quotients for one in letters]
    values = _values([*letters, *products, *quotients, *heads], points)
    return _first_fitting(_sums(lengths[0], values), lengths, points)


def fit_count(
    counts: Sequence[int], points: Points, loops: Sequence[Expression]
) -> Expression | None:
    """Return an expression with the values ``counts`` at ``points``, None if no simple one fits.

    Candidates of ``loops``, the lengths of the loops that ran, and of the sizes in them come first.
    """
    near = sorted({name for loop in loops for name in loop.letters})
    names = [letter(name) for name in dict.fromkeys([*near, *sorted(points[0])])]
    values, first = _values([*loops, *names], points), counts[0]
    constants = [expression(first)] if 1 <= first <= MAX_COUNT else []
    simple = _of_one(first, values, MAX_RATIO, MAX_MORE)
    candidates = chain(constants, simple, _computed([*values], names))
    return _first_fitting(candidates, counts, points)


def _values(made: Iterable[Expression], points: Points) -> Values:
    return {one: one.value(points[0]) for one in made}


def _first_fitting(
    candidates: Iterable[Expression], values: Sequence[int], points: Points
) -> Expression | None:
    """Return the first candidate with these values at ``points``, None if there is none."""
    for one in candidates:
        if all(one.value(point) == value for point, value in zip(points, values, strict=True)):
            return one
    return None


def _of_one(
    first: int, values: Values, max_ratio: float = inf, max_more: float = inf
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


def _of_two(first: int, values: Values) -> Iterator[Expression]:
    for (one, left), (other, right) in combinations_with_replacement(values.items(), 2):
        if left * right == first:
            yield one * other
        if left + right == first:
            yield one + other


def _sums(first: int, values: Values) -> Iterator[Expression]:
    """Yield sums of small multiples of two expressions."""
    with_value = defaultdict(list)
    for one, value in values.items():
        with_value[value].append(one)
    for one, value in values.items():
        for factor in range(1, MAX_FACTOR + 1):
            for other_factor in range(1, MAX_FACTOR + 1):
                rest, more = divmod(first - factor * value, other_factor)
                for other in with_value.get(rest, ()) if not more else ():
                    yield factor * one + other_factor * other


def _computed(lengths: Iterable[Expression], names: Iterable[Expression]) -> Iterator[Expression]:
    """Yield what is computed of lengths of loops and of sizes, which are the ``names``."""
    for a, b in permutations(lengths, 2):
        yield from (a - b, a * b, a - b + 1, a - b - 1)
    every: Iterable[tuple[Expression, Any, Iterable[Any]]] = chain(
        ((a, step, range(step)) for a in lengths for step in range(2, MAX_STEP + 1)),
        ((a, b, (0, -1, b - 1)) for a, b in permutations(names, 2)),
    )
    for a, step, offsets in every:
        for offset in offsets:
            yield floor(a + offset, step)
            yield a - floor(a + offset, step)
    for a, b in combinations(lengths, 2):
        for c in lengths:
            yield from (a * b * c, (a - b) * c, (b - a) * c, a + b - c, a * b - c, a * b + c)
