"""How shapes, differences, long lists and foreign text are written, in every report and table.

What a file, a model or a user says passes through ``legible`` or ``shown`` where it enters a
report or a message: no name can clear a terminal, add a line or fill a screen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

MINUS = "\N{MINUS SIGN}"

MAX_ROWS_SHOWN = 50
"""A report has so many rows; one more says what the others add up to."""

MAX_AXES_SHOWN = 12

MAX_VALUE_SHOWN = 60
MAX_CELL_SHOWN = 80
MAX_NOTE_SHOWN = 200
MAX_PATH_SHOWN = 400
MAX_MESSAGE_SHOWN = 2000
"""Characters of a value, a cell, a remark, a file's path and a whole message."""


def legible(text: object, limit: int = MAX_CELL_SHOWN) -> str:
    """Return foreign text as part of one line: the start of a long one, control codes escaped.

    What cannot be printed, a line break among it, is written as in Python: ``\\x1b``, ``\\n``.
    A text that is legible is returned as it is.
    """
    whole = str(text)
    escaped = "".join(map(_printable, whole[: limit + 1]))
    return escaped if len(escaped) <= limit else f"{escaped[: limit - 3]}..."


def shown(value: object) -> str:
    """Return a foreign value as Python writes it, legible."""
    return legible(repr(value), MAX_VALUE_SHOWN)


def path_text(path: object) -> str:
    """Return a file's path, legible."""
    return legible(path, MAX_PATH_SHOWN)


def _printable(character: str) -> str:
    return character if character.isprintable() else repr(character)[1:-1]


def shape_text(shape: Iterable[object] | None) -> str:
    """Return a shape as ``(2, 3)``, ``(4)`` or ``()``; "-" where there is none."""
    if shape is None:
        return "-"
    axes = [str(axis) for axis in islice(shape, MAX_AXES_SHOWN + 1)]
    return f"({', '.join([*axes[:MAX_AXES_SHOWN], *['...'][: len(axes) - MAX_AXES_SHOWN]])})"


def signed(number: int) -> str:
    """Return ``number`` with separators for thousands and its sign, ``+1,024`` or ``−1,024``."""
    return f"{number:+,}".replace("-", MINUS)


def and_more(names: Sequence[str], limit: int) -> list[str]:
    """Return the first ``limit`` of ``names``, and for the rest their number: ``and 3 more``."""
    rest = len(names) - limit
    return [*names[:limit], f"and {rest:,} more"] if rest > 0 else list(names)


def some_of(names: Sequence[str], limit: int, between: str = ", ") -> str:
    """Return the first ``limit`` of ``names`` as one text: ``a, b and 3 more``."""
    rest = and_more(names, limit)[limit:]
    return " ".join([between.join(names[:limit]), *rest])
