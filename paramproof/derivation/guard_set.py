"""The guards of a derivation.

A guard with a consequence is a condition of the formula; an irrelevant one bounds only the
proof.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import prod

from paramproof.formulas.condition import (
    Condition,
    Consequence,
    Outcome,
    Relation,
    StatedCondition,
    at_least_one,
    signs_of,
)
from paramproof.formulas.expression import Expression, expression, floor, letter


def simplify_exact_division(
    one: Expression, exact: Iterable[tuple[Expression, Expression]]
) -> Expression:
    """Return ``one`` with a / b for ⌊a / b⌋, for each pair (a, b) in ``exact``."""
    known: dict[Expression, Expression] = {}
    for top, bottom in exact:
        with suppress(ArithmeticError):
            known[floor(top, bottom)] = top / bottom
    total = Expression()
    for powers, number in one.terms.items():
        factors = (known.get(letter(atom), letter(atom)) ** power for atom, power in powers)
        total = total + prod(factors, start=expression(number))
    return total


@dataclass(slots=True)
class GuardSet:
    """The guards under which the traces agree, with their call sites.

    ``consequences`` says what happens outside of guards that the formula states. ``irrelevant``
    guards can be violated without consequence.
    """

    guards: dict[Condition, set[tuple[str, int]]]
    consequences: dict[Condition, Consequence] = field(default_factory=dict)
    irrelevant: dict[Condition, set[tuple[str, int]]] = field(default_factory=dict)

    @property
    def stated(self) -> tuple[StatedCondition, ...]:
        """The guards of the formula, with their consequences and call sites."""
        return tuple(
            StatedCondition(condition, outside, tuple(sorted(self.guards.get(condition, ()))))
            for condition, outside in self.consequences.items()
        )

    def follows(self, condition: Condition) -> bool:
        """Return whether stated guards that pin sizes to one value imply this guard."""
        values = dict(only for one in self.consequences if one != condition and (only := one.only))
        if not values.keys() & condition.letters:
            return False
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
        exact = divided(outside)
        for need in [one for one in outside if not places[one]]:
            if any(other.implies(need) for other in outside if other != need):
                del outside[need]
        self.consequences, self.guards = {}, {}
        for stated, consequence in outside.items():
            condition = stated
            if stated.relation is not Relation.DIVIDES:
                both = stated.left, stated.right
                left, right = (simplify_exact_division(one, exact) for one in both)
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


def divided(conditions: Iterable[Condition]) -> list[tuple[Expression, Expression]]:
    """Return the pairs (a, b) for which a condition says that b divides a."""
    return [(c.right, c.left) for c in conditions if c.relation is Relation.DIVIDES and c.holds]
