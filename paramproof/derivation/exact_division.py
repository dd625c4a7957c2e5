"""Simplify rounded quotients that are exact because one size divides another."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from paramproof.formulas.division import floor
from paramproof.formulas.expression import Expression, expression


def simplify_exact_division(
    one: Expression, exact: Iterable[tuple[Expression, Expression]]
) -> Expression:
    """Return ``one`` with a / b for ⌊a / b⌋, for each pair (a, b) in ``exact``."""
    known: dict[Expression, Expression] = {}
    for top, bottom in exact:
        try:
            known[floor(top, bottom)] = top / bottom
        except ArithmeticError:
            continue
    total = Expression()
    for powers, number in one.terms.items():
        factors = []
        for atom, power in powers:
            base = Expression({((atom, 1),): 1})
            factors.append(known.get(base, base) ** power)
        total = total + prod(factors, start=expression(number))
    return total
