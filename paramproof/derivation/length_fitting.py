"""Fit expressions to lengths that were not traced, from their values at several sizes."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import combinations_with_replacement
from operator import add, mul

from paramproof.formulas.division import floor
from paramproof.formulas.expression import Expression, expression, letter
from paramproof.tracing.recorder import has_loop_index


def candidate_quotients(
    points: Sequence[Mapping[str, int]], made: Iterable[Expression]
) -> list[Expression]:
    """Return ⌊size / divisor⌋ for divisors that are sizes or computed products.

    Leaves out quotients that are 0 at some point, because they would fit too easily.
    """
    letters = [letter(name) for name in sorted(points[0])]
    bottoms = dict.fromkeys([*letters, *(one for one in made if _is_product(one, points[0]))])
    found = (floor(top, one) for top in letters for one in bottoms if not top.letters & one.letters)
    return [one for one in found if all(one.value(point) for point in points)]


def _is_product(one: Expression, letters: Container[str]) -> bool:
    """Return whether an expression is a constant times a product of sizes."""
    atoms = [atom for powers in one.terms for atom, _ in powers]
    return len(one.terms) == 1 and bool(atoms) and all(atom in letters for atom in atoms)


def fit_length(
    lengths: Sequence[int], points: Sequence[Mapping[str, int]], made: Iterable[Expression]
) -> Expression | None:
    """Return an expression with the values ``lengths`` at ``points``, None if there is none.

    ``made`` are expressions that the program computed. Candidates are constants, these expressions,
    multiples of one, one plus a constant, and products and sums of two.
    """
    if len(set(lengths)) == 1:
        return expression(lengths[0])
    usable = [one for one in made if not has_loop_index(one.letters)]
    usable.sort(key=lambda one: (len(one.terms), len(one.letters), str(one)))
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


def _column(one: Expression, points: Sequence[Mapping[str, int]]) -> list[int] | None:
    column = [one.value(point) for point in points]
    return None if any(value != int(value) for value in column) else list(map(int, column))
