"""What ``explain`` answers: explanations that came to a number, and what is said where none did."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Any

from paramproof.explanation.explanation import Explanation, TensorCounts
from paramproof.explanation.number import RoundedReading, RoundingMode, WrittenNumber
from paramproof.explanation.published import Verdict
from paramproof.explanation.words import words
from paramproof.formulas.derivation import Described
from paramproof.formulas.models import NamedModel
from paramproof.formulas.printing import legible, shown, some_of
from paramproof.json_form import document


@dataclass(frozen=True, slots=True)
class Match:
    """An explanation with the number that it comes to, and the models that it holds for.

    ``rounded`` says how that number was rounded to the one in question, None where it was not.
    ``as_published`` is set where the model's publisher printed the number for what is counted.
    ``spec`` and ``tensors``, which say how often each is counted, are the first model's.
    """

    explanation: Explanation
    count: int
    models: tuple[str, ...]
    spec: Described = field(repr=False)
    tensors: TensorCounts = field(repr=False)
    rounded: RoundedReading | None = None
    as_published: bool = False

    @property
    def text(self) -> str:
        """The explanation in words."""
        return words(self.explanation)

    @property
    def reading(self) -> str:
        """How the count was rounded to the number, in words; "" where it was not."""
        return self.rounded.of(self.count) if self.rounded else ""

    @property
    def bytes_each(self) -> int:
        """How many bytes a parameter has where the number is one of bytes, or else 0."""
        return self.rounded.bytes_each if self.rounded else 0

    @property
    def rounding(self) -> RoundingMode:
        """How the count was rounded to the number."""
        return self.rounded.rounding if self.rounded else RoundingMode.NONE

    @property
    def distance(self) -> float:
        """How far the count is from the number that is printed, 0 where that is exact."""
        return float(abs(self.count - self.rounded.stated)) if self.rounded else 0.0


ACTIVE = "active parameters"
"""What a published number is of, where it is not of all parameters or of a component."""


@dataclass(frozen=True, slots=True)
class PublishedNumber:
    """A number that was printed for a ``model``.

    It is one of all parameters, or else ``of`` says of which. ``note`` is what the source says
    that it includes.
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

    Where there is none: those that rest on an ``unnamed`` size, and the ``nearest`` count, if one
    is near. ``none_in`` are the models asked about, where only others explain the number.
    ``published`` are the models that the number is printed for, but those that explain it;
    ``retracted`` those that it was published for, and withdrawn.
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
        """Return this as data that ``json.dumps`` takes, as ``paramproof/schema.json`` says."""
        # ``rendering`` imports this module.
        from paramproof.explanation.rendering import as_json

        return document("explanation", as_json(self))
