"""Combine the counts of all combinations of a family's parts in one polynomial.

The indicators of the parts become letters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import prod
from operator import mul

from paramproof.formulas.expression import Expression, letter, sum_of
from paramproof.proof.cases import Case, cases


def polynomial_in_indicators(totals: Mapping[Case, Expression]) -> Expression:
    """Return one polynomial, in sizes and indicators, with the value of every case.

    It has one monomial in the indicators for each case, the simplest that distinguish the cases.
    If every combination of parts exists, it is the only polynomial linear in each indicator.
    """
    found = list(totals)
    names = list(found[0].parts)
    monomials: list[tuple[str, ...]] = []
    columns: list[list[Fraction]] = []
    for size in range(len(names) + 1):
        for monomial in combinations(names, size):
            column = [Fraction(all(case.parts[name] for name in monomial)) for case in found]
            if any(_reduced(column, columns)):
                columns.append(column)
                monomials.append(monomial)
    weights = _solved(columns, list(totals.values()))
    implied = _implied(found[0])
    products = (_product(monomial, implied) for monomial in monomials)
    return sum_of(map(mul, weights, products))


def _implied(case: Case) -> dict[str, set[str]]:
    """Return the indicators that each one implies in every case of the family: untied, mlm."""
    parts = [one.parts for one in cases(case.family)]
    return {
        name: {
            other
            for other in case.parts
            if other != name and all(one[other] for one in parts if one[name])
        }
        for name in case.parts
    }


def _product(monomial: Sequence[str], implied: Mapping[str, set[str]]) -> Expression:
    """Return the product of indicators, without those that another one implies."""
    redundant = {other for name in monomial for other in implied[name]}
    return prod((letter(n) for n in monomial if n not in redundant), start=Expression({(): 1}))


def _reduced(column: Sequence[Fraction], others: Sequence[Sequence[Fraction]]) -> list[Fraction]:
    """Return the part of ``column`` that is independent of ``others``, by elimination."""
    rest = list(column)
    basis: list[tuple[int, list[Fraction]]] = []
    for other in [*others, column]:
        rest = list(other)
        for pivot, row in basis:
            factor = rest[pivot]
            rest = [a - factor * b for a, b in zip(rest, row, strict=True)]
        lead = next((i for i, value in enumerate(rest) if value), None)
        if lead is not None:
            basis.append((lead, [value / rest[lead] for value in rest]))
    return rest


def _solved(columns: list[list[Fraction]], totals: list[Expression]) -> list[Expression]:
    """Return the weights with which ``columns`` add up to ``totals``, by Gauss-Jordan elimination.

    ``columns`` must be independent.
    """
    size = len(columns)
    rows = [[column[i] for column in columns] for i in range(size)]
    sums = list(totals)
    for step in range(size):
        pivot = next(i for i in range(step, size) if rows[i][step])
        rows[step], rows[pivot] = rows[pivot], rows[step]
        sums[step], sums[pivot] = sums[pivot], sums[step]
        lead = rows[step][step]
        rows[step], sums[step] = [value / lead for value in rows[step]], sums[step] * (1 / lead)
        for i in range(size):
            if i != step and (factor := rows[i][step]):
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[step], strict=True)]
                sums[i] = sums[i] - factor * sums[step]
    return sums
