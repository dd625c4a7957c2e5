"""How often there is a tensor, in letters: read from how often several models have it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations

from paramproof.formulas.condition import value_at
from paramproof.formulas.division import floor
from paramproof.formulas.expression import Expression, expression, letter

LARGEST_STEP = 12
"""Every n-th layer, n up to this where it is a number of the code."""


def multiplicity(
    counts: Sequence[int], points: Sequence[Mapping[str, int]], loops: Sequence[Expression]
) -> Expression | None:
    """Return what is ``counts`` at ``points``, None where nothing simple is.

    ``loops`` are the lengths of the loops that ran; they and the letters in them come first.
    """
    for candidate in _candidates(loops, sorted(points[0])):
        if all(value_at(candidate, p) == n for p, n in zip(points, counts, strict=True)):
            return candidate
    return None


def _candidates(loops: Sequence[Expression], letters: Sequence[str]) -> Iterator[Expression]:
    yield from map(expression, range(1, 257))
    yield from loops
    near = sorted({name for loop in loops for name in loop.letters})
    names = [letter(name) for name in [*near, *(n for n in letters if n not in near)]]
    lengths = list(dict.fromkeys([*loops, *names]))
    yield from lengths
    for one in lengths:
        for number in range(1, 9):
            yield from (one - number, one + number, (number + 1) * one)
    for one, other in permutations(lengths, 2):
        yield from (one - other, one * other, one - other + 1, one - other - 1)
    for one in lengths:
        for step in range(2, LARGEST_STEP + 1):
            for offset in range(step):
                every = floor(one + offset, step)
                yield from (every, one - every)
    for one, other in permutations(names, 2):
        some = (floor(one, other), floor(one - 1, other), floor(one + other - 1, other))
        yield from (*some, *(one - number for number in some))
    for one, two in combinations(lengths, 2):
        for three in lengths:
            yield from (one * two * three, (one - two) * three, (two - one) * three)
            yield from (one + two - three, one * two - three, one * two + three)
