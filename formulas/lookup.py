"""Names that nobody has: the error that says what was meant, perhaps, and what there is."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from paramproof.formulas.printing import MAX_VALUE_SHOWN, shown

MAX_SUGGESTIONS = 3


def no_such(kind: str, name: object, known: Iterable[str]) -> ValueError:
    """Return the error for ``name``, which no ``kind`` has, with those that are ``known``.

    The names most like it come first: ``no model is named 'brt-base': did you mean bert-base?
    There are: …``. Case does not matter to that.
    """
    names = list(known)
    said = f"no {kind} is named {shown(name)}"
    if close := _close(name, names):
        return ValueError(f"{said}: did you mean {_or(close)}? There are: {', '.join(names)}")
    return ValueError(f"{said}; there are: {', '.join(names)}")


def _close(name: object, names: list[str]) -> list[str]:
    # Matching takes time that grows with the square of the length.
    if not isinstance(name, str) or len(name) > MAX_VALUE_SHOWN:
        return []
    by_lower = {known.lower(): known for known in names}
    found = get_close_matches(name.lower(), by_lower, n=MAX_SUGGESTIONS)
    return [by_lower[lower] for lower in found]


def _or(names: list[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last
