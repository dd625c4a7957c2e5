"""Rounded quotients that are exact, where it is known that one size divides another."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from paramproof.formulas.division import Quotient, floor
from paramproof.formulas.expression import Expression, expression, letter


def folded(one: Expression, exact: Iterable[tuple[Expression, Expression]]) -> Expression:
    """Return ``one`` with ⌊a / b⌋ as a / b for each pair (a, b) in ``exact``."""
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
            base = letter(atom) if isinstance(atom, str) else Expression({((atom, 1),): 1})
            if isinstance(atom, Quotient):
                base = known.get(base, base)
            factors.append(base**power)
        total = total + prod(factors, start=expression(number))
    return total
