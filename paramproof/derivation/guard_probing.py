"""Which conditions are the formula's: those outside of which something else happens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from paramproof.derivation.generalization import GeneralTensors
from paramproof.derivation.guard_set import GuardSet, negated
from paramproof.derivation.nested_guards import NestedGuardQueue
from paramproof.derivation.trace_runner import Progress, TraceRunner
from paramproof.derivation.trial import Trial, run_trial
from paramproof.formulas.condition import Condition, Relation
from paramproof.formulas.derivation import Consequence, Outcome
from paramproof.formulas.expression import expression

PROBES_PER_GUARD = 2
"""Models that are made where one condition alone is not met."""

MAX_NESTED_PROBES = 40
"""Models that are made for what is asked only where another condition is not met, at most."""


class GuardProber:
    """Tries each condition alone: what goes on where it is not met as if nothing were is harmless.

    ``outcomes`` remembers from one constructor to others what happens where a condition is not
    met; ``remembered`` are the conditions here that were not tried, but looked up. ``alike`` are
    the sizes at which a model was as derived though a condition was not met.
    """

    def __init__(
        self,
        runner: TraceRunner,
        conditions: GuardSet,
        tensors: GeneralTensors,
        outcomes: dict[Condition, Consequence | None],
    ) -> None:
        self.runner = runner
        self.conditions = conditions
        self.tensors = tensors
        self.outcomes = outcomes
        self.remembered: set[Condition] = set()
        self.alike: list[Mapping[str, int]] = []
        self.beyond = NestedGuardQueue(conditions)
        self.left = MAX_NESTED_PROBES

    def sort(self, note: Progress) -> None:
        """Keep the conditions outside of which something else happens, and drop the others.

        A refusal and other tensors are stated, and so is what no sizes were found for; what is
        harmless is so until models where several are not met show otherwise.
        """
        known = self.conditions
        for condition in list(known.guards):
            if condition in known.consequences or not condition.letters - self.runner.fixed:
                continue
            others = self.besides(condition)
            if known.follows(condition) or any(one.implies(condition) for one in others):
                del known.guards[condition]
                continue
            if outcome := self.looked_up(condition):
                known.consequences[condition] = outcome
            else:
                known.release(condition)
            note(f"{len(known.consequences)} conditions kept")
        self.sort_beyond()

    def sort_beyond(self) -> None:
        """Sort what was first met where another condition is not met, and what it asks likewise.

        What is left, once ``MOST_BEYOND`` models were made, stays inside what guards it.
        """
        known, beyond = self.conditions, self.beyond
        while self.left and (question := beyond.next(self.runner.fixed, self.alike)):
            asked = [
                one for one in (*known.guards, *known.irrelevant) if one not in question.guards
            ]
            sizes = self.runner.draw([*asked, *question.elsewhere]) or self.runner.draw(
                [*known.consequences, *question.elsewhere]
            )
            if sizes is None:
                beyond.bound(question, self.runner.sizes)
                continue
            self.left -= 1
            if outside := self.trial(sizes).consequence:
                beyond.state(question, outside, self.runner.sizes)
                for guard in question.guards:
                    # Another constructor that asks the same meets the same beyond it.
                    self.outcomes.pop(guard, None)
            else:
                self.look_beyond(sizes)
        while question := beyond.next(self.runner.fixed, self.alike):
            beyond.bound(question, self.runner.sizes)

    def try_again(self, conditions: Iterable[Condition]) -> None:
        """Try alone what was remembered to do nothing: here something is otherwise."""
        for condition in conditions:
            self.remembered.remove(condition)
            if outcome := self.outcome(condition):
                self.conditions.state(condition, outcome)
        self.sort_beyond()

    def looked_up(self, condition: Condition) -> Consequence | None:
        """Return what happens where ``condition`` alone is not met, as remembered or as tried."""
        if condition in self.outcomes:
            self.remembered.add(condition)
            return self.outcomes[condition]
        found = self.outcome(condition)
        if found is None or found.outcome in (Outcome.NOT_TRIED, Outcome.REFUSED):
            self.outcomes[condition] = found
        return found

    def outcome(self, condition: Condition) -> Consequence | None:
        """Return what happens where ``condition`` alone is not met, None where nothing does."""
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
            self.look_beyond(sizes)
        if met and farther and (sizes := self.runner.draw([*self.besides(condition), farther])):
            return self.trial(sizes).consequence
        return None if met else Consequence(Outcome.NOT_TRIED)

    def trial(self, sizes: Mapping[str, int]) -> Trial:
        """Return what comes of a model at these sizes, which are remembered where it is alike."""
        trial = run_trial(self.runner, self.tensors, sizes)
        if not trial.consequence:
            self.alike.append(sizes)
        return trial

    def sizes_without(self, condition: Condition) -> dict[str, int] | None:
        """Return sizes where ``condition`` is not met and, as far as can be, all others are."""
        known, broken = self.conditions, negated(condition)
        asked = self.besides(condition)
        # What is harmless alone may be what another one does harm with: an odd head is refused
        # where it is more than 4. What another condition forbids too is tried with those alone
        # that are known to matter.
        return (
            self.runner.draw([*asked, *known.irrelevant, broken])
            or self.runner.draw([*asked, broken])
            or self.runner.draw(
                [*(one for one in known.consequences if one is not condition), broken]
            )
        )

    def besides(self, condition: Condition) -> list[Condition]:
        """Return what else is asked."""
        return [one for one in self.conditions.guards if one is not condition]

    def look_beyond(self, sizes: Mapping[str, int]) -> None:
        """Add what is asked at sizes where a condition is not met, and was not before."""
        try:
            found = self.runner.guards_of(self.runner.trace(sizes))
        except Exception:
            return
        self.beyond.add(found, sizes)


def _beyond_bound(condition: Condition) -> Condition | None:
    """Return the condition that a quotient is farther than the next number beyond its bound.

    One that must be more than 1, and was tried where it is 1, may be 0. None for what has none.
    """
    bound = condition.bound
    if bound is None or not bound.has_quotients:
        return None
    return Condition(Relation.LESS, bound, expression(-1), True)
