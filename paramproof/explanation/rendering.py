"""Render explanations in words and letters, as lines and as JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from paramproof.explanation import letters as algebra
from paramproof.explanation.answer import Explanations, Match, PublishedNumber
from paramproof.explanation.explanation import Part, recount
from paramproof.explanation.heads import Heads
from paramproof.explanation.ranking import is_synthetic
from paramproof.explanation.words import of_one
from paramproof.formulas.notation import text
from paramproof.formulas.printing import signed, some_of

MAX_EQUAL_NAMED = 3
MAX_MODELS_NAMED = 6


@dataclass(frozen=True, slots=True)
class Rendered:
    """An explanation in words and in letters.

    ``difference`` is the difference from the component that it begins with, and ``residual`` the
    same in letters; they are 0 and "" if it is that component or a sum of several. ``equal`` are
    further explanations with the same formula.
    """

    match: Match
    letters: str
    difference: int = 0
    residual: str = ""
    equal: tuple[str, ...] = ()

    def lines(self, everything: bool = False) -> Iterator[str]:
        """Yield the explanation, its formula and its models; with ``everything``, all of them."""
        found = self.match
        yield f"  {found.text}{_number_of(found)}"
        whole = not found.explanation.parts[0].component
        plainly = found.explanation.active or not (self.residual and whole)
        if not plainly and not (found.explanation.sizes and len(found.models) > 1):
            yield f"    claimed − formula = {signed(self.difference)} = {self.residual}"
        else:
            yield f"    = {self.letters}"
        if self.equal:
            yield f"    equally: {some_of(self.equal, limit(MAX_EQUAL_NAMED, everything))}"
        yield f"    of {some_of(found.models, limit(MAX_MODELS_NAMED, everything))}"

    def as_json(self) -> dict[str, Any]:
        """Return this as data for JSON."""
        explanation = self.match.explanation
        return {
            "explanation": self.match.text,
            "count": self.match.count,
            "reading": self.match.reading,
            "bytes_each": self.match.bytes_each,
            "models": list(self.match.models),
            "synthetic": list(filter(is_synthetic, self.match.models)),
            "complexity": explanation.complexity,
            "letters": self.letters,
            "difference": self.difference,
            "residual": self.residual,
            "parts": [_part_as_json(part) for part in explanation.parts],
            "sizes": dict(explanation.sizes),
            "as_estimate": explanation.as_estimate,
            "heads": explanation.heads and _heads_as_json(explanation.heads),
            "active": explanation.active,
            "equal": list(self.equal),
        }


def _part_as_json(part: Part) -> dict[str, Any]:
    return {**part._asdict(), "conventions": list(part.conventions)}


def _heads_as_json(heads: Heads) -> dict[str, Any]:
    return {**heads._asdict(), "fields": dict(heads.fields)}


def render(found: Iterable[Match]) -> list[Rendered]:
    """Return the explanations with their formulas; those with the same formula are joined."""
    groups: dict[tuple[object, ...], list[Match]] = {}
    for one in found:
        expression = algebra.in_letters(one.explanation, one.architecture)
        key = (expression, one.count, one.models, one.explanation.complexity)
        groups.setdefault(key, []).append(one)
    return [
        _render(first, tuple(other.text for other in alike)) for first, *alike in groups.values()
    ]


def _render(match: Match, equal: tuple[str, ...] = ()) -> Rendered:
    letters = text(algebra.in_letters(match.explanation, match.architecture))
    if not of_one(match.explanation):
        return Rendered(match, letters, equal=equal)
    own = algebra.reference(match.explanation)
    residual = algebra.beyond(match.explanation, match.architecture)
    difference = match.count - recount(own, match.architecture)[0]
    return Rendered(match, letters, difference, text(residual) if residual else "", equal)


def as_json(answer: Explanations) -> dict[str, Any]:
    """Return the whole answer as data for JSON."""
    near = answer.nearest
    return {
        "number": answer.number.text,
        "exact": answer.number.exact,
        "found": [one.as_json() for one in render(answer.found)],
        "unnamed": [one.as_json() for one in render(answer.unnamed)],
        "nearest": _render(near).as_json() if near else None,
        "none_in": list(answer.none_in),
        "power_of_two": answer.number.power_of_two,
        "published": [_published_as_json(one) for one in answer.published],
        "retracted": [
            {"model": model.name, "published": model.retracted, "source": model.retracted_source}
            for model in answer.retracted
        ],
    }


def _published_as_json(one: PublishedNumber) -> dict[str, Any]:
    return {
        "model": one.model,
        "published": one.number,
        "of": one.of,
        "source": one.source,
        "includes": one.note,
        "conventions": list(one.verdict.conventions),
        "verdict": one.verdict.how,
    }


def limit(most: int, everything: bool) -> int:
    """Return ``most``, or no limit with ``everything``."""
    return sys.maxsize if everything else most


def _number_of(found: Match) -> str:
    """Return the count and how it was rounded, or "" if the number is the count."""
    return f" = {found.count:,}, {found.reading}" if found.reading else ""
