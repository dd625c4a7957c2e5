"""Bound the size of numbers: a float holds every integer up to 2⁵³ exactly, and not all beyond.

Sizes are assumed to be at most 2²⁰, about a million. A product of two sizes is far below 2⁵³; a
product of three may exceed it.
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
    """Return whether a float holds twice this number exactly at all sizes."""
    return _bits(made) < BITS_OF_A_FLOAT - 1


@lru_cache(4096)
def has_a_bound(made: Expression) -> bool:
    """Return whether a bound is known: Python cannot convert arbitrarily large ints to floats."""
    return _bits(made) < inf


def _bits(made: Expression) -> float:
    """Return an upper bound for the binary digits of an expression's values."""
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
    """Return how many digits a quotient may have more than its numerator."""
    if isinstance(one, Expression):
        return 0.0 if one.is_whole else inf
    return max(0.0, -log2(abs(one))) if isinstance(one, float) and one else inf
