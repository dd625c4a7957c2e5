"""Read user-supplied JSON strictly: one object, no key twice, no file too long."""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Mapping
from itertools import accumulate
from pathlib import Path
from typing import Any, NoReturn

from paramproof.formulas.printing import path_text, shown

MAX_DEPTH = 100
"""Brackets within brackets."""

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_BRACKET = re.compile(r"[][{}]")
_STEPS = {"[": 1, "{": 1, "]": -1, "}": -1}


def object_in_file(path: Path, *, largest: int) -> dict[str, Any]:
    """Return the JSON object in the file at ``path``, of at most ``largest`` bytes.

    Raises ``ValueError``, in one line that names the file, for anything else.
    """
    require_file(path)
    where = path_text(path)
    size = path.stat().st_size
    if size > largest:
        raise ValueError(f"{where} has {size:,} bytes: no such file is longer than {largest:,}")
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{where} is no JSON: it is not text in UTF-8") from None
    except OSError as error:
        raise ValueError(f"{where} cannot be read: {error.strerror}") from None
    return object_in_text(text, where)


def object_on_standard_input(*, largest: int) -> dict[str, Any]:
    """Return the JSON object on standard input, of at most ``largest`` bytes.

    Raises ``ValueError``, in one line, for anything else.
    """
    name = "standard input"
    if sys.stdin is None:
        raise ValueError(f"{name} is closed")
    try:
        found = sys.stdin.buffer.read(largest + 1)
        text = found.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{name} is no JSON: it is not text in UTF-8") from None
    except OSError as error:
        raise ValueError(f"{name} cannot be read: {error.strerror}") from None
    if len(found) > largest:
        raise ValueError(f"{name} is longer than {largest:,} bytes, as no such file is")
    return object_in_text(text, name)


def object_in_text(text: str, name: str) -> dict[str, Any]:
    """Return the JSON object in ``text``; an error calls it ``name``.

    Raises ``ValueError`` for what is no JSON, no object, or has a key twice.
    """
    if _is_too_deep(text):
        raise ValueError(f"{name} is no JSON that can be read: it is nested too deep")
    try:
        found = json.loads(text, object_pairs_hook=_once_each, parse_constant=_no_number)
    except _Refused as error:
        raise ValueError(f"{name}: {error}") from None
    except ValueError as error:
        raise ValueError(f"{name} is no JSON: {error}") from None
    if not isinstance(found, dict):
        raise ValueError(f"{name} is no JSON object: {shown(found)}")
    return found


def require_file(path: Path) -> None:
    """Raise ``ValueError`` where ``path`` is not a file with a content of its own."""
    # Unlike Path's, these answer for a name that is too long, too.
    where = path_text(path)
    if os.path.isdir(path):
        raise ValueError(f"{where} is a directory: name the file in it")
    if not os.path.exists(path):
        raise ValueError(f"{where} does not exist")
    if not os.path.isfile(path):
        raise ValueError(f"{where} is no regular file")


def _is_too_deep(text: str) -> bool:
    """Whether brackets are nested deeper than in any such file.

    Python's own limit is that of its stack, which in a browser ends the interpreter.
    """
    brackets = _BRACKET.findall(_STRING.sub("", text))
    return max(accumulate(map(_STEPS.__getitem__, brackets)), default=0) > MAX_DEPTH


class _Refused(ValueError):
    """JSON that Python accepts and a reader of sizes must not."""


def _once_each(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        times = Counter(key for key, _ in pairs)
        twice = next(key for key, number in times.items() if number > 1)
        raise _Refused(f"the key {shown(twice)} stands there twice")
    return found


def _no_number(constant: str) -> NoReturn:
    raise _Refused(f"{constant} is no number")
