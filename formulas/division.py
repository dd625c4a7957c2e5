"""Division of expressions: exact, or rounded down to a sum with a ``Quotient`` for the rest."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from paramproof.formulas.expression import (
    DivisionByZero,
    Expression,
    Number,
    Powers,
    expression,
    letter,
    multiplied,
    order,
)


@dataclass(frozen=True)
class Quotient:
    """⌊numerator / denominator⌋ in the canonical form of ``floor``, without common factors."""

    numerator: Expression
    denominator: Expression
    is_whole = True

    def evaluate(self, sizes: Mapping[str, int]) -> int:
        top, bottom = self.numerator.evaluate(sizes), self.denominator.evaluate(sizes)
        if not bottom:
            raise DivisionByZero(self.denominator)
        return top // bottom

    def substitute(self, values: Mapping[str, Expression | Number]) -> Expression:
        return floor(self.numerator.substitute(values), self.denominator.substitute(values))

    @property
    def letters(self) -> frozenset[str]:
        return self.numerator.letters | self.denominator.letters

    @cached_property
    def key(self) -> str:
        return repr([_ordered(self.numerator), _ordered(self.denominator)])


def quotient(top: Expression, bottom: Expression) -> Expression:
    if not bottom:
        raise ZeroDivisionError(f"{top} divided by zero")
    found, rest = divided(top, bottom)
    if rest:
        raise ArithmeticError(f"{top} is not a multiple of {bottom}")
    return found


@lru_cache(maxsize=4096)
def floor(numerator: Expression | int, denominator: Expression | int) -> Expression:
    """Return ⌊numerator / denominator⌋ as a sum in which terms that divide exactly have no floor.

    Equal floors get the same form, however they are written: ⌊−x / d⌋ becomes −⌊(x + d − 1) / d⌋
    for a positive d, so the first letter in a numerator has a positive coefficient, and none
    exceeds d / 2 if d is a number. The form is not unique if the denominator has negative terms.
    """
    top, bottom = expression(numerator), expression(denominator)
    if not bottom:
        raise ZeroDivisionError(f"{top} divided by zero")
    if not (top.is_whole and bottom.is_whole):
        raise ArithmeticError(f"{top} divided by {bottom} is not a quotient of whole expressions")
    if bottom.terms[_leading(bottom)] < 0:
        top, bottom = -top, -bottom
    factor = common_factor([*top.terms.items(), *bottom.terms.items()])
    top, bottom = top / factor, bottom / factor
    return _floor_by_number(top, int(bottom)) if bottom.constant else _floor_by_letters(top, bottom)


def ceiling(numerator: Expression | int, denominator: Expression | int) -> Expression:
    return -floor(-expression(numerator), denominator)


def _floor_by_number(top: Expression, number: int) -> Expression:
    """Return ⌊top / number⌋, with coefficients reduced by multiples of ``number``."""
    nearest = {p: -((number - 2 * int(c)) // (2 * number)) for p, c in top.terms.items()}
    whole = Expression(nearest | {(): int(top.terms.get((), 0)) // number})
    rest = top - number * whole
    constant = rest.terms.get((), 0)
    letters = rest - constant
    if not letters:
        return whole
    # ⌊(f·x + c) / (f·n)⌋ is ⌊(x + ⌊c / f⌋) / n⌋ for a common factor f of the coefficients.
    factor = math.gcd(number, *map(int, letters.terms.values()))
    if factor > 1:
        return whole + floor(letters / factor + int(constant) // factor, number // factor)
    if number == 2 and constant:
        return whole + letters - floor(letters, 2)
    decisive = [c for _, c in _ordered(letters) if 2 * c != number]
    if decisive and decisive[0] < 0:
        return whole - floor(-rest + number - 1, number)
    return whole + letter(Quotient(rest, expression(number)))


def _floor_by_letters(top: Expression, bottom: Expression) -> Expression:
    whole, rest = divided(top, bottom, whole=True)
    if not rest:
        return whole
    # A divisor that may be negative, as L − 2, would change the value.
    if rest.terms[_leading(rest)] < 0 and all(n > 0 for n in bottom.terms.values()):
        return whole - floor(-rest + bottom - 1, bottom)
    return whole + letter(Quotient(rest, bottom))


def common_factor(terms: Iterable[tuple[Powers, Number]]) -> Expression:
    """Return the largest product that divides each of ``terms``, with an int as coefficient."""
    products, numbers = zip(*terms, strict=True)
    whole = all(isinstance(number, int) for number in numbers)
    first, *others = map(dict, products)
    lowest = (
        (atom, min([p, *(other.get(atom, 0) for other in others)])) for atom, p in first.items()
    )
    shared = tuple((atom, power) for atom, power in lowest if power > 0)
    return Expression({shared: math.gcd(*numbers) if whole else 1})


def divided(
    top: Expression, bottom: Expression, whole: bool = False
) -> tuple[Expression, Expression]:
    """Divide polynomials by the leading term of the divisor; return quotient and rest.

    If ``whole``, coefficients are rounded down to ints, and no letter becomes a divisor.
    """
    by = order([*top.terms, *bottom.terms])
    leading = max(bottom.terms, key=by)
    inverse = tuple((atom, -power) for atom, power in leading)
    quotient, rest, left = Expression(), Expression(), top
    while left:
        powers = max(left.terms, key=by)
        ratio = multiplied(powers, inverse)
        share = Fraction(left.terms[powers]) / bottom.terms[leading]
        number: Number = math.floor(share) if whole else share
        divides = all(power > 0 for _, power in ratio) or (not whole and len(bottom.terms) == 1)
        step = Expression({ratio: number}) if divides else Expression()
        quotient, left = quotient + step, left - step * bottom
        term = Expression({powers: left.terms.get(powers, 0)})
        rest, left = rest + term, left - term
    return quotient, rest


def _leading(one: Expression) -> Powers:
    return max(one.terms, key=order(one.terms))


def _ordered(one: Expression) -> list[tuple[Powers, Number]]:
    by = order(one.terms)
    return sorted(one.terms.items(), key=lambda term: by(term[0]), reverse=True)
