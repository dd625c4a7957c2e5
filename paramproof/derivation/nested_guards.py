"""Guards that occur only if other guards are violated."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from paramproof.derivation.guard_set import GuardSet, negated
from paramproof.formulas.condition import Condition
from paramproof.formulas.derivation import Consequence, Outcome

Places = set[tuple[str, int]]


class NestedGuard(NamedTuple):
    """A condition that first occurred where ``guards`` were violated, with its call sites."""

    condition: Condition
    guards: tuple[Condition, ...]
    places: Places

    @property
    def elsewhere(self) -> list[Condition]:
        """The conditions of sizes that reach this guard and violate it."""
        return [negated(one) for one in (*self.guards, self.condition)]

    @property
    def is_settled(self) -> bool:
        """Whether it has one answer wherever it occurs."""
        return any(negated(guard).implies(self.condition) for guard in self.guards)

    def was_tried(self, alike: Sequence[Mapping[str, int]]) -> bool:
        """Return whether a model matched the formula at sizes that violate this guard."""
        return any(all(one.is_met(sizes) for one in self.elsewhere) for sizes in alike)


class NestedGuardQueue:
    """The nested guards that were not probed yet, in order of their discovery."""

    def __init__(self, conditions: GuardSet) -> None:
        self.conditions = conditions
        self.waiting: list[NestedGuard] = []

    def add(self, found: Mapping[Condition, Places], sizes: Mapping[str, int]) -> None:
        """Add the guards of a trace at these sizes that are new, whatever their answer."""
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
        """Remove and return the first guard that still needs a probe, None if there is none.

        Models matched the formula at the sizes ``alike``; ``fixed`` sizes do not move.
        """
        while self.waiting:
            question = self.waiting.pop(0)
            if self.is_open(question, fixed) and not question.was_tried(alike):
                return question
        return None

    def is_open(self, question: NestedGuard, fixed: Collection[str]) -> bool:
        """Return whether sizes that meet the formula's guards may violate this one."""
        known, condition = self.conditions, question.condition
        return not (
            condition.letters <= set(fixed)
            or question.is_settled
            or any(guard in known.consequences for guard in question.guards)
            or any(one.implies(condition) for one in known.consequences)
            or known.follows(condition)
        )

    def state(self, question: NestedGuard, outside: Consequence, own: Mapping[str, int]) -> None:
        """State a guard that excludes the sizes with other tensors.

        That is the nested guard itself if it excludes nothing else, otherwise the guards around it.
        ``own`` are the constructor's own sizes, which meet all guards.
        """
        condition, guards, _ = question
        if condition.is_met(own) and all(guard.implies(condition) for guard in guards):
            self._state_alone(question, outside)
            return
        for guard in guards:
            if guard in self.conditions.irrelevant:
                self.conditions.state(guard, outside)

    def exclude(self, question: NestedGuard, own: Mapping[str, int]) -> None:
        """State a guard on a loop that is too long to try, or let it bound the proof."""
        if question.condition.is_met(own):
            self._state_alone(question, Consequence(Outcome.NOT_TRIED))
        else:
            self.bound(question, own)

    def _state_alone(self, question: NestedGuard, outside: Consequence) -> None:
        """State a nested guard itself."""
        condition, known = question.condition, self.conditions
        known.beyond.pop(condition, None)
        known.guards[condition] = question.places
        known.consequences[condition] = outside

    def bound(self, question: NestedGuard, own: Mapping[str, int]) -> None:
        """Let a guard that was not probed bound the proof, unless a guard around it does."""
        known, (condition, guards, places) = self.conditions, question
        bounds = (*known.irrelevant, *known.consequences)
        is_bounded = any(bound.implies(guard) for guard in guards for bound in bounds)
        if not is_bounded and condition.is_met(own):
            known.beyond.pop(condition, None)
            known.irrelevant[condition] = places
