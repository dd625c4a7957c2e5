"""Interpolate polynomials in several letters exactly, in fractions.

A grid is a set of exponents that is closed under division: with each monomial it has all divisors.
Each exponent is also the index of a node, letter by letter. The values at these nodes determine a
unique polynomial with the grid's monomials.

Source: Dyn and Floater 2014, Multivariate polynomial interpolation on lower sets, Journal of
Approximation Theory 177.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import partial
from itertools import product

Exponents = tuple[int, ...]


def divisors(monomials: Iterable[Exponents]) -> frozenset[Exponents]:
    """Return the exponents of all divisors of ``monomials``."""
    found: set[Exponents] = set()
    for monomial in monomials:
        found.update(product(*(range(exponent + 1) for exponent in monomial)))
    return frozenset(found)


def raised(exponents: Exponents, by: int) -> Iterable[Exponents]:
    """Yield ``exponents`` with each one in turn changed ``by``, unless it becomes negative."""
    for index, exponent in enumerate(exponents):
        if exponent + by >= 0:
            yield (*exponents[:index], exponent + by, *exponents[index + 1 :])


def with_border(grid: frozenset[Exponents]) -> frozenset[Exponents]:
    """Return ``grid`` with its border: the smallest monomials that are not in it."""
    border = {higher for exponents in grid for higher in raised(exponents, +1)} - grid
    return grid | {higher for higher in border if grid.issuperset(raised(higher, -1))}


def polynomial(
    values: Mapping[Exponents, int], nodes: list[list[int]]
) -> dict[Exponents, Fraction]:
    """Return the coefficients, by exponents, of the polynomial with ``values`` at the nodes.

    ``values`` has, for each monomial of a set closed under division, the value at the point
    whose coordinate i is ``nodes[i][exponents[i]]``. Divided differences, letter by letter, give
    Newton's form; expanding that, letter by letter, gives powers.
    """
    table = {exponents: Fraction(value) for exponents, value in values.items()}
    for change in (_newton, _powers):
        for axis, points in enumerate(nodes):
            table = _along(axis, table, partial(change, points=points))
    return {exponents: value for exponents, value in table.items() if value}


def _along(
    axis: int,
    table: Mapping[Exponents, Fraction],
    change: Callable[[list[Fraction]], list[Fraction]],
) -> dict[Exponents, Fraction]:
    """Return ``table`` with ``change`` applied to each line parallel to ``axis``."""
    changed: dict[Exponents, Fraction] = {}
    for start in (exponents for exponents in table if not exponents[axis]):
        line: list[Exponents] = [start]
        while (following := _at(line[-1], axis)) in table:
            line.append(following)
        changed.update(zip(line, change([table[key] for key in line]), strict=True))
    return changed


def _at(exponents: Exponents, axis: int) -> Exponents:
    return (*exponents[:axis], exponents[axis] + 1, *exponents[axis + 1 :])


def _newton(line: list[Fraction], points: list[int]) -> list[Fraction]:
    """Return the divided differences of the values in ``line`` at the first of ``points``."""
    line = list(line)
    for degree in range(1, len(line)):
        for i in range(len(line) - 1, degree - 1, -1):
            line[i] = (line[i] - line[i - 1]) / (points[i] - points[i - degree])
    return line


def _powers(line: list[Fraction], points: list[int]) -> list[Fraction]:
    """Return the coefficients of powers from those of Newton's form, by Horner's rule."""
    powers: list[Fraction] = []
    for degree in range(len(line) - 1, -1, -1):
        shifted = [Fraction(0), *powers]
        scaled = [points[degree] * power for power in powers] + [Fraction(0)]
        powers = [a - b for a, b in zip(shifted, scaled, strict=True)]
        powers[0] += line[degree]
    return powers
