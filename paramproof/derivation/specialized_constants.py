"""Recognize constants in guards that are specialized sizes, by their values in several traces.

If a size became a plain int, the guard ``heads divides 12`` of a model of width 12 becomes ``heads
divides 35`` at the same line for a model of width 35.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import NamedTuple, cast

from paramproof.derivation.length_fitting import fit_length
from paramproof.formulas.condition import Condition, Relation
from paramproof.formulas.expression import Expression, Number, letter

Place = tuple[str, int]


class GuardConstant(NamedTuple):
    """A constant in a guard, by call site.

    Its own side is None, and ``order`` tells equal guards apart.
    """

    place: Place
    relation: Relation
    left: Expression | None
    right: Expression | None
    order: int


@dataclass(slots=True)
class SpecializedConstants:
    """The constants in guards, their values at all traced sizes, and the sizes that they are."""

    seen: dict[GuardConstant, list[tuple[Mapping[str, int], int]]] = field(default_factory=dict)
    meant: dict[GuardConstant, Expression] = field(default_factory=dict)
    unexplained: set[GuardConstant] = field(default_factory=set)

    def learn(self, sizes: Mapping[str, int], asked: Mapping[Condition, Iterable[Place]]) -> None:
        """Add the guards of a run at these sizes, whether it built a model or refused."""
        for question, condition in _questions(asked):
            points = self.seen.setdefault(question, [])
            points.append((sizes, cast(int, _number(condition))))
            if self.is_still_so(question):
                continue
            numbers = [number for _, number in points]
            self.meant.pop(question, None)
            if len(set(numbers)) > 1:
                found = fit_length(numbers, [at for at, _ in points], map(letter, sizes))
                if found is None:
                    self.unexplained.add(question)
                else:
                    self.meant[question] = found

    def is_still_so(self, question: GuardConstant) -> bool:
        """Return whether the last value agrees with what is known about a constant.

        A further value changes the first fitting candidate only if it contradicts that candidate.
        """
        sizes, number = self.seen[question][-1]
        meant = self.meant.get(question)
        return question in self.unexplained or (meant is not None and meant.value(sizes) == number)

    def in_letters(
        self, asked: Mapping[Condition, Iterable[Place]]
    ) -> Iterator[tuple[Condition, Place]]:
        """Yield each guard and call site, with sizes in place of specialized constants."""
        meant = {
            (condition, question.place): self.meant[question]
            for question, condition in _questions(asked)
            if question in self.meant
        }
        for condition, places in asked.items():
            for place in places:
                found = meant.get((condition, place))
                if found is None:
                    yield condition, place
                elif condition.left.constant is not None:
                    yield replace(condition, left=found), place
                else:
                    yield replace(condition, right=found), place


def _questions(
    asked: Mapping[Condition, Iterable[Place]],
) -> Iterator[tuple[GuardConstant, Condition]]:
    """Yield the constants in guards, in the order in which each call site used them."""
    orders: dict[object, Iterator[int]] = defaultdict(count)
    for condition, places in asked.items():
        sides = [None if one.constant is not None else one for one in _sides(condition)]
        if not isinstance(_number(condition), int):
            continue
        for place in places:
            kind = (place, condition.relation, sides[0], sides[1])
            yield GuardConstant(*kind, next(orders[kind])), condition


def _number(condition: Condition) -> Number | None:
    """Return the side of a guard that is a constant, None if neither is."""
    numbers = (one.constant for one in _sides(condition))
    return next((number for number in numbers if number is not None), None)


def _sides(condition: Condition) -> tuple[Expression, Expression]:
    return condition.left, condition.right
