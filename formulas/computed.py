"""Operations that Python computes on sizes and floats, by their names in a formula.

``int(hidden_size * 0.7)`` is not a rational multiple of the hidden size: the float 0.7 is not 7/10,
and the product is rounded. So a formula keeps Python's operations, and repeats them at any sizes.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

QUOTIENT = "⌊/⌋"
"""The quotient of two whole numbers, rounded down. It is printed in its brackets."""

INFIX: Mapping[str, str] = {"times": "×", "over": "÷"}
"""Operations printed between their operands; all others are printed as function calls."""

WHOLE: Mapping[str, Callable[..., int]] = {
    QUOTIENT: operator.floordiv,
    **{name: getattr(math, name) for name in ("floor", "ceil", "isqrt", "gcd")},
    "int": int,
    "round": round,
    "and": operator.and_,
}
"""Operations that return an int."""

WHOLE_OF_WHOLE = ("times", "plus", "minus", "div", "mod", "abs")
"""Operations that return an int if all their operands are ints."""

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
    **{name: getattr(math, name) for name in ("sqrt", "log", "log2")},
}

LARGEST_POWER = 4096
"""The maximum number of bits of an int power, which bounds the memory that it takes."""


def result_of(function: str, values: Sequence[Any]) -> Any:
    """Return the int or float that Python computes. Raises ``ArithmeticError`` if there is none."""
    if function == "power" and all(isinstance(value, int) for value in values):
        base, power = values
        if power * max(1, abs(base).bit_length()) > LARGEST_POWER:
            raise ArithmeticError(f"{base} to the power of {power} is too large")
    try:
        return FUNCTIONS[function](*values)
    except ValueError as error:
        raise ArithmeticError(str(error)) from None
