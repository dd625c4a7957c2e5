"""Fit expressions to lengths and counts, from their values in models at several sizes.

Simple candidates come first. A formula with a fitted part is not called proved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, combinations_with_replacement, permutations
from operator import add, mul
from typing import Any, TypeAlias

from paramproof.formulas.expression import (
    Expression,
    Number,
    ceiling,
    expression,
    floor,
    letter,
)


def fit_length(
    lengths: Sequence[int], points: Sequence[Mapping[str, int]], made: Iterable[Expression]
) -> Expression | None:
    """Return an expression with the values ``lengths`` at ``points``, None if there is none.

    Candidates are constants, the expressions ``made`` of sizes, multiples of one, one plus a
    constant, and products and sums of two.
    """
    if len(set(lengths)) == 1:
        return expression(lengths[0])
    usable = sorted(made, key=lambda one: (len(one.terms), len(one.letters), str(one)))
    values = {one: column for one in usable if (column := _column(one, points)) is not None}
    wanted = list(lengths)
    for one, column in values.items():
        if column == wanted:
            return one
        ratio, rest = divmod(wanted[0], column[0]) if column[0] else (0, 1)
        if not rest and ratio > 1 and [ratio * value for value in column] == wanted:
            return ratio * one
    for one, column in values.items():
        more = {length - value for length, value in zip(lengths, column, strict=True)}
        if len(more) == 1:
            return one + more.pop()
    for (one, left), (other, right) in combinations_with_replacement(values.items(), 2):
        if left[0] * right[0] == wanted[0] and [*map(mul, left, right)] == wanted:
            return one * other
        if left[0] + right[0] == wanted[0] and [*map(add, left, right)] == wanted:
            return one + other
    return None


DIVIDED_BY = (2, 3, 4, 8, 16, 32, 64, 128, 256)
"""The numbers by which a length may divide a size, and round the quotient down or up."""

MAX_FACTOR = 4
"""The largest factor of a term in a sum of two."""


def fit_any_length(
    lengths: Sequence[int], points: Sequence[Mapping[str, int]]
) -> Expression | None:
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
    return _fit_sum(lengths, points, [*letters, *products, *quotients, *heads])


def _fit_sum(
    lengths: Sequence[int], points: Sequence[Mapping[str, int]], terms: Iterable[Expression]
) -> Expression | None:
    """Return a sum of small multiples of two terms with these values, None if there is none."""
    values = {one: column for one in terms if (column := _column(one, points)) is not None}
    known = {tuple(column): one for one, column in reversed(values.items())}
    for one, column in values.items():
        for factor in range(1, MAX_FACTOR + 1):
            rest = [n - factor * value for n, value in zip(lengths, column, strict=True)]
            for divisor in range(1, MAX_FACTOR + 1):
                if not any(number % divisor for number in rest):
                    other = known.get(tuple(number // divisor for number in rest))
                    if other is not None:
                        return factor * one + divisor * other
    return None


def _column(one: Expression, points: Sequence[Mapping[str, int]]) -> list[int] | None:
    column = [one.value(point) for point in points]
    return None if any(value != int(value) for value in column) else list(map(int, column))


MAX_COUNT = 256
"""The largest constant count."""

MAX_STEP = 12
"""The largest n for every n-th layer, if n is a constant."""

Compute: TypeAlias = Callable[..., Any]
"""Computes a count from values, or an expression from expressions."""

Candidate: TypeAlias = tuple[Compute, tuple[Expression, ...]]
"""A function, and the expressions to apply it to."""


def fit_count(
    counts: Sequence[int],
    points: Sequence[Mapping[str, int]],
    loops: Sequence[Expression],
) -> Expression | None:
    """Return an expression with the values ``counts`` at ``points``, None if no simple one fits.

    Candidates of ``loops``, the lengths of the loops that ran, and of the sizes in them come first.
    """
    if len(set(counts)) == 1 and 1 <= counts[0] <= MAX_COUNT:
        return expression(counts[0])
    values: dict[Expression, list[Number]] = {}
    for compute, of in _candidates(loops, sorted(points[0])):
        for one in of:
            if one not in values:
                values[one] = [one.value(point) for point in points]
        columns = zip(*(values[one] for one in of), strict=True)
        if all(compute(*row) == n for row, n in zip(columns, counts, strict=True)):
            return expression(compute(*of))
    return None


def _candidates(loops: Sequence[Expression], letters: Sequence[str]) -> Iterator[Candidate]:
    near = sorted({name for loop in loops for name in loop.letters})
    names = [letter(name) for name in [*near, *(n for n in letters if n not in near)]]
    lengths = list(dict.fromkeys([*loops, *names]))
    alone = [(one,) for one in lengths]
    steps = range(2, MAX_STEP + 1)
    every = [
        compute for step in steps for offset in range(step) for compute in _every(step, offset)
    ]
    threes = ((*pair, one) for pair in combinations(lengths, 2) for one in lengths)
    yield from _of([lambda a: a], alone)
    yield from _of([compute for number in range(1, 9) for compute in _around(number)], alone)
    yield from _of(PAIRS, permutations(lengths, 2))
    yield from _of(every, alone)
    yield from _of(QUOTIENTS, permutations(names, 2))
    yield from _of(TRIPLES, threes)


def _of(computed: Sequence[Compute], of: Iterable[tuple[Expression, ...]]) -> Iterator[Candidate]:
    return ((compute, one) for one in of for compute in computed)


def _around(number: int) -> tuple[Compute, ...]:
    return lambda a: a - number, lambda a: a + number, lambda a: (number + 1) * a


def _every(step: int, offset: int) -> tuple[Compute, ...]:
    return lambda a: (a + offset) // step, lambda a: a - (a + offset) // step


PAIRS: tuple[Compute, ...] = (
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a - b + 1,
    lambda a, b: a - b - 1,
)

QUOTIENTS: tuple[Compute, ...] = (
    lambda a, b: a // b,
    lambda a, b: (a - 1) // b,
    lambda a, b: (a + b - 1) // b,
    lambda a, b: a - a // b,
    lambda a, b: a - (a - 1) // b,
    lambda a, b: a - (a + b - 1) // b,
)

TRIPLES: tuple[Compute, ...] = (
    lambda a, b, c: a * b * c,
    lambda a, b, c: (a - b) * c,
    lambda a, b, c: (b - a) * c,
    lambda a, b, c: a + b - c,
    lambda a, b, c: a * b - c,
    lambda a, b, c: a * b + c,
)
