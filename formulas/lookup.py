"""Look up names that users type, without regard to case, and suggest similar names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from difflib import SequenceMatcher
from functools import lru_cache

from paramproof.formulas.errors import UnknownName
from paramproof.formulas.printing import MAX_VALUE_SHOWN, shown, some_of

ALIKE = 0.8
"""The share of letters that a misspelt name has in common with the right one."""

SHORTEST_BEGINNING = 3
"""The shortest text that is completed to a name."""

LONG_WORD = 5
"""The length of a word that may be misspelt on its own, as "tensorlow" for keras-tensorflow."""

MAX_SUGGESTIONS = 3

MAX_NAMES_LISTED = 40
"""The maximum number of names that an error lists if no command lists them."""


def canonical_name(
    name: str, names: Iterable[str], folded: Callable[[str], str] = str.casefold
) -> str | None:
    """Return the one of ``names`` that equals ``name`` once both are ``folded``.

    An exact match takes precedence. None if no name or several names match.
    """
    known = list(names)
    if name in known:
        return name
    wanted = folded(name)
    matches = {other for other in known if folded(other) == wanted}
    return matches.pop() if len(matches) == 1 else None


def no_such(kind: str, name: object, known: Iterable[str], listed_by: str = "") -> UnknownName:
    """Return the error for the unknown ``name`` of a ``kind`` of thing.

    It suggests at most three similar names, without regard to case, and names the command
    ``listed_by`` that lists all names. Without such a command it lists the ``known`` names:
    ``no dtype is named 'fp61'; there are: …``.
    """
    names = [*known]
    close = similar_names(name, names)
    said = f"no {kind} is named {shown(name)}"
    if close:
        said += f": did you mean {_or(close)}?"
    if not listed_by:
        listed = some_of(names, MAX_NAMES_LISTED)
        said += f" There are: {listed}" if close else f"; there are: {listed}"
    text = name if isinstance(name, str) else shown(name)
    return UnknownName(said, text, kind, suggestions=tuple(close), listed_by=listed_by)


def similar_names(name: object, names: Iterable[str]) -> list[str]:
    """Return at most three of ``names`` that ``name`` could mean, the likeliest first."""
    # The time to match grows with the square of the length.
    if not isinstance(name, str) or len(name) > MAX_VALUE_SHOWN:
        return []
    return [*_similar(name, tuple(names))]


@lru_cache(1024)  # Many configurations may have the same unknown model type.
def _similar(name: str, names: tuple[str, ...]) -> tuple[str, ...]:
    alike = {known: _likeness(_plain(name), _plain(known)) for known in names}
    ranked = sorted(filter(alike.get, alike), key=alike.__getitem__, reverse=True)
    return tuple(ranked[:MAX_SUGGESTIONS])


def _plain(name: str) -> str:
    return re.sub(r"[\s_:]", "-", name.lower())


def _likeness(name: str, known: str) -> float:
    """Return how likely ``name`` means ``known``; 0 if only some letters are the same.

    It does if it begins or abbreviates a name, if it has the words of one, or if a slip of a finger
    or two explains how it differs from the name, or from a long word in it.
    """
    whole, *by_word = (
        SequenceMatcher(None, name, one).ratio()
        for one in (known, *(word for word in known.split("-") if len(word) >= LONG_WORD))
    )
    if len(name) >= SHORTEST_BEGINNING and f"-{name}" in f"-{known}":
        return 1 + whole
    rest = iter(known)
    is_short = name[:3] == known[:3] and all(letter in rest for letter in name)
    has_words = f"-{known}-" in f"-{name}-" or sorted(name) == sorted(known)
    return whole if has_words or is_short or max(whole, *by_word, 0) >= ALIKE else 0


def _or(names: list[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last
