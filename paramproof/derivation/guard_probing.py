"""Probe guards: keep those whose violation has a consequence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from paramproof.derivation.general_tensors import GeneralTensors, Trial, run_trial
from paramproof.derivation.guard_set import GuardSet, negated
from paramproof.derivation.runner import Progress, Runner, Sizes
from paramproof.formulas.condition import Condition, Consequence, Outcome, Relation
from paramproof.formulas.expression import expression

PROBES_PER_GUARD = 2
"""Models that violate one guard alone."""

MAX_QUESTIONS = 20
"""The largest number of questions that are tried because they are asked beyond one guard."""


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

    def __post_init__(self) -> None:
        self.asked = {*self.conditions.guards, *map(negated, self.conditions.guards)}

    def sort(self, note: Progress) -> None:
        """Keep the guards whose violation has a consequence, and drop the others.

        Refusals and other tensors are consequences, and so are guards for which no sizes were
        found. An irrelevant guard remains so until models that violate several guards differ.
        """
        known = self.conditions
        for condition in list(known.guards):
            if condition in known.consequences or not condition.letters - self.runner.fixed:
                continue
            others = self.besides(condition)
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
        waiting, asked = [[condition]], {*self.asked}
        for number, broken in enumerate(waiting):
            if number == MAX_QUESTIONS:
                return Consequence(Outcome.NOT_TRIED)
            more = self.probe(broken)
            if isinstance(more, Consequence):
                return more
            met = [*map(negated, broken), *self.conditions.consequences]
            for one in more:
                if one not in asked and not any(other.implies(one) for other in met):
                    asked |= {one, negated(one)}
                    waiting.append([*broken, one])
        return None

    def probe(self, broken: Sequence[Condition]) -> Consequence | list[Condition]:
        """Return the consequence of violating these, or what is asked there if there is none."""
        *_, condition = broken
        asked, tried, bound = list[Condition](), list[Sizes](), condition.bound
        while len(tried) < PROBES_PER_GUARD and (sizes := self.sizes_without(broken)):
            if outside := self.trial(sizes).consequence:
                return outside
            if (found := self.runner.guards_at(sizes)) is None:
                return Consequence(Outcome.NOT_TRIED)
            tried.append(sizes)
            asked += found
        if tried and bound and bound.has_quotients:
            # A quotient that must be more than 1 is probed at 1, and could also be 0.
            farther = Condition(Relation.LESS, bound, expression(-1), True)
            is_probed = any(map(farther.is_met, tried))
            there = None if is_probed else self.runner.draw([*self.besides(condition), farther])
            if there and (outside := self.trial(there).consequence):
                return outside
        # If an assumed relation cannot be violated, other conditions imply it.
        return asked if tried or condition in self.assumed else Consequence(Outcome.NOT_TRIED)

    def trial(self, sizes: Sizes) -> Trial:
        """Compare a model at these sizes with the formula; remember the sizes if it matches."""
        trial = run_trial(self.runner, self.tensors, sizes)
        if not trial.consequence:
            self.alike.append(sizes)
        return trial

    def sizes_without(self, guards: Sequence[Condition]) -> Sizes | None:
        """Return sizes that violate ``guards`` and, if possible, no other guard."""
        known, broken, others = self.conditions, [*map(negated, guards)], self.besides(*guards)
        stated = [one for one in known.consequences if one not in guards]
        # A guard that is irrelevant alone may matter together with another: an odd head size may be
        # refused only above 4. If the other guards contradict the violation, try those alone that
        # are known to matter.
        return self.runner.draw(
            [*others, *known.irrelevant, *broken], [*others, *broken], [*stated, *broken]
        )

    def besides(self, *guards: Condition) -> list[Condition]:
        return [one for one in self.conditions.guards if one not in guards]
