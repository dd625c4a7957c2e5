"""What ``explain`` answers: explanations that came to a number, and what is said where none did."""

from __future__ import annotations

from dataclasses import dataclass, field

from paramproof.explanation.explanation import Explanation
from paramproof.explanation.number import WrittenNumber
from paramproof.explanation.words import words
from paramproof.formulas.derivation import Described
from paramproof.formulas.models import NamedModel


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
