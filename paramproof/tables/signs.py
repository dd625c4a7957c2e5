"""Formulas for terminals without their characters: ``−L·H²`` is printed as ``-L*H^2``."""

from __future__ import annotations

import codecs
import io
import re
from typing import TextIO

from paramproof.formulas.notation import SUPERSCRIPTS
from paramproof.formulas.printing import MINUS

ERRORS = "paramproof.signs"
"""The name of the error handler that ``write_any_sign`` sets on a stream."""

SIGNS = {
    MINUS: "-",
    "·": "*",
    "×": "x",
    "±": "+-",
    "→": "->",
    "√": "sqrt ",
    "½": "1/2",
    "⌊": "floor(",
    "⌋": ")",
    "⌈": "ceil(",
    "⌉": ")",
    "…": "...",
    "─": "-",
    "━": "-",
    "╸": "-",
    "╺": "-",
}
DIGITS = {chr(sign): chr(digit) for digit, sign in SUPERSCRIPTS.items()}
"""The digit of each superscript."""

_POWER = re.compile(f"[{''.join(DIGITS)}]+")


def in_signs_of(text: str, encoding: str) -> str:
    """Return ``text`` unchanged if ``encoding`` can encode it, or else in ASCII.

    Mathematical signs become their ASCII notation; other characters are escaped as in Python.
    """
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return _in_ascii(text)
    return text


def write_any_sign(stream: TextIO | None) -> None:
    """Make ``stream`` write characters outside its encoding in ASCII instead of failing."""
    if isinstance(stream, io.TextIOWrapper):
        codecs.register_error(ERRORS, _handler)
        stream.reconfigure(errors=ERRORS)


def _in_ascii(text: str) -> str:
    powers = _POWER.sub(lambda found: "^" + "".join(DIGITS[sign] for sign in found[0]), text)
    signs = "".join(SIGNS.get(sign, sign) for sign in powers)
    return signs.encode("ascii", "backslashreplace").decode("ascii")


def _handler(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return _in_ascii(error.object[error.start : error.end]), error.end
