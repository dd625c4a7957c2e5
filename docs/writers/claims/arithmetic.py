"""Evaluate arithmetic as texts print it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypeAlias

Value: TypeAlias = Any
"""A ``Fraction``, or an expression if letters are given."""

TIMES = "\N{MULTIPLICATION SIGN}"
SIGNS = str.maketrans({TIMES: "*", "·": "*", "−": "-", "[": "(", "]": ")", ",": None, "\n": " "})
TOKEN = re.compile(r"(?P<number>\d+)|(?P<letter>\w+)|\*\*\s*\d\b|\*(?!\*)|/(?!/)|[-+() ]")


def evaluate(text: str, letters: Mapping[str, Value] | None = None) -> Value:
    """Return the exact value of ``text``: whole numbers, ``letters``, operators, parentheses.

    A multiplication sign and ``·`` are read as ``*``, brackets as parentheses, ``**`` as a power
    with one digit; ``1,771,776`` may have separators. Raises ``ValueError``, in one line, for
    anything else.
    """
    source = text.translate(SIGNS).strip()
    tokens = list(TOKEN.finditer(source))
    strange = {found["letter"] for found in tokens} - {None, *(letters or ())}
    if strange or "".join(found[0] for found in tokens) != source:
        raise ValueError(f"{text!r} is not made of whole numbers, letters and + - * /")
    # The source has only the tokens above, and every number becomes an exact fraction.
    exact = "".join(f"Number({found[0]})" if found["number"] else found[0] for found in tokens)
    try:
        return eval(exact, {"__builtins__": {}, "Number": Fraction, **(letters or {})})
    except (SyntaxError, TypeError, ZeroDivisionError) as error:
        raise ValueError(f"{text!r} is not valid arithmetic") from error


def whole(text: str) -> int:
    """Return the value of ``text`` if it is a whole number. Raises ``ValueError`` if not."""
    value = evaluate(text)
    if value.denominator != 1:
        raise ValueError(f"{text!r} comes to {value}, which is not a whole number")
    return int(value)


def with_signs_of(printed: str, expression: str) -> bool:
    """Return whether ``printed`` is ``expression``, apart from missing multiplication signs."""
    plain = {ord(sign): None for sign in f"*{TIMES} "}
    return printed.translate(plain) == expression.translate(plain)
