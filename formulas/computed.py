"""Numbers that Python does not compute by exact sums, products and divisions.

``int(hidden_size * 0.7)`` is not a rational multiple of the hidden size: the float 0.7 is not 7/10,
and the product is rounded. A ``Computed`` number stores Python's operations, and repeats them to
give its value at any sizes.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

from paramproof.formulas.expression import (
    DivisionByZero,
    Expression,
    Number,
    expression,
    letter,
)

Operand: TypeAlias = "Expression | float | Computed"
"""An operand of an operation: a size, a float in the code, or the float that another one gives."""

INFIX: Mapping[str, str] = {"times": "×", "over": "÷"}
"""Operations printed between their operands; all others are printed as function calls."""

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
"""Operations that return an int."""

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
"""All operations, by their names in a formula."""

LARGEST_POWER = 4096
"""The maximum number of bits of an int power, which bounds the memory that it takes."""


@dataclass(frozen=True)
class Computed:
    """A number as Python computes it from sizes: one function and its operands."""

    function: str
    operands: tuple[Operand, ...]

    @property
    def is_whole(self) -> bool:
        if self.function not in ("times", "plus", "minus", "div", "mod", "abs"):
            return self.function in WHOLE
        return all(isinstance(one, Expression) and one.is_whole for one in self.operands)

    def compute(self, sizes: Mapping[str, int]) -> Any:
        """Return the int or float that Python computes at these sizes."""
        values = [_value(one, sizes) for one in self.operands]
        if self.function == "power" and all(isinstance(value, int) for value in values):
            base, power = values
            if power * max(1, abs(base).bit_length()) > LARGEST_POWER:
                raise ArithmeticError(f"{base} to the power of {power} is too large")
        try:
            return FUNCTIONS[self.function](*values)
        except ValueError as error:
            raise ArithmeticError(str(error)) from None
        except ZeroDivisionError:
            by = self.operands[-1]
            if self.function not in ("over", "div", "mod") or isinstance(by, float):
                raise
            raise DivisionByZero(letter(by) if isinstance(by, Computed) else by) from None

    def evaluate(self, sizes: Mapping[str, int]) -> Number:
        """Return the value at these sizes; a float becomes the fraction that equals it exactly."""
        value = self.compute(sizes)
        if isinstance(value, int):
            return int(value)
        if not isinstance(value, float) or not math.isfinite(value):
            raise ArithmeticError(f"{value} is not a finite number")
        return Fraction(value)

    def substitute(self, values: Mapping[str, Expression | Number]) -> Expression:
        return computed(self.function, *(_substituted(one, values) for one in self.operands))

    @cached_property
    def letters(self) -> frozenset[str]:
        return frozenset().union(
            *(one.letters for one in self.operands if isinstance(one, Expression | Computed))
        )

    @cached_property
    def key(self) -> str:
        """A text that is unique to this number."""
        return repr(self)

    def __repr__(self) -> str:
        return f"{self.function}{tuple(map(str, self.operands))}"

    def __str__(self) -> str:
        return str(letter(self))


def computed(function: str, *operands: Operand) -> Expression:
    """Return the result of an operation as an expression, a constant if no operand has a letter."""
    result = Computed(function, tuple(map(as_operand, operands)))
    return letter(result) if result.letters else expression(result.evaluate({}))


def as_operand(one: Operand) -> Operand:
    """Return an operand in canonical form: ``Computed`` for a float, an expression for an int."""
    if isinstance(one, Computed):
        return letter(one) if one.is_whole else one
    if isinstance(one, Expression):
        match [*one.terms.items()]:
            case [(((Computed() as atom, 1),), 1)] if not atom.is_whole:
                return atom
    return one


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
    result = Computed(one.function, operands)
    # A float stays a float: with a fraction, the next operation would give another result.
    return result if result.letters else result.compute({})
