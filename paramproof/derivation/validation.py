"""Validate a formula on held-out models, at the constructor's own sizes and far from them.

Near models are many and cheap. Far ones are many times as large, and then as deep, as time allows:
a threshold in code that was not followed shows only there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import TypeAlias

from paramproof.derivation.general_tensors import GeneralTensors, Trial, run_trial, tensor_count
from paramproof.derivation.guard_set import GuardSet
from paramproof.derivation.runner import DerivationError, Progress, Runner
from paramproof.derivation.sampling import moving_together, sample_sizes
from paramproof.formulas.condition import Condition, Outcome, Relation
from paramproof.formulas.expression import expression, letter

FAR_FACTORS = (15, 40, 110, 300)
"""Factors by which sizes grow, in turn; the steps in between show how build times grow."""

MIXED_MODELS = 2
"""Models in which some sizes are as large as possible, and the others near their own values."""

DEEP = 150
"""Minimal length of loops in deep models; half or a quarter if that takes too long."""

DEEP_MODELS = 2

SHALLOW = 2
"""Maximal length of loops in models that are large in other sizes."""

MAX_REFUSED = 8
"""Far models that a constructor may refuse before no more are built."""

MIN_SECONDS = 1.0
"""Time for large models, and again for deep ones, if earlier models took less than twice it."""

Sizes: TypeAlias = Mapping[str, int]
SizeBounds: TypeAlias = Mapping[str, tuple[int, int]]


class MismatchError(Exception):
    """A model at these sizes differs from the formula."""

    def __init__(self, sizes: Sizes, trial: Trial) -> None:
        super().__init__()
        self.sizes, self.trial = sizes, trial


@dataclass(slots=True)
class Cost:
    """The time that models took: in total, the slowest one, and the number of their tensors."""

    seconds: float = 0.0
    slowest: float = 0.0
    tensors: int = 0

    def add(self, seconds: float, tensors: int) -> None:
        self.seconds += seconds
        self.slowest = max(self.slowest, seconds)
        self.tensors += tensors

    @property
    def share(self) -> float:
        return max(MIN_SECONDS, self.seconds / 2)

    def of(self, tensors: int) -> float:
        return tensors * self.seconds / max(1, self.tensors)


class FarValidation:
    """Builds large models with few layers and then deep ones, each within a share of the time.

    The sizes are inside the guards. A refusal of a far model says nothing about the formula: a
    nearer one is built, with fewer sizes moved. Raises ``MismatchError`` for the first model that
    differs.
    """

    def __init__(self, held: HeldOutValidation) -> None:
        self.held, self.near, self.runner, self.tensors = held, held.cost, held.runner, held.tensors
        # A generator of its own: how often it draws depends on time, other sizes must not.
        self.random = Random(held.runner.random.getrandbits(32))
        self.left, self.expected, self.refused = 0.0, 0.0, 0

    def go_wide(self) -> None:
        """Build large models: first all sizes together, as far as possible, then some of them."""
        self.left, self.expected, self.refused = self.near.share, self.near.slowest, 0
        letters, reached = self.wide, 0
        for factor in FAR_FACTORS:
            there = moving_together(partial(self.is_alike, factor), letters)
            if not there:
                break
            letters, reached = there, factor
        for _ in range(MIXED_MODELS if reached and len(letters) > 1 else 0):
            some = self.random.sample(letters, self.random.randint(1, len(letters) - 1))
            self.is_alike(reached, some)

    def go_deep(self) -> None:
        """Build deep models; the second has sizes that could not be deep with the first."""
        self.left, self.refused = self.near.share, 0
        letters = self.deep
        for _ in range(DEEP_MODELS):
            for depth in (DEEP, DEEP // 2, DEEP // 4):
                sizes, deep = self.deepest(letters, depth)
                if sizes is not None and self.made(sizes):
                    letters = [name for name in letters if name not in deep]
                    break

    @property
    def wide(self) -> list[str]:
        """The sizes that change shapes, and not how many tensors there are."""
        repeated = {name for one in self.tensors.kept for name in one.times.letters}
        return [name for name in self.runner.sizes if name not in self.runner.fixed | repeated]

    @property
    def deep(self) -> list[str]:
        """The sizes that change how many layers there are."""
        repeated = {name for one in self.tensors.kept for name in one.times.letters}
        moving = (name for name in self.runner.sizes if name not in self.runner.fixed)
        return [name for name in moving if name in repeated | self.runner.repeated]

    def is_alike(self, factor: int, letters: Sequence[str]) -> bool:
        """Return whether a model with these sizes enlarged matches; false if it takes too long."""
        if self.expected > self.left or self.refused >= MAX_REFUSED:
            return False
        first = self.runner.sizes
        ranges = {name: _around(max(1, first[name]) * factor) for name in letters}
        sizes = self.held.far_away(self.random, ranges)
        if sizes is None:
            self.refused += 1
            return False
        before = self.left
        alike = self.made(sizes)
        seconds = before - self.left
        # Expect the time to grow by the same factor again.
        self.expected = seconds * max(1.0, seconds / max(self.expected, 1e-9))
        return alike

    def made(self, sizes: Sizes) -> bool:
        """Return whether a model at these sizes matches; false if it is refused."""
        started = time.process_time()
        trial = self.held.compared(sizes)
        self.left -= time.process_time() - started
        if trial.consequence is None:
            self.held.alike.append(sizes)
            return True
        if trial.consequence.outcome is not Outcome.REFUSED:
            raise MismatchError(sizes, trial)
        self.refused += 1
        return False

    def deepest(self, letters: Sequence[str], depth: int) -> tuple[Sizes | None, list[str]]:
        """Return sizes with as many loops this deep as there is time for, and those loops."""
        found, deep = None, list[str]()
        for name in letters:
            ranges = dict.fromkeys(self.deep, (1, SHALLOW))
            ranges |= dict.fromkeys((*deep, name), (depth + 1, depth * 6 // 5))
            sizes = self.held.far_away(self.random, ranges)
            if sizes is not None and self.near.of(tensor_count(self.tensors, sizes)) <= self.left:
                found, deep = sizes, [*deep, name]
        return found, deep


def _around(size: int) -> tuple[int, int]:
    return max(1, size * 7 // 10), size * 14 // 10


MAX_SPECIALIZED = 4
"""The largest number of sizes to fix if a model differs and no guard explains why."""

DIVISORS = (2, 3, 4, 6, 8, 16)
"""The numbers that are tried as divisors of a size if models of some sizes cannot be built."""

DEPTH_FACTOR = 5
"""How much deeper some models are if counts of layers were fitted to shallow models."""


class HeldOutValidation:
    """Compares the formula with held-out models inside the guards.

    If one differs, sizes may be fixed. ``caveats`` record the differences that led to that, and
    ``alike`` are the sizes of models that matched.
    """

    def __init__(
        self,
        runner: Runner,
        conditions: GuardSet,
        tensors: GeneralTensors,
        note: Progress,
    ) -> None:
        self.runner = runner
        self.conditions = conditions
        self.tensors = tensors
        self.note = note
        self.caveats: dict[str, None] = {}
        self.cost = Cost()
        self.alike: list[Sizes] = []

    def hold(self, number: int, far: bool = True) -> None:
        """Validate on ``number`` models in a row, the first at the own sizes, and on far ones.

        If a model differs, no guard explains why, and fixing sizes helps, those sizes are fixed and
        validation starts again.
        """
        while True:
            self.hold_near(number)
            if not far:
                return
            reach = FarValidation(self)
            try:
                reach.go_wide()
                reach.go_deep()
                return
            except MismatchError as error:
                self.learn(error.sizes, error.trial)

    def hold_near(self, number: int) -> None:
        held, self.cost = 0, Cost()
        while held < number:
            sizes = self.runner.sizes if held == 0 else self.others(held)
            if sizes is None:
                raise DerivationError(f"{self.runner.name}: no sizes meet the conditions")
            held = held + 1 if self.holds(sizes) else 0
            self.note(f"held at {held} of {number} points")

    def holds(self, sizes: Sizes) -> bool:
        """Return whether a model matches at these sizes; otherwise state guards or fix sizes."""
        started = time.process_time()
        trial = self.compared(sizes)
        if trial.consequence:
            self.learn(sizes, trial)
            return False
        self.cost.add(time.process_time() - started, tensor_count(self.tensors, sizes))
        self.alike.append(sizes)
        return True

    def learn(self, sizes: Sizes, trial: Trial) -> None:
        """State guards or fix sizes after a model differed."""
        assert trial.consequence
        unmet = [c for c in self.conditions.irrelevant if not c.is_met(sizes)]
        if not unmet:
            self.blame(sizes, trial)
        # None of these guards matters alone.
        for condition in unmet:
            self.conditions.state(condition, trial.consequence)

    def compared(self, sizes: Sizes) -> Trial:
        """Compare a model with the formula, and leave out buffers that differ."""
        trial = run_trial(self.runner, self.tensors, sizes)
        for kind in trial.buffers:
            self.tensors.leave_out(kind)
        return trial

    def blame(self, sizes: Sizes, trial: Trial) -> None:
        """Fix the sizes that must keep their own value for the formula to hold at ``sizes``.

        Raises ``DerivationError`` unless they are few and others are left.
        """
        names = self.to_blame(sizes)
        for name in sorted(names):
            # Each of several may be refused for a reason of its own.
            there, why = sizes, trial
            if len(names) > 1:
                there = {**self.runner.sizes, name: sizes[name]}
                why = self.compared(there)
            if self.is_inside(there) and why.consequence and self.divides(name, there, why):
                return
        if not 0 < len(names) <= min(MAX_SPECIALIZED, len(sizes) - len(self.runner.fixed) - 1):
            raise DerivationError(f"{self.runner.name}: {trial.wrong}")
        self.runner.fixed |= names
        fixed = ", ".join(sorted(names))
        self.caveats[f"{fixed} did not vary once the formula had failed: {trial.wrong}"] = None

    def divides(self, name: str, sizes: Sizes, trial: Trial) -> bool:
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
            inside = [one for one in near if self.is_inside({**sizes, name: one})]
            refused = [one for one in inside if self.compared({**sizes, name: one}).consequence]
            if refused and refused == [one for one in inside if one % divisor] != inside:
                need = Condition(Relation.DIVIDES, expression(divisor), letter(name), True)
                self.conditions.guards[need] = set()
                self.conditions.consequences[need] = trial.consequence
                return True
        return False

    def to_blame(self, sizes: Sizes) -> set[str]:
        """Return the sizes that must keep their own value for the formula to hold here."""
        moved, kept = dict(self.runner.sizes), set()
        for name, size in sizes.items():
            tried_here = {**moved, name: size}
            if self.is_inside(tried_here) and not self.compared(tried_here).consequence:
                moved = tried_here
            else:
                kept.add(name)
        return kept - self.runner.fixed

    def is_inside(self, sizes: Sizes) -> bool:
        return all(condition.is_met(sizes) for condition in self.conditions.consequences)

    def others(self, held: int) -> Sizes | None:
        """Return sizes inside the guards; some are deeper if counts of layers were fitted."""
        return self.anywhere(DEPTH_FACTOR if self.tensors.are_counted and held % 4 == 2 else 1)

    def anywhere(self, deeper: int) -> Sizes | None:
        """Return sizes inside the guards, on either side of irrelevant ones."""
        return self.on_any_side(self.runner.random, partial(self.runner.draw, deeper=deeper))

    def far_away(self, random: Random, ranges: SizeBounds) -> Sizes | None:
        """Return such sizes in these ranges and with short loops, as far as the guards allow."""
        runner, fixed = self.runner, frozenset(self.runner.fixed)

        def draw(inside: Sequence[Condition]) -> Sizes | None:
            known = runner.sizes, inside, runner.repeated, fixed
            return sample_sizes(random, *known, SHALLOW, ranges)

        return self.on_any_side(random, draw)

    def on_any_side(
        self, random: Random, draw: Callable[[Sequence[Condition]], Sizes | None]
    ) -> Sizes | None:
        """Return sizes drawn on random sides of the irrelevant guards, if there are any."""
        asked = self.conditions.irrelevant
        sides = [replace(condition, holds=random.random() < 0.5) for condition in asked]
        random.shuffle(sides)
        inside = list(self.conditions.consequences)
        return draw([*inside, *sides]) or draw(inside)
