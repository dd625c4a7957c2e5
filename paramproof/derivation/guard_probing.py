"""The guards of a derivation, and probes of them: what happens where each is violated.

A guard with a consequence is a condition of the formula; an irrelevant one bounds only the proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from math import prod

from paramproof.derivation.runner import (
    GeneralTensors,
    Place,
    Progress,
    Runner,
    Sizes,
    Trial,
    run_trial,
)
from paramproof.formulas.condition import (
    Condition,
    Consequence,
    Outcome,
    Relation,
    at_least_one,
    signs_of,
)
from paramproof.formulas.expression import Expression, expression, floor, letter

PROBES_PER_GUARD = 2
"""Models that violate one guard alone."""

MAX_QUESTIONS = 20
"""The largest number of questions that are tried because they are asked beyond one guard."""


def exact_division(conditions: Iterable[Condition]) -> Callable[[Expression], Expression]:
    """Return a function that writes a / b for ⌊a / b⌋ where a condition says that b divides a."""
    known: dict[Expression, Expression] = {}
    for one in conditions:
        if one.relation is Relation.DIVIDES and one.holds:
            with suppress(ArithmeticError):
                known[floor(one.right, one.left)] = one.right / one.left

    @cache
    def simplify(one: Expression) -> Expression:
        total = Expression()
        for powers, number in one.terms.items():
            factors = (known.get(letter(atom), letter(atom)) ** power for atom, power in powers)
            total = total + prod(factors, start=expression(number))
        return total

    return simplify


@dataclass(slots=True)
class GuardSet:
    """The guards under which the traces agree, with their call sites.

    ``consequences`` says what happens outside of guards that the formula states. ``irrelevant``
    guards can be violated without consequence.
    """

    guards: dict[Condition, set[Place]]
    consequences: dict[Condition, Consequence] = field(default_factory=dict)
    irrelevant: dict[Condition, set[Place]] = field(default_factory=dict)

    def follows(self, condition: Condition) -> bool:
        """Return whether stated guards that pin sizes to one value imply this guard."""
        values = dict(only for one in self.consequences if one != condition and (only := one.only))
        there = condition.substitute(values)
        return there.is_settled and there.is_met(dict.fromkeys(there.letters, 1))

    def add(self, need: Condition, outside: Outcome) -> None:
        """State a guard that was not recorded, unless a recorded one implies it."""
        if not need.is_settled and not any(other.implies(need) for other in self.guards):
            self.state(need, Consequence(outside))

    def ask_of_lengths(self, lengths: Iterable[Expression]) -> None:
        """State that lengths are not negative; probe whether they may be 0."""
        # Where a length that is more than 0 is not a whole number, a guard of its own is violated.
        unsure = (one for one in lengths if signs_of(one) != {1})
        for need in (need for one in unsure for need in at_least_one(one)):
            if not need.is_settled and need not in self.guards:
                self.add(replace(need, right=expression(0)), Outcome.NEGATIVE)
                self.guards[need] = set()

    def release(self, condition: Condition) -> None:
        """Mark a guard as irrelevant; without call sites, it does not bound the proof either."""
        if places := self.guards.pop(condition):
            self.irrelevant[condition] = places

    def state(self, condition: Condition, outside: Consequence) -> None:
        self.consequences[condition] = outside
        self.guards.setdefault(condition, self.irrelevant.pop(condition, set()))

    def fold(self) -> None:
        """Write conditions with what divides, and drop those that are settled by others."""
        outside, places = self.consequences, self.guards
        simplify = exact_division(outside)
        for need in [one for one in outside if not places[one]]:
            if any(other.implies(need) for other in outside if other != need):
                del outside[need]
        self.consequences, self.guards = {}, {}
        for stated, consequence in outside.items():
            condition = stated
            if stated.relation is not Relation.DIVIDES:
                left, right = simplify(stated.left), simplify(stated.right)
                condition = replace(stated, left=left, right=right)
            if only := condition.only:
                condition = Condition(Relation.EQUAL, letter(only[0]), expression(only[1]), True)
            if not condition.is_settled:
                self.consequences.setdefault(condition, consequence)
                self.guards.setdefault(condition, set()).update(places[stated])
        for condition in [one for one in self.consequences if self.follows(one)]:
            del self.consequences[condition], self.guards[condition]


def negated(condition: Condition) -> Condition:
    return replace(condition, holds=not condition.holds)


@dataclass
class GuardProber:
    """Violates one guard at a time, and marks guards without consequence as irrelevant.

    ``assumed`` are guards that nobody recorded: a model that matches although it violates one
    shows that it does not matter. ``alike`` are sizes at which a model matched the formula.
    """

    runner: Runner
    conditions: GuardSet
    tensors: GeneralTensors
    assumed: frozenset[Condition] = frozenset()
    alike: list[Sizes] = field(default_factory=list)

    def sort(self, note: Progress) -> None:
        """Keep the guards whose violation has a consequence, and drop the others.

        Refusals and other tensors are consequences, and so are guards for which no sizes were
        found. An irrelevant guard remains so until models that violate several guards differ.
        """
        known = self.conditions
        for condition in list(known.guards):
            if condition in known.consequences or not condition.letters - self.runner.fixed:
                continue
            others = [one for one in known.guards if one != condition]
            if known.follows(condition) or any(one.implies(condition) for one in others):
                del known.guards[condition]
            elif not self.is_refuted(condition) and (outcome := self.outcome(condition)):
                known.state(condition, outcome)
            else:
                known.release(condition)
            note(f"{len(known.consequences)} conditions kept")

    def is_refuted(self, condition: Condition) -> bool:
        """Return whether a model matched although it violates an assumed guard."""
        return condition in self.assumed and not all(map(condition.is_met, self.alike))

    def outcome(self, condition: Condition) -> Consequence | None:
        """Return the consequence of violating ``condition``, None if there is none.

        What is asked only where it is violated is violated, too, one question after the other.
        """
        recorded = [*self.conditions.guards, *self.conditions.irrelevant]
        waiting, asked = [[condition]], {*recorded, *map(negated, recorded)}
        for number, broken in enumerate(waiting):
            met, tried = [*map(negated, broken), *self.conditions.consequences], 0
            while tried < PROBES_PER_GUARD and (sizes := self.sizes_without(broken)):
                if outside := self.trial(sizes).consequence:
                    return outside
                if (found := self.runner.guards_at(sizes)) is None or number == MAX_QUESTIONS:
                    return Consequence(Outcome.NOT_TRIED)
                tried += 1
                for one in found:
                    if one not in asked and not any(other.implies(one) for other in met):
                        asked |= {one, negated(one)}
                        waiting.append([*broken, one])
            # If an assumed relation cannot be violated, other conditions imply it.
            if not tried and condition not in self.assumed:
                return Consequence(Outcome.NOT_TRIED)
        return None

    def trial(self, sizes: Sizes) -> Trial:
        """Compare a model at these sizes with the formula; remember the sizes if it matches."""
        trial = run_trial(self.runner, self.tensors, sizes)
        if not trial.consequence:
            self.alike.append(sizes)
        return trial

    def sizes_without(self, guards: Sequence[Condition]) -> Sizes | None:
        """Return sizes that violate ``guards`` and, if possible, no other guard."""
        known, broken = self.conditions, [*map(negated, guards)]
        others = [one for one in known.guards if one not in guards]
        stated = [one for one in known.consequences if one not in guards]
        # A guard that is irrelevant alone may matter together with another: an odd head size may be
        # refused only above 4. If the other guards contradict the violation, try those alone that
        # are known to matter.
        return self.runner.draw(
            [*others, *known.irrelevant, *broken], [*others, *broken], [*stated, *broken]
        )
