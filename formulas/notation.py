"""The printed form of expressions, read back: the text of an expression gives an equal one.

It is ordinary arithmetic, so its tokens are translated to those of Python, whose parser returns a
syntax tree: ⌊a/b⌋ is a call with two operands, and × and ÷, which bind less than a sum, are shifts.
In ⌊x/a·b⌋, as older files have it, all of ``a·b`` is the divisor for the same reason. Only the last
factor of a product may be a sum, and only an atom has a power, so that sums are not multiplied. A
quotient that comes to a sum may still be a factor, and many of them take long.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import lru_cache
from operator import add, mul, sub, truediv
from typing import Any, TypeAlias

from paramproof.formulas.computed import FUNCTIONS
from paramproof.formulas.expression import (
    SUPERSCRIPTS,
    Computed,
    Expression,
    Operand,
    as_operand,
    ceiling,
    computed,
    expression,
    floor,
    letter,
)
from paramproof.formulas.printing import MINUS, shown

LONGEST = 20_000  # The maximum number of characters of an expression.
DEEPEST = 40  # The maximum nesting of brackets and quotients.

TOKEN = re.compile(
    r"(?P<decimal>[0-9]+(?:\.[0-9]+)?e[+-−]?[0-9]+|[0-9]+\.[0-9]+)"
    r"|(?P<number>[0-9]{1,40})|(?P<power>[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2})"
    # A name in Python, which may have letters of any alphabet, but no superscript.
    r"|(?P<letter>[^\W\d⁰¹²³⁴⁵⁶⁷⁸⁹][^\W⁰¹²³⁴⁵⁶⁷⁸⁹]*'*)"
    rf"|(?P<sign>[+·×÷,/()⌊⌋⌈⌉{MINUS}])"
)

Binary: TypeAlias = Callable[[Expression, Expression], Expression]

DIGITS = {sup: digit for digit, sup in SUPERSCRIPTS.items()}

ROUNDED: dict[str, Binary] = {"floor": floor, "ceiling": ceiling}
OPENING = {"(": "(", "⌊": "floor(", "⌈": "ceiling("}
CLOSING = {")": "(", "⌋": "⌊", "⌉": "⌈"}
SIGNS = {"·": "*", MINUS: "-", "×": "<<", "÷": ">>"}
SHIFTS = {ast.LShift: "times", ast.RShift: "over"}
OPERATORS: dict[type, Binary] = {ast.Add: add, ast.Sub: sub, ast.Mult: mul, ast.Div: truediv}


# A file of the catalogue has the same few texts at hundreds of tensors.
@lru_cache(maxsize=4096)
def expression_in(written: str) -> Expression:
    names: list[str] = []
    try:
        return _whole(_value(ast.parse(_python(written, names), mode="eval").body, names))
    except (ArithmeticError, LookupError, MemoryError, RecursionError, SyntaxError, TypeError):
        raise ValueError(f"{shown(written)} is not an expression") from None


def _python(text: str, names: list[str]) -> str:
    """Return a text in Python's signs, with x0, x1 … for letters and functions, as in ``names``."""
    if len(text) > LONGEST or TOKEN.sub("", text).strip():
        raise SyntaxError
    written, opened = [], []
    for match in TOKEN.finditer(text):
        kind, token = match.lastgroup, match[0]
        if kind == "letter":
            names.append(token)
            token = f"x{len(names) - 1}"
        elif kind == "power":
            token = f"**{token.translate(DIGITS)}"
        elif token in OPENING:
            opened.append(token)
            token = OPENING[token]
        elif token in CLOSING:
            if opened.pop() != CLOSING[token]:
                raise SyntaxError
            token = ")"
        elif token == "/" and opened and opened[-1] != "(":
            token = ","
        else:
            token = SIGNS.get(token, token.replace(MINUS, "-"))
        written.append(token)
        if len(opened) > DEEPEST:
            raise SyntaxError
    return " ".join(written)


def _value(node: Any, names: list[str]) -> Operand:
    match node:
        case ast.Constant(float(value) | int(value)):
            return value if isinstance(value, float) else expression(value)
        case ast.Name(name):
            return letter(names[int(name[1:])])
        case ast.Call(ast.Name(name), [_, *_] as operands, []):
            values = [_value(one, names) for one in operands]
            if name in ROUNDED:
                return ROUNDED[name](*map(_whole, values))
            return computed(_function(names[int(name[1:])]), *values)
        case ast.UnaryOp(ast.USub(), operand):
            one = _value(operand, names)
            return -one if isinstance(one, float) else -_whole(one)
        case ast.BinOp(
            ast.Name() | ast.Call() | ast.BinOp(_, ast.LShift() | ast.RShift(), _) as atom,
            ast.Pow(),
            ast.Constant(int(power)),
        ):
            return _whole(_value(atom, names)) ** power
        case ast.BinOp(left, sign, right):
            if isinstance(sign, ast.Mult) and _ends_in_sum(left):
                raise SyntaxError
            one, other = _value(left, names), _value(right, names)
            if function := SHIFTS.get(type(sign)):
                return Computed(function, (as_operand(one), as_operand(other)))
            return OPERATORS[type(sign)](_whole(one), _whole(other))
    raise SyntaxError


def _function(name: str) -> str:
    if name not in FUNCTIONS:
        raise SyntaxError
    return name


def _whole(one: Operand) -> Expression:
    if isinstance(one, float):
        raise SyntaxError
    return computed(one.function, *one.operands) if isinstance(one, Computed) else one


def _ends_in_sum(node: Any) -> bool:
    match node:
        case ast.BinOp(_, ast.Add() | ast.Sub(), _):
            return True
        case ast.BinOp(_, ast.Mult(), last) | ast.BinOp(last, ast.Div(), _) | ast.UnaryOp(_, last):
            return _ends_in_sum(last)
    return False
