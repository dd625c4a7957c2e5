"""What is asked only where other conditions are not met: questions with what guards them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from paramproof.derivation.guard_set import GuardSet, negated
from paramproof.formulas.condition import Condition
from paramproof.formulas.derivation import Consequence

Places = set[tuple[str, int]]


class NestedGuard(NamedTuple):
    """A condition first met where its ``guards`` are not met, with the places that asked."""

    condition: Condition
    guards: tuple[Condition, ...]
    places: Places

    @property
    def elsewhere(self) -> list[Condition]:
        """What sizes meet at which it is asked, and has the other answer."""
        return [negated(one) for one in (*self.guards, self.condition)]

    @property
    def is_settled(self) -> bool:
        """Whether it has one answer wherever it is asked."""
        return any(negated(guard).implies(self.condition) for guard in self.guards)

    def was_tried(self, alike: Sequence[Mapping[str, int]]) -> bool:
        """Whether a model was as derived at sizes where it is asked, and has the other answer."""
        return any(all(one.is_met(sizes) for one in self.elsewhere) for sizes in alike)


class NestedGuardQueue:
    """The questions that wait to be sorted, first come first; ``conditions`` are those known."""

    def __init__(self, conditions: GuardSet) -> None:
        self.conditions = conditions
        self.waiting: list[NestedGuard] = []

    def add(self, found: Mapping[Condition, Places], sizes: Mapping[str, int]) -> None:
        """Add what was asked at these sizes, and was not before with whatever answer."""
        known = self.conditions
        asked = (*known.guards, *known.irrelevant)
        guards = tuple(one for one in asked if not one.is_met(sizes))
        for condition, places in found.items():
            before = {condition, negated(condition)}
            if not before & (known.guards.keys() | known.irrelevant.keys() | known.beyond.keys()):
                known.beyond[condition] = None
                self.waiting.append(NestedGuard(condition, guards, places))

    def next(
        self, fixed: Collection[str], alike: Sequence[Mapping[str, int]]
    ) -> NestedGuard | None:
        """Take the first that is still to be tried; None where there is none.

        At ``alike`` sizes models were as derived; ``fixed`` letters do not move.
        """
        while self.waiting:
            question = self.waiting.pop(0)
            if self.is_open(question, fixed) and not question.was_tried(alike):
                return question
        return None

    def is_open(self, question: NestedGuard, fixed: Collection[str]) -> bool:
        """Whether sizes inside the formula's conditions may give it the other answer."""
        known, condition = self.conditions, question.condition
        return not (
            condition.letters <= set(fixed)
            or question.is_settled
            or any(guard in known.consequences for guard in question.guards)
            or any(one.implies(condition) for one in known.consequences)
            or known.follows(condition)
        )

    def state(self, question: NestedGuard, outside: Consequence, own: Mapping[str, int]) -> None:
        """State what keeps sizes from where something else happens.

        That is the question itself where no more is lost by it than sizes at which it is asked,
        and its guards otherwise. ``own`` are the constructor's sizes, which meet all conditions.
        """
        condition, guards, places = question
        if condition.is_met(own) and all(guard.implies(condition) for guard in guards):
            self.conditions.beyond.pop(condition, None)
            self.conditions.guards[condition] = places
            self.conditions.consequences[condition] = outside
            return
        for guard in guards:
            if guard in self.conditions.irrelevant:
                self.conditions.state(guard, outside)

    def bound(self, question: NestedGuard, own: Mapping[str, int]) -> None:
        """Let what was not sorted bound the proof, where nothing that guards it does so."""
        known, (condition, guards, places) = self.conditions, question
        bounds = (*known.irrelevant, *known.consequences)
        is_bounded = any(bound.implies(guard) for guard in guards for bound in bounds)
        if not is_bounded and condition.is_met(own):
            known.beyond.pop(condition, None)
            known.irrelevant[condition] = places
