"""Validate a formula on held-out models, at the constructor's own sizes and far from them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random

from paramproof.algebra.sampling import sample_sizes
from paramproof.derivation.far_validation import (
    Cost,
    FarValidation,
    MismatchError,
    SizeBounds,
    tensor_count,
)
from paramproof.derivation.generalization import GeneralTensors
from paramproof.derivation.guard_probing import GuardProber
from paramproof.derivation.guard_set import GuardSet, negated
from paramproof.derivation.trace_runner import DerivationError, FailureCause, Progress, TraceRunner
from paramproof.derivation.trial import Trial, run_trial
from paramproof.formulas.condition import Condition, Relation
from paramproof.formulas.derivation import Outcome
from paramproof.formulas.expression import expression, letter
from paramproof.tracing.caveats import Caveat, caveat_text, joined

MAX_SPECIALIZED = 4
"""The largest number of sizes to fix if a model differs and no guard explains why.

A formula with more fixed sizes is only derived on request (``rather_fixed``).
"""

DIVISORS = (2, 3, 4, 6, 8, 16)
"""The numbers that are tried as divisors of a size if models of some sizes cannot be built."""

DEPTH_FACTOR = 5
"""How much deeper some models are if counts of layers were fitted to shallow models."""


class HeldOutValidation:
    """Compares the formula with held-out models inside the guards.

    If one differs, up to ``most`` sizes are fixed at a time. ``caveats`` record the differences
    that led to fixed sizes. ``alike`` are the sizes of models that matched.
    """

    def __init__(
        self,
        runner: TraceRunner,
        conditions: GuardSet,
        tensors: GeneralTensors,
        prober: GuardProber,
        note: Progress,
        most: int,
    ) -> None:
        self.runner = runner
        self.most = most
        self.conditions = conditions
        self.tensors = tensors
        self.prober = prober
        self.note = note
        self.caveats: dict[Caveat, None] = {}
        self.cost = Cost()
        self.alike: list[Mapping[str, int]] = []

    def hold(self, number: int, far: bool = True) -> None:
        """Validate on ``number`` models in a row, the first at the own sizes, and on far ones.

        If a model differs, no guard explains why, and fixing sizes helps, those sizes are fixed and
        validation starts again.
        """
        while True:
            self.hold_near(number)
            if not far:
                return
            reach = FarValidation(
                self.runner,
                self.tensors,
                self.cost,
                # A generator of its own: how often it draws depends on time, other sizes must not.
                Random(self.runner.random.getrandbits(32)),
                self.far_away,
                self.compared,
            )
            try:
                reach.go()
                return
            except MismatchError as error:
                self.learn(error.sizes, error.trial)
            finally:
                self.alike += reach.alike

    def hold_near(self, number: int) -> None:
        """Validate on this number of models in a row."""
        held, self.cost = 0, Cost()
        while held < number:
            sizes = self.runner.sizes if held == 0 else self.others(held)
            if sizes is None:
                said = f"{self.runner.name}: no sizes meet the conditions"
                raise DerivationError(said, FailureCause.NO_SIZES)
            held = held + 1 if self.holds(sizes) else 0
            self.note(f"held at {held} of {number} points")

    def holds(self, sizes: Mapping[str, int]) -> bool:
        """Return whether a model matches at these sizes; otherwise state guards or fix sizes."""
        started = time.process_time()
        trial = self.compared(sizes)
        if trial.consequence:
            self.learn(sizes, trial)
            return False
        self.cost.add(time.process_time() - started, tensor_count(self.tensors, sizes))
        self.alike.append(sizes)
        return True

    def learn(self, sizes: Mapping[str, int], trial: Trial) -> None:
        """State guards or fix sizes after a model differed."""
        assert trial.consequence
        unmet = [c for c in self.conditions.irrelevant if not c.is_met(sizes)]
        if not unmet:
            self.blame(sizes, trial)
        elif remembered := [c for c in unmet if c in self.prober.remembered]:
            self.prober.try_again(remembered)
        else:
            # None of these guards matters alone.
            for condition in unmet:
                self.conditions.state(condition, trial.consequence)

    def compared(self, sizes: Mapping[str, int]) -> Trial:
        """Compare a model with the formula, and leave out buffers that differ."""
        trial = run_trial(self.runner, self.tensors, sizes)
        for kind in trial.buffers:
            self.tensors.leave_out(kind)
        return trial

    def blame(self, sizes: Mapping[str, int], trial: Trial) -> None:
        """Fix the sizes that must keep their own value for the formula to hold at ``sizes``.

        Raises ``DerivationError`` unless they are few and others are left.
        """
        names = self.to_blame(sizes)
        if len(names) == 1 and self.divides(next(iter(names)), sizes, trial):
            return
        if not 0 < len(names) <= min(self.most, len(sizes) - len(self.runner.fixed) - 1):
            refused = trial.consequence and trial.consequence.outcome is Outcome.REFUSED
            raise DerivationError(
                f"{self.runner.name}: {caveat_text(trial.wrong)}",
                FailureCause.REFUSED if refused else FailureCause.NOT_AS_DERIVED,
            )
        self.runner.fixed |= names
        fixed = joined((letter(name),) for name in sorted(names))
        self.caveats[*fixed, " did not vary once the formula had failed: ", *trial.wrong] = None

    def divides(self, name: str, sizes: Mapping[str, int], trial: Trial) -> bool:
        """State that a number divides a size, if models of just its multiples can be built.

        An error inside the framework, such as of an assignment to every second column, tells which
        sizes are refused, but not why. Whether a number is found.
        """
        assert trial.consequence
        own, size = self.runner.sizes[name], sizes[name]
        for divisor in DIVISORS:
            if own % divisor or not size % divisor or trial.consequence.outcome != Outcome.REFUSED:
                continue
            near = range(max(1, size - size % divisor), size + 2 * divisor + 1)
            refused = {one for one in near if self.compared({**sizes, name: one}).consequence}
            if refused == {one for one in near if one % divisor}:
                need = Condition(Relation.DIVIDES, expression(divisor), letter(name), True)
                self.conditions.guards[need] = set()
                self.conditions.consequences[need] = trial.consequence
                said = f" is a multiple of {divisor} in all models that could be built: "
                self.caveats[letter(name), said, *trial.wrong] = None
                return True
        return False

    def to_blame(self, sizes: Mapping[str, int]) -> set[str]:
        """Return the sizes that must keep their own value for the formula to hold here."""
        moved, kept = dict(self.runner.sizes), set()
        for name, size in sizes.items():
            tried_here = {**moved, name: size}
            met = all(condition.is_met(tried_here) for condition in self.conditions.consequences)
            if met and not self.compared(tried_here).consequence:
                moved = tried_here
            else:
                kept.add(name)
        return kept - self.runner.fixed

    def others(self, held: int) -> Mapping[str, int] | None:
        """Return sizes inside the guards; the first violate all remembered guards.

        If counts of layers were fitted, some models have many more layers.
        """
        if held == 1 and self.prober.remembered:
            return self.beyond_all()
        return self.anywhere(DEPTH_FACTOR if self.tensors.are_counted and held % 4 == 2 else 1)

    def anywhere(self, deeper: int) -> Mapping[str, int] | None:
        """Return sizes inside the guards, on either side of irrelevant ones."""

        def draw(inside: Sequence[Condition]) -> Mapping[str, int] | None:
            return self.runner.draw(inside, deeper=deeper)

        return self.on_any_side(self.runner.random, draw)

    def far_away(
        self, random: Random, ranges: SizeBounds, deepest: int
    ) -> Mapping[str, int] | None:
        """Return such sizes in these ranges, as far as the guards allow."""
        runner = self.runner

        def draw(inside: Sequence[Condition]) -> Mapping[str, int] | None:
            fixed = frozenset(runner.fixed)
            return sample_sizes(
                random, runner.sizes, inside, runner.repeated, fixed, deepest, ranges
            )

        return self.on_any_side(random, draw)

    def on_any_side(
        self, random: Random, draw: Callable[[Sequence[Condition]], Mapping[str, int] | None]
    ) -> Mapping[str, int] | None:
        """Return sizes drawn on random sides of the irrelevant guards, if there are any."""
        asked = [*self.conditions.irrelevant, *self.conditions.beyond]
        sides = [replace(condition, holds=random.random() < 0.5) for condition in asked]
        random.shuffle(sides)
        inside = list(self.conditions.consequences)
        return draw([*inside, *sides]) or draw(inside)

    def beyond_all(self) -> dict[str, int] | None:
        """Return sizes that violate as many irrelevant guards as possible."""
        broken = list(self.conditions.consequences)
        sizes = self.runner.draw(broken)
        for condition in self.conditions.irrelevant:
            if found := self.runner.draw([*broken, negated(condition)]):
                broken.append(negated(condition))
                sizes = found
        return sizes
