"""An explanation as lines of text, and as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from paramproof.explain import letters as algebra
from paramproof.explain.explanation import recount
from paramproof.explain.search import Explanation, Found
from paramproof.explain.words import of_one
from paramproof.formulas.conventions import CONVENTIONS
from paramproof.formulas.notation import MINUS, text

MOST = 6
"""Accounts that are told."""

MOST_UNNAMED = 3
MOST_MODELS = 6


@dataclass(frozen=True, slots=True)
class Told:
    """An account in words and in letters.

    ``difference`` is what it has beyond the component that it begins with, and ``residual``
    the same in letters; 0 and empty where it is that component, or a sum of several.
    ``alike`` are further accounts that no letter tells from this one.
    """

    found: Found
    letters: str
    difference: int = 0
    residual: str = ""
    alike: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """The account, its algebra, its models."""
        found = self.found
        rounded = f" = {found.count:,}, {found.reading}" if found.reading else ""
        yield f"  {found.text}{rounded}"
        whole = not found.account.parts[0].component
        if self.residual and whole and not (found.account.sizes and len(found.models) > 1):
            yield f"    claimed − formula = {signed(self.difference)} = {self.residual}"
        else:
            yield f"    = {self.letters}"
        if self.alike:
            yield f"    or as well: {_some(self.alike, 3)}"
        yield f"    of {_some(found.models, MOST_MODELS)}"

    def as_json(self) -> dict[str, Any]:
        """This as JSON has it."""
        account = self.found.account
        return {
            "account": self.found.text,
            "count": self.found.count,
            "reading": self.found.reading,
            "models": list(self.found.models),
            "length": account.length,
            "letters": self.letters,
            "difference": self.difference,
            "residual": self.residual,
            "parts": [part._asdict() for part in account.parts],
            "sizes": dict(account.sizes),
            "plain": account.plain,
            "alike": list(self.alike),
        }


def told(found: Iterable[Found]) -> list[Told]:
    """Each account with its algebra; those of the same models that no letter tells apart as one."""
    groups: dict[tuple[object, ...], list[Found]] = {}
    for one in found:
        expression = algebra.in_letters(one.account, one.spec)
        key = (expression, one.count, one.models, one.account.length)
        groups.setdefault(key, []).append(one)
    return [_told(first, tuple(other.text for other in alike)) for first, *alike in groups.values()]


def _told(found: Found, alike: tuple[str, ...] = ()) -> Told:
    letters = text(algebra.in_letters(found.account, found.spec))
    if not of_one(found.account):
        return Told(found, letters, alike=alike)
    own = algebra.reference(found.account)
    residual = algebra.beyond(found.account, found.spec)
    difference = found.count - recount(own, found.spec)[0]
    return Told(found, letters, difference, text(residual) if residual else "", alike)


def lines(explanation: Explanation) -> Iterator[str]:
    """What is printed: the accounts, or that there is none and what is near."""
    number = explanation.number
    if explanation.found:
        where = ", ".join(explanation.none_in)
        yield f"{number}: no account in {where}, but elsewhere it is" if where else f"{number} is"
        accounts = told(explanation.found)
        yield from _numbered(accounts, MOST)
        yield from _legend(accounts[:MOST])
        return
    yield f"{number}: no account"
    if explanation.unnamed:
        yield "but at a size that no named model has, which fits by chance as well:"
        yield from _numbered(told(explanation.unnamed), MOST_UNNAMED)
    if near := explanation.nearest:
        yield ""
        yield f"nearest: {near.count:,}, {near.text} of {', '.join(near.models)}"
        if number.exact:
            residual = number.exact - near.count
            powers = algebra.in_powers(residual, near.spec)
            same = powers.replace(MINUS, "").isdigit()
            yield f"claimed − formula = {signed(residual)}{'' if same else f' = {powers}'}"


def as_json(explanation: Explanation) -> dict[str, Any]:
    """The whole explanation as JSON has it."""
    near = explanation.nearest
    return {
        "number": explanation.number.text,
        "exact": explanation.number.exact,
        "found": [one.as_json() for one in told(explanation.found)],
        "unnamed": [one.as_json() for one in told(explanation.unnamed)],
        "nearest": _told(near).as_json() if near else None,
        "none_in": list(explanation.none_in),
    }


def signed(number: int) -> str:
    """With thousands, and the sign of the field."""
    return f"{number:+,}".replace("-", MINUS)


def _numbered(accounts: list[Told], most: int) -> Iterator[str]:
    for one in accounts[:most]:
        yield ""
        yield from one.lines()
    if len(accounts) > most:
        yield ""
        yield f"  and {len(accounts) - most} more"


def _legend(accounts: list[Told]) -> Iterator[str]:
    """What the conventions mean that were named."""
    parts = [part for one in accounts for part in one.found.account.parts]
    names = dict.fromkeys(name for part in parts for name in part.conventions)
    named = [name for name in names if name != "trainable"]
    if named:
        yield ""
    for name in named:
        yield f"{name}: {CONVENTIONS[name].__doc__}"


def _some(names: tuple[str, ...], most: int) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")
