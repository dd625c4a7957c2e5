"""The guards of a formula, and probes of them: what happens where each is violated.

A guard with a consequence is a condition of the formula; an irrelevant one bounds only the proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from math import prod

from paramproof.derivation.runner import GeneralTensors, Runner
from paramproof.derivation.sampling import Sizes
from paramproof.formulas.condition import (
    Condition,
    Consequence,
    Outcome,
    Relation,
    at_least_one,
    signs_of,
)
from paramproof.formulas.expression import Expression, expression, floor, letter
from paramproof.sources.reference import in_one_line

PROBES_PER_GUARD = 2
"""Models that violate one guard alone."""

MAX_QUESTIONS = 20
"""How many guards are probed that are evaluated only where another one is violated."""

Place = tuple[str, int]


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


def negated(condition: Condition) -> Condition:
    return replace(condition, holds=not condition.holds)


@dataclass(eq=False)
class MismatchError(Exception):
    """A model at these sizes differs from the formula; ``wrong`` describes the first difference."""

    sizes: Sizes
    consequence: Consequence
    wrong: str


class GuardProber:
    """Violates one guard at a time, and marks guards without consequence as irrelevant.

    - ``places`` are the call sites of the guards that a program evaluates, if they are known.
    - ``assumed`` are guards that nobody recorded: a model that matches although it violates one
      shows that it does not matter.
    - ``consequences`` says what happens outside of guards that the formula states.
    - ``irrelevant`` guards can be violated without consequence.
    - ``alike`` are sizes at which a model matched the formula.
    """

    def __init__(
        self,
        runner: Runner,
        tensors: GeneralTensors,
        places: Mapping[Condition, set[Place]] = {},
        assumed: Iterable[Condition] = (),
    ) -> None:
        self.runner, self.tensors = runner, tensors
        self.places, self.assumed = dict(places), dict.fromkeys(assumed)
        self.guards, self.irrelevant = dict[Condition, None](), dict[Condition, None]()
        self.consequences, self.alike = dict[Condition, Consequence](), list[Sizes]()
        for one in tensors.parameters:
            if not one.traced:  # A fitted number must be at least 1.
                need = Condition(Relation.LESS, one.times, expression(1), False)
                self.add(need, Outcome.OTHER_COUNT)
        self.guards |= {**dict.fromkeys(places), **self.assumed}
        # A length must not be negative; whether it may be 0 is probed. If a positive length is not
        # a whole number, that violates a guard of its own.
        lengths = (length for one in tensors.parameters for length in one.shape)
        unsure = (length for length in lengths if signs_of(length) != {1})
        for need in (need for length in unsure for need in at_least_one(length)):
            if not need.is_settled and need not in self.guards:
                self.add(replace(need, right=expression(0)), Outcome.NEGATIVE)
                self.guards[need] = None

    def add(self, need: Condition, outside: Outcome) -> None:
        """State a guard that was not recorded, unless a recorded one implies it."""
        if not need.is_settled and not any(other.implies(need) for other in self.guards):
            self.state(need, Consequence(outside))

    def state(self, condition: Condition, outside: Consequence) -> None:
        self.consequences[condition] = outside
        self.guards.setdefault(condition)
        self.irrelevant.pop(condition, None)

    def release(self, condition: Condition) -> None:
        """Mark a guard as irrelevant; one that no program has does not bound the proof either."""
        del self.guards[condition]
        if condition in self.places:
            self.irrelevant[condition] = None

    def follows(self, condition: Condition) -> bool:
        """Return whether stated guards that pin sizes to one value imply this guard."""
        values = dict(only for one in self.consequences if one != condition and (only := one.only))
        there = condition.substitute(values)
        return there.is_settled and there.is_met(dict.fromkeys(there.letters, 1))

    def fold(self) -> None:
        """Write the formula with what divides, and drop conditions that are settled by others."""
        simplify, stated = exact_division(self.consequences), self.consequences
        self.tensors.found = [
            replace(one, shape=tuple(map(simplify, one.shape)), times=simplify(one.times))
            for one in self.tensors.found
        ]
        for need in [one for one in stated if one not in self.places]:
            if any(other.implies(need) for other in stated if other != need):
                del stated[need]
        found, places = dict[Condition, Consequence](), dict[Condition, set[Place]]()
        for one, consequence in stated.items():
            condition = one
            if one.relation is not Relation.DIVIDES:
                condition = replace(one, left=simplify(one.left), right=simplify(one.right))
            if only := condition.only:
                condition = Condition(Relation.EQUAL, letter(only[0]), expression(only[1]), True)
            if not condition.is_settled:
                found.setdefault(condition, consequence)
                places.setdefault(condition, set()).update(self.places.get(one, ()))
        self.places |= places
        self.consequences = found
        self.consequences = {one: what for one, what in found.items() if not self.follows(one)}

    def sort(self) -> None:
        """Keep the guards whose violation has a consequence, and drop the others.

        Refusals and other tensors are consequences, and so are guards for which no sizes were
        found. An irrelevant guard remains so until models that violate several guards differ.
        """
        for condition in [*self.guards]:
            if condition in self.consequences or not condition.letters - self.runner.fixed:
                continue
            others = [one for one in self.guards if one != condition]
            if self.follows(condition) or any(one.implies(condition) for one in others):
                del self.guards[condition]
            elif not self.is_refuted(condition) and (outside := self.outcome(condition)):
                self.state(condition, outside)
            else:
                self.release(condition)
            self.runner.note(f"{len(self.consequences)} conditions kept")

    def is_refuted(self, condition: Condition) -> bool:
        """Return whether a model matched although it violates an assumed guard."""
        return condition in self.assumed and not all(map(condition.is_met, self.alike))

    def outcome(self, condition: Condition) -> Consequence | None:
        """Return the consequence of violating ``condition``, None if there is none.

        Guards that are evaluated only under this violation are violated as well, one by one.
        """
        recorded = [*self.guards, *self.irrelevant]
        waiting, asked = [[condition]], {*recorded, *map(negated, recorded)}
        for number, broken in enumerate(waiting):
            met, tried = [*map(negated, broken), *self.consequences], 0
            while tried < PROBES_PER_GUARD and (sizes := self.sizes_without(broken)):
                if differs := self.trial(sizes):
                    return differs.consequence
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

    def sizes_without(self, guards: Sequence[Condition]) -> Sizes | None:
        """Return sizes that violate ``guards`` and, if possible, no other guard."""
        broken = [*map(negated, guards)]
        others = [one for one in self.guards if one not in guards]
        stated = [one for one in self.consequences if one not in guards]
        # A guard that is irrelevant alone may matter together with another: an odd head size may be
        # refused only above 4. If the other guards contradict the violation, try those alone that
        # are known to matter.
        return self.runner.draw(
            [*others, *self.irrelevant, *broken], [*others, *broken], [*stated, *broken]
        )

    def trial(self, sizes: Sizes) -> MismatchError | None:
        """Build a model at these sizes, and return the first parameter that differs, if one does.

        If none does, the sizes are ``alike``, and buffers that differ are left out of the tensors.
        """
        where = ", ".join(f"{name} = {size}" for name, size in sizes.items())
        made = self.runner.build(sizes)
        if isinstance(made, Exception):
            why = in_one_line(made)
            said = f"refuses sizes inside the conditions, {where}: {why}"
            return MismatchError(sizes, Consequence(Outcome.REFUSED, why), said)
        outside, wrong = Consequence(Outcome.OTHERS), f"not as derived at {where}"
        try:
            differences = self.tensors.differences(made.counts, sizes)
        except (ValueError, ZeroDivisionError) as error:
            return MismatchError(sizes, outside, f"{wrong}: {error}")
        for (kind, shape), there, due in differences:
            if kind.role != "buffer":
                differs = f"{kind.path} of {shape} is there {there} times, and not {due}"
                return MismatchError(sizes, outside, f"{wrong}: {differs}")
        self.tensors.left_out |= {key.kind: None for key, *_ in differences}
        self.alike.append(sizes)
        return None
