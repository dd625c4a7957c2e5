"""Render explanations as lines of text, and as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from paramproof.explain import letters as algebra
from paramproof.explain.explanation import recount
from paramproof.explain.search import Explanations, Match
from paramproof.explain.words import of_one
from paramproof.formulas.conventions import CONVENTIONS
from paramproof.formulas.notation import text
from paramproof.formulas.printing import MINUS, and_more, signed, some_of

MAX_SHOWN = 6
"""So many explanations are printed."""

MAX_UNNAMED_SHOWN = 3
"""So many are printed of those that rest on a size that no named model has."""

MAX_EQUAL_NAMED = 3
MAX_MODELS_NAMED = 6


@dataclass(frozen=True, slots=True)
class Rendered:
    """An explanation in words and in letters.

    ``difference`` is what it has beyond the component that it begins with, and ``residual``
    the same in letters; 0 and empty where it is that component, or a sum of several.
    ``equal`` are further explanations that come to the same in letters.
    """

    match: Match
    letters: str
    difference: int = 0
    residual: str = ""
    equal: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """Yield the explanation, its algebra, its models."""
        found = self.match
        rounded = f" = {found.count:,}, {found.reading}" if found.reading else ""
        yield f"  {found.text}{rounded}"
        whole = not found.explanation.parts[0].component
        if self.residual and whole and not (found.explanation.sizes and len(found.models) > 1):
            yield f"    claimed − formula = {signed(self.difference)} = {self.residual}"
        else:
            yield f"    = {self.letters}"
        if self.equal:
            yield f"    equally: {some_of(self.equal, MAX_EQUAL_NAMED)}"
        yield f"    of {some_of(found.models, MAX_MODELS_NAMED)}"

    def as_json(self) -> dict[str, Any]:
        """Return this as JSON has it."""
        explanation = self.match.explanation
        return {
            "explanation": self.match.text,
            "count": self.match.count,
            "reading": self.match.reading,
            "models": list(self.match.models),
            "complexity": explanation.complexity,
            "letters": self.letters,
            "difference": self.difference,
            "residual": self.residual,
            "parts": [part._asdict() for part in explanation.parts],
            "sizes": dict(explanation.sizes),
            "as_estimate": explanation.as_estimate,
            "equal": list(self.equal),
        }


def render(found: Iterable[Match]) -> list[Rendered]:
    """Return each explanation with its algebra, with one for all that are equal in letters."""
    groups: dict[tuple[object, ...], list[Match]] = {}
    for one in found:
        expression = algebra.in_letters(one.explanation, one.spec)
        key = (expression, one.count, one.models, one.explanation.complexity)
        groups.setdefault(key, []).append(one)
    return [
        _render(first, tuple(other.text for other in alike)) for first, *alike in groups.values()
    ]


def _render(match: Match, equal: tuple[str, ...] = ()) -> Rendered:
    letters = text(algebra.in_letters(match.explanation, match.spec))
    if not of_one(match.explanation):
        return Rendered(match, letters, equal=equal)
    own = algebra.reference(match.explanation)
    residual = algebra.beyond(match.explanation, match.spec)
    difference = match.count - recount(own, match.spec)[0]
    return Rendered(match, letters, difference, text(residual) if residual else "", equal)


def lines(answer: Explanations) -> Iterator[str]:
    """Yield what is printed: the explanations, or that there is none and what is near."""
    number = answer.number
    if answer.found:
        where = ", ".join(answer.none_in)
        other = f"{number}: not explained by {where}; other models have it:"
        yield other if where else f"{number} is"
        rendered = render(answer.found)
        yield from _numbered(rendered, MAX_SHOWN)
        yield from _legend(rendered[:MAX_SHOWN])
        return
    yield f"{number}: no explanation found"
    if answer.unnamed:
        yield (
            "at another size of one table, which no named model has, it would be the following; "
            "but one number in hidden_size fits so by chance:"
        )
        yield from _numbered(render(answer.unnamed), MAX_UNNAMED_SHOWN)
    if near := answer.nearest:
        yield ""
        yield f"nearest: {near.count:,}, {near.text} of {', '.join(near.models)}"
        if number.exact:
            residual = number.exact - near.count
            powers = algebra.in_powers(residual, near.spec)
            same = powers.replace(MINUS, "").isdigit()
            yield f"claimed − formula = {signed(residual)}{'' if same else f' = {powers}'}"


def as_json(answer: Explanations) -> dict[str, Any]:
    """Return the whole answer as JSON has it."""
    near = answer.nearest
    return {
        "number": answer.number.text,
        "exact": answer.number.exact,
        "found": [one.as_json() for one in render(answer.found)],
        "unnamed": [one.as_json() for one in render(answer.unnamed)],
        "nearest": _render(near).as_json() if near else None,
        "none_in": list(answer.none_in),
    }


def _numbered(rendered: list[Rendered], limit: int) -> Iterator[str]:
    for one in rendered[:limit]:
        yield ""
        yield from one.lines()
    for more in and_more([""] * len(rendered), limit)[limit:]:
        yield ""
        yield f"  {more}"


def _legend(rendered: list[Rendered]) -> Iterator[str]:
    """What the conventions mean that were named."""
    parts = [part for one in rendered for part in one.match.explanation.parts]
    names = dict.fromkeys(name for part in parts for name in part.conventions)
    named = [name for name in names if name != "trainable"]
    if named:
        yield ""
    for name in named:
        yield f"{name}: {CONVENTIONS[name].__doc__}"
