"""Fit an expression to the number of tensors in several models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, permutations
from typing import Any, TypeAlias

from paramproof.formulas.expression import Expression, Number, expression, letter

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
    likely: Iterable[Expression] = (),
) -> Expression | None:
    """Return an expression with the values ``counts`` at ``points``, None if no simple one fits.

    Candidates are tried in this order: ``likely`` ones, then ``loops``, the lengths of the loops
    that ran, and the sizes in them.
    """
    if len(set(counts)) == 1 and 1 <= counts[0] <= MAX_COUNT:
        return expression(counts[0])
    for one in likely:
        if all(one.value(point) == n for point, n in zip(points, counts, strict=True)):
            return one
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
