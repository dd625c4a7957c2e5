"""Read user-supplied JSON strictly: one object, no repeated keys, limited length and depth."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from collections import Counter
from contextlib import nullcontext
from itertools import accumulate
from pathlib import Path
from typing import Any

from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.printing import path_text, shown

MAX_FILE_BYTES = 2**25
"""The largest file, in bytes; lists of quantised modules make some configurations 3 MB long."""

MAX_DEPTH = 100
"""The deepest nesting of brackets."""

MAX_LISTS = 2_000_000
"""The most lists and objects: each takes far more memory than its two characters."""

_STRING = re.compile(r'"[^"]*"')
_BRACKET = re.compile(r"[][{}]")
_STEP = {"[": 1, "{": 1, "]": -1, "}": -1}


def object_in_file(path: Path | None, *, largest: int = MAX_FILE_BYTES) -> dict[str, Any]:
    """Return the JSON object in a file of at most ``largest`` bytes; None is standard input."""
    where = path_text(path) if path else "standard input"
    if path:
        require_file(path)
    elif sys.stdin is None:
        raise InvalidInput("is closed", where=where)
    try:
        with open(path, "rb") if path else nullcontext(sys.stdin.buffer) as file:
            content = file.read(largest + 1)
    except OSError as error:
        raise InvalidInput(f"cannot be read: {error.strerror}", where=where) from None
    if len(content) > largest:
        raise InvalidInput(f"is longer than {largest:,} bytes, the limit", where=where)
    try:
        return object_in_text(content.decode("utf-8"), where)
    except UnicodeDecodeError:
        found = (
            "is in UTF-16"
            if content.startswith((b"\xff\xfe", b"\xfe\xff"))
            else "is not text in UTF-8"
        )
        raise InvalidInput(f"{found}: JSON must be in UTF-8", where=where) from None


def object_in_text(text: str, where: str) -> dict[str, Any]:
    """Return the JSON object in ``text``, which may begin with a byte order mark.

    ``Infinity``, ``-Infinity`` and ``NaN`` are floats, as Python reads and writes them.
    """
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise InvalidInput("is empty", where=where)
    try:
        _require_shallow(text)
        found = json.loads(text, object_pairs_hook=_once_each)
    except InvalidInput as error:
        error.where = where
        raise
    except json.JSONDecodeError as error:
        raise InvalidInput(f"is not JSON: {error}", where=where) from None
    except ValueError:  # Python refuses an int with this many digits.
        raise InvalidInput("a number has too many digits for a size", where=where) from None
    if not isinstance(found, dict):
        raise InvalidInput(f"is not a JSON object: {shown(found)}", where=where)
    return found


def require_file(path: Path) -> None:
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError) as error:
        is_there = os.path.lexists(path) or isinstance(error, PermissionError)
        reason = f"cannot be read: {getattr(error, 'strerror', error)}"
        where = path_text(path)
        raise InvalidInput(reason if is_there else "does not exist", where=where) from None
    if stat.S_ISDIR(mode):
        raise InvalidInput("is a directory: name a file in it", where=path_text(path))
    if not stat.S_ISREG(mode):
        raise InvalidInput("is not a regular file", where=path_text(path))


def _require_shallow(text: str) -> None:
    """Refuse brackets that are nested too deep, or too many.

    Python's own limit is its stack, whose overflow in a browser ends the interpreter.
    """
    # One pattern for strings with their escapes would keep each escape in memory.
    bare = _STRING.sub('""', text.replace("\\\\", "").replace('\\"', ""))
    if sum(map(bare.count, _STEP)) > 2 * MAX_LISTS:
        raise InvalidInput(f"has more than {MAX_LISTS:,} lists and objects")
    steps = map(_STEP.__getitem__, _BRACKET.findall(bare))
    if max(accumulate(steps), default=0) > MAX_DEPTH:
        raise InvalidInput(f"is nested deeper than {MAX_DEPTH} levels")


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, number in Counter(key for key, _ in pairs).items() if number > 1)
        raise InvalidInput(f"the key {shown(twice)} appears twice", key=twice)
    return found
