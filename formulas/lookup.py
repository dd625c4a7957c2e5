"""Look up names that users write: without regard to case, and with suggestions for a wrong one."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from paramproof.formulas.errors import UnknownName
from paramproof.formulas.printing import MAX_VALUE_SHOWN, shown, some_of

MAX_NAMES_LISTED = 40
"""Names that an error lists where no command lists them."""


def canonical_name(name: str, names: Iterable[str]) -> str | None:
    """Return which of ``names`` is meant by ``name``, None where none is or several are.

    A name that is spelt exactly so comes first; then case does not matter.
    """
    known = list(names)
    if name in known:
        return name
    folded = name.casefold()
    found = {one for one in known if one.casefold() == folded}
    return found.pop() if len(found) == 1 else None


def no_such(kind: str, name: object, known: Iterable[str], listed_by: str = "") -> UnknownName:
    """Return the error for ``name``, which no ``kind`` of thing has.

    It suggests the names most similar to it, three at most and without regard to case, and the
    command ``listed_by`` that lists all names. Without such a command it lists those ``known``:
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
    # Matching takes time that grows with the square of the length.
    if not isinstance(name, str) or len(name) > MAX_VALUE_SHOWN:
        return []
    by_lower = {known.lower(): known for known in names}
    # At most three, unless asked for more.
    found = get_close_matches(name.lower(), by_lower)
    return [by_lower[lower] for lower in found]


def _or(names: list[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last
