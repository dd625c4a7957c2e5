"""The answer of ``explain``: the explanations of a number, and facts for a number without any."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Any

from paramproof.explanation.explanation import Explanation, TensorCounts
from paramproof.explanation.number import RoundedReading, RoundingMode, WrittenNumber
from paramproof.explanation.published import Verdict
from paramproof.explanation.words import words
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.models import NamedModel
from paramproof.formulas.printing import legible, shown, some_of
from paramproof.json_form import document


@dataclass(frozen=True, slots=True)
class Match:
    """An explanation with its count, and the models to which it applies.

    ``rounded`` is the way in which the count was rounded to the number, or None if it was not.
    ``as_published`` is set if the model's publisher printed the number for the same parameters.
    ``architecture`` is the first model's, and ``tensors`` is how often each of its tensors counts.
    """

    explanation: Explanation
    count: int
    models: tuple[str, ...]
    architecture: Architecture = field(repr=False)
    tensors: TensorCounts = field(repr=False)
    rounded: RoundedReading | None = None
    as_published: bool = False

    @property
    def text(self) -> str:
        """The explanation in words."""
        return words(self.explanation)

    @property
    def reading(self) -> str:
        """How the count was rounded to the number, in words; "" if it was not."""
        return self.rounded.of(self.count) if self.rounded else ""

    @property
    def bytes_each(self) -> int:
        """The bytes of a parameter if the number is one of bytes, or else 0."""
        return self.rounded.bytes_each if self.rounded else 0

    @property
    def rounding(self) -> RoundingMode:
        """How the count was rounded to the number."""
        return self.rounded.rounding if self.rounded else RoundingMode.NONE

    @property
    def distance(self) -> float:
        """The distance of the count from the printed number, 0 if that is exact."""
        return float(abs(self.count - self.rounded.stated)) if self.rounded else 0.0


ACTIVE = "active parameters"
"""The subject of a published number of active parameters."""


@dataclass(frozen=True, slots=True)
class PublishedNumber:
    """A number that was published for a ``model``.

    It counts all parameters, or those that ``of`` names. ``note`` tells what it includes, according
    to the source.
    """

    model: str
    number: str
    source: str
    verdict: Verdict
    of: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Explanations:
    """The explanations of a number that were ``found``, the best first.

    If there are none, ``unnamed`` has those that need a size of no named model, and ``nearest`` the
    nearest count, if one is near. ``none_in`` are the requested models, if only others explain the
    number. ``published`` has the models for which the number was published, except those that
    explain it, and ``retracted`` those for which it was published and withdrawn.
    """

    number: WrittenNumber
    found: tuple[Match, ...]
    unnamed: tuple[Match, ...] = ()
    nearest: Match | None = None
    none_in: tuple[str, ...] = ()
    published: tuple[PublishedNumber, ...] = ()
    retracted: tuple[NamedModel, ...] = ()

    @property
    def says_something(self) -> bool:
        """Whether the number is explained, or was published, right or wrong."""
        return bool(self.found or self.published or self.retracted)

    def __repr__(self) -> str:
        number = shown(self.number.text)
        if not self.found:
            names = [*(one.model for one in self.published), *(one.name for one in self.retracted)]
            printed = f", published for {some_of([*map(legible, names)], 1)}" if names else ""
            return f"<Explanations of {number}: none{printed}>"
        first, *more = self.found
        others = f", and {len(more)} more" if more else ""
        models = some_of([*map(legible, first.models)], 1)
        return f"<Explanations of {number}: {first.text} of {models}{others}>"

    def _repr_html_(self) -> str:
        """Return the explanations as a list for a notebook."""
        found = "".join(
            f"<li>{escape(one.text)} = {one.count:,} ({escape(some_of(one.models, 6))})</li>"
            for one in self.found
        )
        return f"<p>{escape(repr(self).strip('<>'))}</p>" + (f"<ol>{found}</ol>" if found else "")

    def to_dict(self) -> dict[str, Any]:
        """Return the explanations as data for JSON, as ``paramproof/schema.json`` specifies."""
        # ``rendering`` imports this module.
        from paramproof.explanation.rendering import as_json

        return document("explanation", as_json(self))
