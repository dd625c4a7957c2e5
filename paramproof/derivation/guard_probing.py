"""Probe guards: keep those whose violation has a consequence."""

from __future__ import annotations

from collections.abc import Mapping

from paramproof.derivation.general_tensors import GeneralTensors, Trial, run_trial, tensor_count
from paramproof.derivation.guard_set import GuardSet, NestedGuard, NestedGuardQueue, negated
from paramproof.derivation.runner import Progress, Runner
from paramproof.formulas.condition import Condition, Consequence, Outcome, Relation
from paramproof.formulas.expression import expression

PROBES_PER_GUARD = 2
"""Models that violate one guard alone."""

MAX_NESTED_PROBES = 40
"""The largest number of models for guards that occur only if another is violated."""

DEEPER = 5
"""How much longer loops may be where shorter ones do not violate such a guard."""

MAX_TENSORS = 5000
"""The largest number of tensors of such a deep model, which takes seconds."""


class GuardProber:
    """Violates one guard at a time, and marks guards without consequence as irrelevant.

    ``assumed`` are guards that nobody recorded: a model that matches although it violates one
    shows that it does not matter. ``alike`` are sizes at which a model matched the formula.
    """

    def __init__(
        self,
        runner: Runner,
        conditions: GuardSet,
        tensors: GeneralTensors,
        assumed: frozenset[Condition] = frozenset(),
    ) -> None:
        self.runner = runner
        self.conditions = conditions
        self.tensors = tensors
        self.assumed = assumed
        self.alike: list[Mapping[str, int]] = []
        self.beyond = NestedGuardQueue(conditions)
        self.left = MAX_NESTED_PROBES

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
                continue
            if condition in self.assumed and self.is_violated_alike(condition):
                known.release(condition)
                continue
            if outcome := self.outcome(condition):
                known.consequences[condition] = outcome
            else:
                known.release(condition)
            note(f"{len(known.consequences)} conditions kept")
        self.sort_beyond()

    def is_violated_alike(self, condition: Condition) -> bool:
        """Return whether a model matched although it violates a guard."""
        return any(not condition.is_met(sizes) for sizes in self.alike)

    def sort_beyond(self) -> None:
        """Probe guards that occur only if another guard is violated, and those inside them.

        After ``MAX_NESTED_PROBES`` models, the rest bounds the proof.
        """
        beyond = self.beyond
        while self.left and (question := beyond.next(self.runner.fixed, self.alike)):
            sizes = self.sizes_at(question)
            if sizes is None:
                leave = beyond.exclude if self.is_about_loops(question) else beyond.bound
                leave(question, self.runner.sizes)
                continue
            self.left -= 1
            if outside := self.trial(sizes).consequence:
                beyond.state(question, outside, self.runner.sizes)
            else:
                self.look_beyond(sizes)
        while question := beyond.next(self.runner.fixed, self.alike):
            beyond.bound(question, self.runner.sizes)

    def outcome(self, condition: Condition) -> Consequence | None:
        """Return the consequence of violating ``condition`` alone, None if there is none."""
        farther, met = _beyond_bound(condition), False
        for _ in range(PROBES_PER_GUARD):
            sizes = self.sizes_without(condition)
            if sizes is None:
                break
            if outside := self.trial(sizes).consequence:
                return outside
            met = True
            if farther and farther.is_met(sizes):
                farther = None
            if not self.look_beyond(sizes):
                return Consequence(Outcome.NOT_TRIED)
        if met and farther and (sizes := self.runner.draw([*self.besides(condition), farther])):
            return self.trial(sizes).consequence
        # If an assumed relation cannot be violated, other conditions imply it.
        return None if met or condition in self.assumed else Consequence(Outcome.NOT_TRIED)

    def trial(self, sizes: Mapping[str, int]) -> Trial:
        """Compare a model at these sizes with the formula; remember the sizes if it matches."""
        trial = run_trial(self.runner, self.tensors, sizes)
        if not trial.consequence:
            self.alike.append(sizes)
        return trial

    def sizes_without(self, condition: Condition) -> dict[str, int] | None:
        """Return sizes that violate ``condition`` and, if possible, no other guard."""
        known, broken = self.conditions, negated(condition)
        asked = self.besides(condition)
        # A guard that is irrelevant alone may matter together with another: an odd head size may be
        # refused only above 4. If the other guards contradict the violation, try those alone that
        # are known to matter.
        return (
            self.runner.draw([*asked, *known.irrelevant, broken])
            or self.runner.draw([*asked, broken])
            or self.runner.draw(
                [*(one for one in known.consequences if one is not condition), broken]
            )
        )

    def sizes_at(self, question: NestedGuard) -> dict[str, int] | None:
        """Return sizes that reach a nested guard and violate it, with few layers if possible."""
        known, there = self.conditions, question.elsewhere
        others = [one for one in (*known.guards, *known.irrelevant) if one not in question.guards]
        draw = self.runner.draw
        if found := draw([*others, *there]) or draw([*known.consequences, *there]):
            return found
        if not self.is_about_loops(question):
            return None
        deep = draw([*known.consequences, *there], deeper=DEEPER)
        return deep if deep and tensor_count(self.tensors, deep) <= MAX_TENSORS else None

    def is_about_loops(self, question: NestedGuard) -> bool:
        """Return whether lengths of loops decide a nested guard, which shallow models may meet."""
        return bool(question.condition.letters & self.runner.repeated)

    def besides(self, condition: Condition) -> list[Condition]:
        return [one for one in self.conditions.guards if one is not condition]

    def look_beyond(self, sizes: Mapping[str, int]) -> bool:
        """Follow the code at sizes that violate a guard, and queue the guards that are new.

        Return whether it could be followed, as it was built.
        """
        found = self.runner.guards_at(sizes)
        if found is not None:
            self.beyond.add(found, sizes)
        return found is not None


def _beyond_bound(condition: Condition) -> Condition | None:
    """Return the condition that a quotient is further than 1 beyond its bound.

    A quotient that must be more than 1 was probed at 1, and could also be 0. None for other guards.
    """
    bound = condition.bound
    if bound is None or not bound.has_quotients:
        return None
    return Condition(Relation.LESS, bound, expression(-1), True)
