"""Format shapes, differences, long lists and foreign text for every report and table.

All text from files, models and users passes through ``legible`` or ``shown`` on its way into a
report or a message, so no name can clear a terminal, add a line or fill a screen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

MINUS = "\N{MINUS SIGN}"
MAX_AXES_SHOWN = 12

MAX_VALUE_SHOWN = 60
MAX_CELL_SHOWN = 80
MAX_NOTE_SHOWN = 200
MAX_PATH_SHOWN = 400
MAX_ERROR_SHOWN = 500
MAX_MESSAGE_SHOWN = 2000
"""The most characters of a value, a cell, a note, a file path, a user's error and a message."""


def legible(text: object, limit: int = MAX_CELL_SHOWN) -> str:
    """Return foreign text for use in one line, cut to ``limit`` characters.

    Unprintable characters, including line breaks, are escaped as in Python: ``\\x1b``, ``\\n``.
    Other text is returned unchanged.
    """
    whole = str(text)
    start = whole[: limit + 1]
    escaped = "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in start)
    return escaped if len(escaped) <= limit else f"{escaped[: limit - 3]}..."


def shown(value: object) -> str:
    return legible(repr(value), MAX_VALUE_SHOWN)


def pair_text(path: str, value: object) -> str:
    return f"{legible(path)}={'null' if value is None else shown(value)}"


def path_text(path: object) -> str:
    return legible(path, MAX_PATH_SHOWN)


def shape_text(shape: Iterable[object] | None) -> str:
    if shape is None:
        return "-"
    axes = [str(axis) for axis in islice(shape, MAX_AXES_SHOWN + 1)]
    return f"({', '.join([*axes[:MAX_AXES_SHOWN], *['...'][: len(axes) - MAX_AXES_SHOWN]])})"


def signed(number: int) -> str:
    """Return ``number`` with thousands separators and its sign: ``+1,024``, ``−1,024``."""
    return f"{number:+,}".replace("-", MINUS)


def and_more(names: Sequence[str], limit: int) -> list[str]:
    """Return the first ``limit`` of ``names``, and a last item for the rest: ``and 3 more``."""
    rest = len(names) - limit
    return [*names[:limit], f"and {rest:,} more"] if rest > 0 else list(names)


def some_of(names: Sequence[str], limit: int, between: str = ", ") -> str:
    """Return the first ``limit`` of ``names`` as one text: ``a, b and 3 more``."""
    rest = and_more(names, limit)[limit:]
    return " ".join([between.join(names[:limit]), *rest])
