"""What a constructor asks about its sizes, and what it was told.

While every question is answered the same, a constructor goes the same way: the answers are the
conditions under which what was seen is the whole truth.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import Any

from paramproof.formulas.division import Quotient
from paramproof.formulas.expression import Expression, Number, expression
from paramproof.formulas.notation import text

LOOP = "@"
"""A letter that begins so is the index of a loop, and no size."""


class Relation(Enum):
    """What is asked of two sizes: its sign where it is so, and where it is not."""

    EQUAL = ("=", "≠")
    LESS = ("<", "≥")
    MORE = (">", "≤")
    DIVIDES = ("divides", "does not divide")


@dataclass(frozen=True, slots=True)
class Condition:
    """A relation of two sizes that holds, or does not: ``A divides H``, ``H ≠ A·K``."""

    relation: Relation
    left: Expression
    right: Expression
    holds: bool

    def __str__(self) -> str:
        yes, no = self.relation.value
        left, right = self.left, self.right
        if self.relation in (Relation.LESS, Relation.MORE):
            # What is subtracted on one side stands on the other: L > D, not L − D > 0.
            difference = left - right
            if self.holds is False and self.relation is Relation.LESS and right == 1:
                difference, yes, no = difference + 1, "≤", ">"
            left = Expression({p: n for p, n in difference.terms.items() if n > 0})
            right = left - difference
        return f"{text(left)} {yes if self.holds else no} {text(right)}"

    @property
    def letters(self) -> frozenset[str]:
        """The letters that it is about."""
        return self.left.letters | self.right.letters

    def is_met(self, sizes: Mapping[str, int]) -> bool:
        """Whether it is as it was, at these sizes."""
        return self._answer(sizes) is self.holds

    def _answer(self, sizes: Mapping[str, int]) -> bool:
        left, right = value_at(self.left, sizes), value_at(self.right, sizes)
        if self.relation is Relation.DIVIDES:
            return left != 0 and right % left == 0
        if self.relation is Relation.EQUAL:
            return left == right
        return left < right if self.relation is Relation.LESS else left > right

    @property
    def is_settled(self) -> bool:
        """Whether no sizes could make it otherwise, every letter being 1 or more."""
        if self.relation is Relation.DIVIDES:
            return self.left == 1
        difference = self.left - self.right
        if difference.constant is not None:
            return True
        if any(isinstance(atom, Quotient) for powers in difference.terms for atom, _ in powers):
            return self.relation is not Relation.EQUAL and _at_least(difference, self)
        if not difference.is_polynomial:
            return False
        lowest = difference.substitute(
            {name: expression(1) + Expression({((name, 1),): 1}) for name in difference.letters}
        )
        if self.relation is Relation.EQUAL:
            return _signs(lowest) in ({1}, {-1}) and bool(lowest.terms.get(()))
        return _at_least(lowest, self)


def _at_least(difference: Expression, asked: Condition) -> bool:
    """Whether a difference whose letters are 0 or more cannot be on the other side of 0."""
    signs = _signs(difference)
    apart = bool(difference.terms.get(()))
    never_less, never_more = signs == {1}, signs == {-1}
    if asked.relation is Relation.LESS:
        return never_less or (never_more and apart)
    return never_more or (never_less and apart)


def _signs(one: Expression) -> set[int]:
    return {1 if number > 0 else -1 for number in one.terms.values()}


def value_at(one: Expression, sizes: Mapping[str, int]) -> Number:
    """Return the value of an expression at these sizes, a fraction where it is one."""
    value: Number = 0
    for powers, number in one.terms.items():
        for atom, power in powers:
            base = sizes[atom] if isinstance(atom, str) else atom.evaluate(sizes)
            number = number * (base**power if power > 0 else Fraction(base) ** power)
        value = value + number
    return value


@dataclass(slots=True)
class Recorder:
    """What was asked since it was made: each condition, with the places that asked.

    ``made`` are the sizes that were computed, ``indices`` the loops' lengths by their index.
    """

    asked: dict[Condition, set[tuple[str, int]]] = field(default_factory=dict)
    made: dict[Expression, None] = field(default_factory=dict)
    indices: dict[str, Expression] = field(default_factory=dict)

    @property
    def loops(self) -> dict[Expression, None]:
        """The lengths of the loops that ran."""
        return dict.fromkeys(self.indices.values())

    @property
    def conditions(self) -> list[Condition]:
        """What was asked of sizes, without what is settled and without what loops ask."""
        return [c for c in self.asked if not c.is_settled and not about_a_loop(c.letters)]


def about_a_loop(letters: frozenset[str]) -> bool:
    """Whether one of ``letters`` is the index of a loop."""
    return any(name.startswith(LOOP) for name in letters)


# Not a context variable: what another thread asks counts too.
_RECORDERS: list[Recorder] = []


@contextmanager
def recorded() -> Iterator[Recorder]:
    """Record what is asked inside."""
    recorder = Recorder()
    _RECORDERS.append(recorder)
    try:
        yield recorder
    finally:
        _RECORDERS.remove(recorder)


_DEAF: list[str] = []


@contextmanager
def deaf_to(*packages: str) -> Iterator[None]:
    """Record nothing inside that code of these packages asks.

    A package that computes with arrays asks of their shapes what it asks of every array, and
    compares them with those of arrays that it keeps.
    """
    folders = [f"/{package}/" for package in packages]
    _DEAF.extend(folders)
    try:
        yield
    finally:
        del _DEAF[-len(folders) :]


def note_loop(length: Expression, index: str) -> None:
    """Tell whoever records that a loop of this length began, whose index is this letter."""
    for recorder in _RECORDERS:
        recorder.indices[index] = length


def note_made(made: Expression) -> None:
    """Tell whoever records that a size was computed so."""
    for recorder in _RECORDERS:
        recorder.made[made] = None


def ask(relation: Relation, left: Any, right: Any, answer: bool) -> bool:
    """Record a question and its answer, and return the answer."""
    if _RECORDERS:
        place = _place()
        if any(folder in place[0] for folder in _DEAF):
            return answer
        condition = _condition(relation, left, right, answer)
        for recorder in _RECORDERS:
            recorder.asked.setdefault(condition, set()).add(place)
    return answer


def _condition(relation: Relation, left: Any, right: Any, answer: bool) -> Condition:
    for one, other in ((left, right), (right, left)):
        if relation is Relation.EQUAL and getattr(one, "divided", None) and other == 0:
            top, bottom = one.divided
            return Condition(Relation.DIVIDES, bottom, top, answer)
    one, other = _expression(left), _expression(right)
    if relation is Relation.EQUAL and (pair := _remainder(one - other)):
        return Condition(Relation.DIVIDES, *pair, answer)
    return Condition(relation, one, other, answer)


def _remainder(difference: Expression) -> tuple[Expression, Expression] | None:
    """Return (b, a) where ``difference`` is a − b·⌊a / b⌋ or its negative, None where it is none."""
    for powers in difference.terms:
        for atom, _ in powers:
            if isinstance(atom, Quotient):
                top, bottom = atom.numerator, atom.denominator
                rest = top - bottom * Expression({((atom, 1),): 1})
                if difference in (rest, -rest):
                    return bottom, top
    return None


def _expression(value: Any) -> Expression:
    made: Expression | None = getattr(value, "expression", None)
    if made is not None:
        return made
    number: Number = value if isinstance(value, int) else Fraction(repr(float(value)))
    return expression(number)


def _place() -> tuple[str, int]:
    """Return file and line of the code that asked: the first that is not of this package.

    What has no file, as a dataclass's comparison, asks for whoever called it.
    """
    frame = sys._getframe(2)
    while frame.f_back and (
        frame.f_globals.get("__package__") == __package__
        or frame.f_code.co_filename.startswith("<string")
    ):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno
