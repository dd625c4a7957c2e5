"""Numbers that Python computes in another way than by exact sums, products and divisions.

``int(hidden_size * 0.7)`` is no fraction of the hidden size: 0.7 is not 7/10, and the product is
rounded. Such a number keeps the steps by which Python computes it, and its value at any sizes is
what these steps give there.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

from paramproof.formulas.expression import Expression, Number, expression

Operand: TypeAlias = "Expression | float | Computed"
"""What a step is done with: a size, a float of the code, or the float of a step before it."""

INFIX: Mapping[str, str] = {"times": "×", "over": "÷"}
"""Steps that are written between their operands; all others are written as a function."""

WHOLE: Mapping[str, Callable[..., int]] = {
    "int": int,
    "floor": math.floor,
    "ceil": math.ceil,
    "round": round,
    "isqrt": math.isqrt,
    "gcd": math.gcd,
    "bits": lambda number: int(number).bit_length(),
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "invert": operator.invert,
}
"""Steps that give a whole number."""

FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **WHOLE,
    "times": operator.mul,
    "over": operator.truediv,
    "plus": operator.add,
    "minus": operator.sub,
    "power": operator.pow,
    "div": operator.floordiv,
    "mod": operator.mod,
    "abs": abs,
    "float": float,
    "rounded": round,
    "sqrt": math.sqrt,
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "exp": math.exp,
    "sin": math.sin,
    "cos": math.cos,
}
"""All steps, by the names that they have in a formula."""

LARGEST_POWER = 4096
"""Bits of a whole number that is raised to a power: more would take memory without bound."""


@dataclass(frozen=True)
class Computed:
    """A number as Python computes it from sizes: one function and what it is given."""

    function: str
    operands: tuple[Operand, ...]

    @property
    def is_whole(self) -> bool:
        """Whether it is a whole number at all sizes."""
        whole = all(isinstance(one, Expression) and one.is_whole for one in self.operands)
        return self.function in WHOLE or (
            whole and self.function in ("times", "plus", "minus", "div", "mod", "abs")
        )

    def compute(self, sizes: Mapping[str, int]) -> Any:
        """Return the int or float that Python computes at these sizes.

        Raises ``ArithmeticError`` where it computes none.
        """
        values = [_value(one, sizes) for one in self.operands]
        if self.function == "power" and all(isinstance(value, int) for value in values):
            base, power = values
            if power * max(1, abs(base).bit_length()) > LARGEST_POWER:
                raise ArithmeticError(f"{base} to the power of {power} is too large")
        try:
            return FUNCTIONS[self.function](*values)
        except ValueError as error:
            raise ArithmeticError(str(error)) from None

    def evaluate(self, sizes: Mapping[str, int]) -> Number:
        """Return its value at these sizes, a float as the fraction that it is exactly."""
        found = self.compute(sizes)
        if isinstance(found, int):
            return int(found)
        if not isinstance(found, float) or not math.isfinite(found):
            raise ArithmeticError(f"{found} is no number")
        return Fraction(found)

    def substitute(self, values: Mapping[str, Expression | Number]) -> Expression:
        """Return it with other expressions or numbers in place of some letters."""
        return computed(self.function, *(_substituted(one, values) for one in self.operands))

    @cached_property
    def letters(self) -> frozenset[str]:
        """The letters that occur in it."""
        return frozenset().union(
            *(one.letters for one in self.operands if isinstance(one, Expression | Computed))
        )

    @cached_property
    def key(self) -> str:
        """Return a text that no other one has."""
        return repr(self)

    def __repr__(self) -> str:
        return f"{self.function}{tuple(map(str, self.operands))}"

    def __str__(self) -> str:
        return str(Expression({((self, 1),): 1}))


def computed(function: str, *operands: Operand) -> Expression:
    """Return what a step gives, a number where no operand has a letter.

    Raises ``ArithmeticError`` where a number would be none.
    """
    found = Computed(function, tuple(map(as_operand, operands)))
    return Expression({((found, 1),): 1}) if found.letters else expression(found.evaluate({}))


def as_operand(one: Operand) -> Operand:
    """Return an operand as it is kept: a float by its steps, a whole number as an expression."""
    if isinstance(one, Computed):
        return Expression({((one, 1),): 1}) if one.is_whole else one
    if isinstance(one, Expression) and len(one.terms) == 1:
        ((powers, number),) = one.terms.items()
        if number == 1 and len(powers) == 1 and powers[0][1] == 1:
            atom = powers[0][0]
            return atom if isinstance(atom, Computed) and not atom.is_whole else one
    return one


def has_computed(one: Expression) -> bool:
    """Whether a number that Python computes in steps occurs anywhere in an expression."""
    for powers in one.terms:
        for atom, _ in powers:
            if isinstance(atom, Computed):
                return True
            parts = (getattr(atom, "numerator", None), getattr(atom, "denominator", None))
            if any(part is not None and has_computed(part) for part in parts):
                return True
    return False


def _value(one: Operand, sizes: Mapping[str, int]) -> Any:
    if isinstance(one, Computed):
        return one.compute(sizes)
    if not isinstance(one, Expression):
        return one
    value = one.value(sizes)
    return value if isinstance(value, int) else float(value)


def _substituted(one: Operand, values: Mapping[str, Expression | Number]) -> Operand:
    if isinstance(one, Expression):
        return one.substitute(values)
    if not isinstance(one, Computed):
        return one
    operands = tuple(_substituted(part, values) for part in one.operands)
    found = Computed(one.function, operands)
    # A float stays one: as a fraction, the next step would be another one.
    return found if found.letters else found.compute({})
