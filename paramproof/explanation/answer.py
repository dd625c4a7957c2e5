"""What ``explain`` answers: explanations that came to a number, and what is said where none did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from paramproof.explanation.explanation import Explanation
from paramproof.explanation.number import WrittenNumber
from paramproof.explanation.words import words
from paramproof.formulas.derivation import Described
from paramproof.formulas.models import NamedModel
from paramproof.formulas.printing import legible, shown, some_of
from paramproof.json_form import document


@dataclass(frozen=True, slots=True)
class Match:
    """An explanation with the number that it comes to, and the models that it holds for.

    ``reading`` says how that number was rounded to the one in question, "" where it was
    not; ``bytes_each`` is how many bytes a parameter has where that is a number of bytes, or
    else 0. ``spec`` is the first model's.
    """

    explanation: Explanation
    count: int
    models: tuple[str, ...]
    spec: Described = field(repr=False)
    reading: str = ""
    bytes_each: int = 0

    @property
    def text(self) -> str:
        """The explanation in words."""
        return words(self.explanation)


@dataclass(frozen=True, slots=True)
class Explanations:
    """The explanations of a number that were ``found``, the simplest first.

    Where there is none: those that rest on an ``unnamed`` size, and the ``nearest`` count.
    ``none_in`` are the models asked about, where only others explain the number. ``retracted``
    are the models that it was published for, and withdrawn.
    """

    number: WrittenNumber
    found: tuple[Match, ...]
    unnamed: tuple[Match, ...] = ()
    nearest: Match | None = None
    none_in: tuple[str, ...] = ()
    retracted: tuple[NamedModel, ...] = ()

    def __repr__(self) -> str:
        number = shown(self.number.text)
        if not self.found:
            return f"<Explanations of {number}: none>"
        first, *more = self.found
        others = f", and {len(more)} more" if more else ""
        models = some_of([*map(legible, first.models)], 1)
        return f"<Explanations of {number}: {first.text} of {models}{others}>"

    def to_dict(self) -> dict[str, Any]:
        """Return this as data that ``json.dumps`` takes, as ``paramproof/schema.json`` says."""
        # ``rendering`` imports this module.
        from paramproof.explanation.rendering import as_json

        return document("explanation", as_json(self))
