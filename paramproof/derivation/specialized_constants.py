"""Numbers that a question was about, and that were sizes: told by their values in several traces.

Where a size became a plain int on its way, ``heads divides 12`` is asked of a model that is 12
wide, and ``heads divides 35``, by the same line, of one that is 35 wide.
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
    """What a place asks, with None for the side that is a number; ``order`` is which one it is."""

    place: Place
    relation: Relation
    left: Expression | None
    right: Expression | None
    order: int


@dataclass(slots=True)
class SpecializedConstants:
    """The numbers in questions, at all sizes at which they were asked, and what they are."""

    seen: dict[GuardConstant, list[tuple[Mapping[str, int], int]]] = field(default_factory=dict)
    meant: dict[GuardConstant, Expression] = field(default_factory=dict)
    unexplained: set[GuardConstant] = field(default_factory=set)

    def learn(self, sizes: Mapping[str, int], asked: Mapping[Condition, Iterable[Place]]) -> None:
        """Take what was asked at these sizes, by a model that was made or refused."""
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
        """Whether a question's last number is what it was found to mean, or that was found nothing.

        With a number more the first of all that it can be is the same, unless it is that no longer.
        """
        sizes, number = self.seen[question][-1]
        meant = self.meant.get(question)
        return question in self.unexplained or (meant is not None and meant.value(sizes) == number)

    def in_letters(
        self, asked: Mapping[Condition, Iterable[Place]]
    ) -> Iterator[tuple[Condition, Place]]:
        """Yield each condition with the places that asked, a size for a number that was one."""
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
    """Yield the questions about a number, in the order in which each place asks."""
    orders: dict[object, Iterator[int]] = defaultdict(count)
    for condition, places in asked.items():
        sides = [None if one.constant is not None else one for one in _sides(condition)]
        if not isinstance(_number(condition), int):
            continue
        for place in places:
            kind = (place, condition.relation, sides[0], sides[1])
            yield GuardConstant(*kind, next(orders[kind])), condition


def _number(condition: Condition) -> Number | None:
    """Return the number that one side of a condition is, None where both have letters."""
    numbers = (one.constant for one in _sides(condition))
    return next((number for number in numbers if number is not None), None)


def _sides(condition: Condition) -> tuple[Expression, Expression]:
    return condition.left, condition.right
