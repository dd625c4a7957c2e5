"""Look up names that users type, without regard to case, and suggest similar names."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from paramproof.formulas.errors import UnknownName
from paramproof.formulas.printing import MAX_VALUE_SHOWN, shown, some_of

MAX_NAMES_LISTED = 40
"""The maximum number of names that an error lists if no command lists them."""


def canonical_name(name: str, names: Iterable[str]) -> str | None:
    """Return the one of ``names`` that equals ``name`` without regard to case.

    An exact match takes precedence. None if no name or several names match.
    """
    known = list(names)
    if name in known:
        return name
    folded = name.casefold()
    matches = {other for other in known if other.casefold() == folded}
    return matches.pop() if len(matches) == 1 else None


def no_such(kind: str, name: object, known: Iterable[str], listed_by: str = "") -> UnknownName:
    """Return the error for the unknown ``name`` of a ``kind`` of thing.

    It suggests at most three similar names, without regard to case, and names the command
    ``listed_by`` that lists all names. Without such a command it lists the ``known`` names:
    ``no dtype is named 'fp61'; there are: …``.
    """
    names = [*known]
    close = _close(name, names)
    said = f"no {kind} is named {shown(name)}"
    if close:
        said += f": did you mean {_or(close)}?"
    if not listed_by:
        listed = some_of(names, MAX_NAMES_LISTED)
        said += f" There are: {listed}" if close else f"; there are: {listed}"
    text = name if isinstance(name, str) else shown(name)
    return UnknownName(said, text, kind, suggestions=tuple(close), listed_by=listed_by)


def _close(name: object, names: list[str]) -> list[str]:
    # The time to match grows with the square of the length.
    if not isinstance(name, str) or len(name) > MAX_VALUE_SHOWN:
        return []
    by_lower = {known.lower(): known for known in names}
    matches = get_close_matches(name.lower(), by_lower)  # At most three.
    return [by_lower[lower] for lower in matches]


def _or(names: list[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last
