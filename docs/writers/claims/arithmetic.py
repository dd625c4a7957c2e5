"""Arithmetic as a text prints it, read by its syntax and never run as code."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypeAlias

Value: TypeAlias = Any
"""A ``Fraction``, or a SymPy expression where letters are given."""

TIMES = "\N{MULTIPLICATION SIGN}"
SIGNS = str.maketrans({TIMES: "*", "·": "*", "−": "-", "[": "(", "]": ")"})
MOST_SIGNS = 500


def evaluate(text: str, letters: Mapping[str, Value] | None = None) -> Value:
    """What ``text`` comes to, exactly: whole numbers, ``letters``, ``+ - * /`` and parentheses.

    The sign of multiplication and ``·`` are read as ``*``, brackets as parentheses, ``**`` as
    a power to a whole number from 0 to 9; ``1,771,776`` has its separators.

    Raises ``ValueError``, in one line, for anything else.
    """
    source = text.translate(SIGNS).replace(",", "").strip()
    if len(source) > MOST_SIGNS:
        raise ValueError(f"no arithmetic is {len(source)} signs long")
    try:
        tree = ast.parse(source, mode="eval")
    except (SyntaxError, ValueError) as error:
        raise ValueError(f"{text!r} is no arithmetic") from error
    try:
        return _value(tree.body, letters or {})
    except ZeroDivisionError as error:
        raise ValueError(f"{text!r} divides by zero") from error


def _value(node: ast.AST, letters: Mapping[str, Value]) -> Value:
    match node:
        case ast.Constant(value=int() as number) if type(number) is int:
            return Fraction(number)
        case ast.Name(id=name) if name in letters:
            return letters[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, letters)
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int() as power)):
            if 0 <= power <= 9:
                return _value(left, letters) ** power
        case ast.BinOp(left=left, op=operator, right=right):
            return _applied(operator, _value(left, letters), _value(right, letters))
    raise ValueError(f"{ast.unparse(node)!r} is neither a whole number nor + - * / of them")


def _applied(operator: ast.operator, left: Value, right: Value) -> Value:
    match operator:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Div():
            return left / right
    raise ValueError(f"arithmetic here is + - * / only, no {type(operator).__name__}")


def whole(text: str) -> int:
    """What ``text`` comes to where that is a whole number. Raises ``ValueError``."""
    value = evaluate(text)
    if value.denominator != 1:
        raise ValueError(f"{text!r} comes to {value}, which is no whole number")
    return int(value)


def with_signs_of(printed: str, expression: str) -> bool:
    """Whether ``expression`` is ``printed`` but for signs of multiplication that were lost."""
    plain = {ord(sign): None for sign in f"*{TIMES} "}
    return printed.translate(plain) == expression.translate(plain)
