"""The errors that users can meet, and the look-up of names that they type.

An error has the source, the key or the name at fault as attributes. It prints as one line of
bounded length, with foreign text escaped. Names are looked up without regard to case, and an
unknown one gets similar names as suggestions.

A broken plug-in is left out and noted here: it raises an error only if somebody names it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any, TypeVar

from paramproof.formulas.printing import (
    MAX_MESSAGE_SHOWN,
    MAX_NOTE_SHOWN,
    MAX_VALUE_SHOWN,
    legible,
    path_text,
    shown,
    some_of,
)

Found = TypeVar("Found")

ALIKE = 0.8  # The share of letters that a misspelt name has in common with the right one.
SHORTEST_BEGINNING = 3  # The shortest text that is completed to a name.
LONG_WORD = 5  # May be misspelt on its own, as "tensorlow" for keras-tensorflow.
MAX_SUGGESTIONS = 3
MAX_NAMES_LISTED = 40
MAX_SECONDS = 10**9  # The longest time limit: some systems have no timer for a longer one.


@dataclass(eq=False, repr=False)
class InvalidInput(ValueError):
    """Invalid input: a file that cannot be read, an impossible key or size.

    ``where`` is the file or source and ``key`` the key in it; each may be "". ``reason`` says what
    is wrong, and what would be right.
    """

    reason: str
    _: KW_ONLY
    where: str = ""
    key: str = ""

    def __str__(self) -> str:
        return _line(self.where, self.reason)


class FormulaError(ArithmeticError):
    """Raised if the inventory and the closed form disagree, before any framework builds a model."""


class ConfigWarning(UserWarning):
    """Warns of what paramproof assumed about a configuration or ignored in it."""


@dataclass(eq=False, repr=False)
class UnknownName(InvalidInput):
    """An unknown name of a model, a dtype or another ``kind`` of thing.

    ``suggestions`` are at most three similar names. ``listed_by`` is the command that lists all
    names, or ""; it ends the printed line, but is not in ``reason``.
    """

    name: str
    kind: str
    _: KW_ONLY
    suggestions: tuple[str, ...] = ()
    listed_by: str = ""

    def __str__(self) -> str:
        if not self.listed_by:
            return super().__str__()
        between = "" if self.suggestions else ";"
        return f"{super().__str__()}{between} {legible(self.listed_by)!r} lists all names"


@dataclass(eq=False, repr=False)
class NotInCatalogue(ValueError):
    """A config that has no formula in the catalogue.

    ``key`` is the key whose value is not covered, "" if ``model_type`` itself is not. ``install``
    is the command (of ``install_command``) that installs the packages for deriving the formula, ""
    if nothing can be derived, as where ``is_refused`` says that transformers refuses it too.
    """

    reason: str
    _: KW_ONLY
    model_type: str = ""
    key: str = ""
    install: str = ""
    where: str = ""
    is_refused: bool = False

    def __str__(self) -> str:
        how = "; to derive it from code, add --derive (derive=True in Python), which needs "
        advice = f"{how}transformers: {self.install}" if self.install else ""
        return _line(self.where, self.reason) + advice


def _line(where: str, reason: str) -> str:
    said = legible(reason, MAX_MESSAGE_SHOWN)
    # A model type that was named by itself is the place and the subject of the reason.
    is_said = not where or said.startswith(f"{where}: ")
    return said if is_said else f"{path_text(where)}: {said}"


BROKEN_PLUGINS: dict[tuple[str, str], InvalidInput] = {}
"""The errors of plug-ins that cannot be used, by group and name."""


def load_plugins(group: str, add: Callable[[Any], None]) -> None:
    """Add the plug-ins under an entry point group, sorted, and note those that cannot be used."""
    from importlib import metadata  # A count needs no plug-in.

    for entry in sorted(metadata.entry_points(group=group)):
        try:
            add(entry)
        except (Exception, SystemExit) as error:  # A plug-in may raise anything.
            kind = "" if isinstance(error, InvalidInput) else f"{type(error).__name__}: "
            what = legible(f"{kind}{error}", MAX_NOTE_SHOWN)
            owner = f" of {legible(entry.dist.name)}" if entry.dist else ""
            reason = f"the plug-in {legible(entry.name)}{owner} cannot be used: {what}"
            # A plug-in may be loaded several times: keep the first error.
            broken = InvalidInput(reason, where=entry.value)
            BROKEN_PLUGINS.setdefault((group, entry.name), broken)


def require_type(value: object, kind: type | tuple[type, ...], what: str) -> None:
    """Raise ``InvalidInput`` unless ``value`` (``what``) is of a type. A bool is not an int."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        names = " or ".join(one.__name__.lower() for one in kinds)
        raise InvalidInput(f"{what} is {shown(value)}, which is not of the type {names}")


def canonical_name(
    name: str, names: Iterable[str], folded: Callable[[str], str] = str.casefold
) -> str | None:
    """Return the one of ``names`` that equals ``name``: exactly, or once both are ``folded``."""
    known = list(names)
    if name in known:
        return name
    wanted = folded(name)
    matches = {other for other in known if folded(other) == wanted}
    return matches.pop() if len(matches) == 1 else None


def look_up(
    kind: str, name: object, known: Mapping[str, Found], group: str, listed_by: str = ""
) -> Found:
    """Return the one called ``name``, in any case. Raises the error of a broken plug-in."""
    if isinstance(name, str):
        if own := canonical_name(name, known):
            return known[own]
        for (of, registered), error in BROKEN_PLUGINS.items():
            if of == group and registered.casefold() == name.casefold():
                raise error
    raise no_such(kind, name, known, listed_by)


def no_such(kind: str, name: object, known: Iterable[str], listed_by: str = "") -> UnknownName:
    """Return the error for the unknown ``name`` of a ``kind`` of thing, with similar names.

    It lists the ``known`` names, unless the command ``listed_by`` does:
    ``no dtype is named 'fp61'; there are: …``.
    """
    names = [*known]
    close = similar_names(name, names)
    said = f"no {kind} is named {shown(name)}"
    if close:
        *others, last = close
        first = f"{', '.join(others)} or " if others else ""
        said += f": did you mean {first}{last}?"
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
    plain, *others = (re.sub(r"[\s_:]", "-", one.lower()) for one in (name, *names))
    alike = {known: _likeness(plain, other) for known, other in zip(names, others, strict=True)}
    ranked = sorted(filter(alike.get, alike), key=alike.__getitem__, reverse=True)
    return tuple(ranked[:MAX_SUGGESTIONS])


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
