"""The signs of a formula where the terminal has no letters for them: ``−L·H²`` as ``-L*H^2``."""

from __future__ import annotations

import codecs
import io
import re
from typing import TextIO

from paramproof.formulas.notation import SUPERSCRIPTS
from paramproof.formulas.printing import MINUS

ERRORS = "paramproof.signs"
"""The name of the error handler that ``write_any_sign`` gives a stream."""

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
"""Digit by its superscript."""

_POWER = re.compile(f"[{''.join(DIGITS)}]+")


def in_signs_of(text: str, encoding: str) -> str:
    """Return ``text`` as it is where ``encoding`` has all of it, else in ASCII.

    The project's signs keep their meaning; anything else is escaped as in Python.
    """
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return _in_ascii(text)
    return text


def write_any_sign(stream: TextIO | None) -> None:
    """Let ``stream`` write in ASCII what its encoding does not have, in place of an error."""
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
