"""Parse expressions and conditions from their printed form: ``4·H² − ⌊H/A⌋·A``.

Parsing the output of ``notation.text`` or of a condition's ``str`` returns an equal object. The
printed form is ordinary arithmetic, so its tokens are translated to those of Python, whose parser
returns a syntax tree: ⌊a/b⌋ is a call with two operands, and × and ÷, which bind less than a sum,
are shifts. In ⌊x/a·b⌋, as older files have it, all of ``a·b`` is the divisor for the same reason.

Only the last factor of a product may be a sum, and only an atom has a power: expanding a text takes
time in proportion to its length.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

from paramproof.formulas.computed import FUNCTIONS
from paramproof.formulas.condition import Condition, Relation
from paramproof.formulas.expression import (
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
from paramproof.formulas.notation import SUPERSCRIPTS
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
OPERATORS: dict[type, Binary] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}

RELATIONS = {
    sign: (relation, holds)
    for relation in Relation
    for sign, holds in zip(relation.value, (True, False), strict=True)
}

RELATION = re.compile(f" ({'|'.join(RELATIONS)}) ")


# A file of the catalogue has the same few texts at hundreds of tensors.
@lru_cache(maxsize=4096)
def expression_in(text: str) -> Expression:
    names: list[str] = []
    try:
        return _whole(_value(ast.parse(_python(text, names), mode="eval").body, names))
    except (ArithmeticError, LookupError, MemoryError, RecursionError, SyntaxError, TypeError):
        raise ValueError(f"{shown(text)} is not an expression") from None


def condition_in(text: str) -> Condition:
    """Return the condition that is printed as ``text``: ``A divides H``, ``V ≤ 25000``.

    The condition is normalized, as conditions are printed. Raises ``ValueError``, in one line that
    quotes the text, for anything else.
    """
    parts = RELATION.split(text)
    if len(parts) != 3:
        raise ValueError(f"{shown(text)} is not a condition")
    left, sign, right = parts
    relation, holds = RELATIONS[sign]
    return Condition(relation, expression_in(left), expression_in(right), holds).normalized()


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
        case ast.Call(ast.Name(name), operands):
            values = [_value(one, names) for one in operands]
            if name in ROUNDED:
                return ROUNDED[name](*map(_whole, values))
            return computed(_function(names[int(name[1:])]), *values)
        case ast.UnaryOp(ast.USub(), operand):
            one = _value(operand, names)
            return -one if isinstance(one, float) else -_whole(one)
        case ast.BinOp(left, ast.Pow(), ast.Constant(int(power))) if not _ends_in_sum(left):
            return _whole(_value(left, names)) ** power
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
        case ast.BinOp(_, ast.Mult(), right):
            return _ends_in_sum(right)
    return False
