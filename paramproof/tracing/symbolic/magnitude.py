"""How large a number can be: a float holds every whole number up to 2⁵³, and none beyond exactly.

Sizes are taken to be 2²⁰ at most, about a million. A product of two of them is far below 2⁵³, and
one of three may be beyond.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import inf, log2
from typing import Any

from paramproof.formulas.computed import Computed
from paramproof.formulas.division import Quotient
from paramproof.formulas.expression import Expression

BITS_OF_A_SIZE = 20
BITS_OF_A_FLOAT = 53


@lru_cache(4096)
def fits_in_a_float(made: Expression) -> bool:
    """Whether a float holds each of these numbers, and twice as much, at all sizes."""
    return _bits(made) < BITS_OF_A_FLOAT - 1


@lru_cache(4096)
def has_a_bound(made: Expression) -> bool:
    """Whether it is known how large the numbers are: Python makes no float of one that is huge."""
    return _bits(made) < inf


def _bits(made: Expression) -> float:
    """Return the binary digits of the largest number that an expression gives, or more."""
    terms = [
        log2(abs(Fraction(number)))
        + sum(power * _bits_of(atom) for atom, power in powers if power > 0)
        for powers, number in made.terms.items()
    ]
    return max(terms, default=0.0) + log2(max(1, len(terms)))


def _bits_of(atom: Any) -> float:
    if isinstance(atom, str):
        return BITS_OF_A_SIZE
    if isinstance(atom, Quotient):
        return _bits(atom.numerator)
    return _bits_of_step(atom) if isinstance(atom, Computed) else inf


def _bits_of_step(step: Computed) -> float:
    if step.function in ("power", "exp"):
        return inf
    parts = [_bits_of_operand(one) for one in step.operands]
    if step.function == "over":
        return parts[0] + (_bits_of_divisor(step.operands[1]) if len(parts) > 1 else 0)
    return sum(parts) + 1 if step.function == "times" else max(parts) + 1


def _bits_of_operand(one: Any) -> float:
    if isinstance(one, Expression):
        return max(0.0, _bits(one))
    return _bits_of_step(one) if isinstance(one, Computed) else _bits_of_float(one)


def _bits_of_float(number: float) -> float:
    return max(0.0, log2(abs(number))) if number else 0.0


def _bits_of_divisor(one: Any) -> float:
    """Return how many digits a quotient has more than its numerator."""
    if isinstance(one, Expression):
        return 0.0 if one.is_whole else inf
    return max(0.0, -log2(abs(one))) if isinstance(one, float) and one else inf
