"""Validate a formula on held-out models, at the constructor's own sizes and far from them.

A formula whose guards were probed ends here: ``validated`` returns its derivation.
Near models are many and cheap. Far ones are many times as large, and then as deep, as time allows:
a threshold in code that was not followed shows only there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from random import Random
from typing import TypeAlias

from paramproof.derivation.general_tensors import (
    GeneralTensors,
    Trial,
    longest,
    run_trial,
    tensor_count,
)
from paramproof.derivation.guard_probing import GuardProber
from paramproof.derivation.guard_set import GuardSet
from paramproof.derivation.runner import DerivationError, Effort, Progress, Runner
from paramproof.derivation.sampling import moving_together, sample_sizes
from paramproof.formulas.condition import Condition, Consequence, Outcome, Relation
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.derivation_data import derivation_data, derivation_from
from paramproof.formulas.expression import expression, letter

FAR_FACTORS = (15, 40, 110, 300)
"""Factors by which sizes grow, in turn; the steps in between show how build times grow."""

MIXED_MODELS = 2
"""Models in which some sizes are as large as possible, and the others near their own values."""

DEPTHS = (150, 75, 37)
"""Minimal lengths of loops in deep models: the first for which there is time."""

SHALLOW = 2
"""Maximal length of loops in models that are large in other sizes."""

MAX_LENGTH = 2**31 - 1
"""The longest axis of a tensor that all frameworks have."""

MAX_REFUSED = 8
"""Far models that a constructor may refuse before no more are built."""

MIN_SECONDS = 1.0
"""Time for large models, and again for deep ones, if earlier models took less than twice it."""

Sizes: TypeAlias = Mapping[str, int]
SizeBounds: TypeAlias = Mapping[str, tuple[int, int]]


class MismatchError(Exception):
    """A model at these sizes differs from the formula."""

    def __init__(self, sizes: Sizes, consequence: Consequence, wrong: str) -> None:
        super().__init__(wrong)
        self.sizes, self.consequence = sizes, consequence


class FarValidation:
    """Builds large models with few layers and then deep ones, each within a share of the time.

    The sizes are inside the guards. A refusal of a far model says nothing about the formula: a
    nearer one is built, with fewer sizes moved. Raises ``MismatchError`` for the first model that
    differs.
    """

    def __init__(self, held: HeldOutValidation) -> None:
        self.held, self.runner, self.tensors = held, held.runner, held.tensors
        # A generator of its own: how often it draws depends on time, other sizes must not.
        self.random = Random(held.runner.random.getrandbits(32))
        self.left, self.expected, self.refused = 0.0, 0.0, 0
        self.share = max(MIN_SECONDS, sum(held.seconds) / 2)
        repeated = {name for one in self.tensors.kept for name in one.times.letters}
        moving = [name for name in self.runner.sizes if name not in self.runner.fixed]
        # The sizes that change shapes and not how many tensors there are, and those that do.
        self.wide = [name for name in moving if name not in repeated]
        self.deep = [name for name in moving if name in repeated | self.runner.repeated]

    def go_wide(self) -> None:
        """Build large models: first all sizes together, as far as possible, then some of them."""
        self.left, self.expected, self.refused = self.share, max(self.held.seconds), 0
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
        """Build deep models: with each loop deep alone, and then with all of them at once."""
        self.left, self.refused = self.share, 0
        speed = self.held.tensors_built / max(1e-9, sum(self.held.seconds))
        together = [(self.deep, DEPTHS[:1])] if len(self.deep) > 1 else []
        for deep, depths in (*(([name], DEPTHS) for name in self.deep), *together):
            for depth in depths:
                ranges = dict.fromkeys(self.deep, (1, SHALLOW))
                ranges |= dict.fromkeys(deep, (depth + 1, depth * 6 // 5))
                sizes = self.held.far_away(self.random, ranges)
                if sizes is None or tensor_count(self.tensors, sizes) > self.left * speed:
                    continue
                if self.made(sizes):
                    break

    def is_alike(self, factor: int, letters: Sequence[str]) -> bool:
        """Return whether a model with these sizes enlarged matches; false if it takes too long."""
        if self.expected > self.left or self.refused >= MAX_REFUSED:
            return False
        first = self.runner.sizes
        large = {name: max(1, first[name]) * factor for name in letters}
        ranges = {name: (size, size * 14 // 10) for name, size in large.items()}
        sizes = self.held.far_away(self.random, ranges)
        if sizes is None or longest(self.tensors, sizes) > MAX_LENGTH:
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
        try:
            self.held.match(sizes)
        except MismatchError as error:
            if error.consequence.outcome is not Outcome.REFUSED:
                raise
            self.refused += 1
            return False
        finally:
            self.left -= time.process_time() - started
        return True


MAX_SPECIALIZED = 4
"""The largest number of sizes to fix if a model differs and no guard explains why."""

DIVISORS = (2, 3, 4, 6, 8, 16)
"""The numbers that are tried as divisors of a size if models of some sizes cannot be built."""

DEPTH_FACTOR = 5
"""How much deeper some models are if counts of layers were fitted to shallow models."""


class HeldOutValidation:
    """Compares the formula with held-out models inside the guards.

    If one differs, sizes may be fixed. ``caveats`` record the differences that led to that, and
    ``alike`` are the sizes of models that matched. ``seconds`` is the time that each near model
    took, and ``tensors_built`` how many tensors they have.
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
        self.alike: list[Sizes] = []
        self.seconds: list[float] = []
        self.tensors_built = 0

    def hold(self, number: int, far: bool = True) -> None:
        """Validate on ``number`` models in a row, the first at the own sizes, and on far ones.

        If a model differs, no guard explains why, and fixing sizes helps, those sizes are fixed and
        validation starts again.
        """
        while True:
            try:
                self.hold_near(number)
                if far:
                    reach = FarValidation(self)
                    reach.go_wide()
                    reach.go_deep()
                return
            except MismatchError as error:
                self.learn(error)

    def hold_near(self, number: int) -> None:
        self.seconds, self.tensors_built = [], 0
        for held in range(number):
            sizes = self.runner.sizes if held == 0 else self.others(held)
            if sizes is None:
                raise DerivationError(f"{self.runner.name}: no sizes meet the conditions")
            started = time.process_time()
            self.match(sizes)
            self.seconds.append(time.process_time() - started)
            self.tensors_built += tensor_count(self.tensors, sizes)
            self.note(f"held at {held + 1} of {number} points")

    def match(self, sizes: Sizes) -> None:
        """Compare a model at these sizes. Raises ``MismatchError`` if it differs."""
        trial = self.compared(sizes)
        if trial.consequence:
            raise MismatchError(sizes, trial.consequence, trial.wrong)
        self.alike.append(sizes)

    def learn(self, error: MismatchError) -> None:
        """State guards or fix sizes after a model differed."""
        unmet = [c for c in self.conditions.irrelevant if not c.is_met(error.sizes)]
        if not unmet:
            self.blame(error)
        # None of these guards matters alone.
        for condition in unmet:
            self.conditions.state(condition, error.consequence)

    def compared(self, sizes: Sizes) -> Trial:
        """Compare a model with the formula, and leave out buffers that differ."""
        trial = run_trial(self.runner, self.tensors, sizes)
        for kind in trial.buffers:
            self.tensors.leave_out(kind)
        return trial

    def blame(self, error: MismatchError) -> None:
        """Fix the sizes that must keep their own value for the formula to hold there.

        Raises ``DerivationError`` unless they are few and others are left.
        """
        sizes = error.sizes
        moving = moving_together(partial(self.is_alike, sizes), [*sizes])
        names = {*sizes}.difference(moving, self.runner.fixed)
        is_refused = error.consequence.outcome is Outcome.REFUSED
        if is_refused and any(self.divides(name, sizes[name]) for name in sorted(names)):
            return
        if not 0 < len(names) <= min(MAX_SPECIALIZED, len(sizes) - len(self.runner.fixed) - 1):
            raise DerivationError(f"{self.runner.name}: {error}")
        self.runner.fixed |= names
        fixed = ", ".join(sorted(names))
        self.caveats[f"{fixed} did not vary once the formula had failed: {error}"] = None

    def divides(self, name: str, size: int) -> bool:
        """State that a number divides a size, if models of just its multiples can be built.

        An error inside the framework, such as of an assignment to every second column, tells which
        sizes are refused, but not why. Whether a number is found.
        """
        own = self.runner.sizes
        for divisor in DIVISORS:
            need = Condition(Relation.DIVIDES, expression(divisor), letter(name), True)
            near = range(max(1, size - divisor), size + divisor + 1)
            inside = [one for one in ({**own, name: n} for n in near) if self.is_inside(one)]
            met = [need.is_met(one) for one in inside]
            if need.is_met(own) and len({*met}) == 2:
                why = [self.compared(one).consequence for one in inside]
                if met == [not one for one in why]:
                    self.conditions.guards[need] = set()
                    self.conditions.consequences[need] = next(filter(None, why))
                    return True
        return False

    def is_alike(self, sizes: Sizes, moving: Iterable[str]) -> bool:
        """Return whether a model matches with only some sizes moved to these."""
        there = {**self.runner.sizes, **{name: sizes[name] for name in moving}}
        return self.is_inside(there) and not self.compared(there).consequence

    def is_inside(self, sizes: Sizes) -> bool:
        return all(condition.is_met(sizes) for condition in self.conditions.consequences)

    def ranges(self, probed: Iterable[Sizes]) -> dict[str, tuple[int, int]]:
        """Return the smallest and largest value of each size at which the formula was confirmed.

        ``probed`` are the sizes of other models that matched. Leaves out models that violate a
        guard stated later, or in which a fixed size has another value.
        """
        first, fixed = self.runner.sizes, self.runner.fixed
        alike = filter(self.is_inside, (*probed, *self.alike))
        inside = [one for one in alike if all(one[name] == first[name] for name in fixed)]
        found = {name: [sizes[name] for sizes in inside] for name in first}
        return {name: (min(sizes), max(sizes)) for name, sizes in found.items() if sizes}

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


Naming: TypeAlias = Callable[[Iterable[str]], Mapping[str, str]]
"""Returns a letter for each field."""


def validated(
    prober: GuardProber,
    caveats: dict[str, None],
    effort: Effort,
    naming: Naming,
    note: Progress,
) -> Derivation:
    """Validate a formula whose guards were probed, and return the derivation."""
    runner, conditions, tensors = prober.runner, prober.conditions, prober.tensors
    tensors.fold(conditions.exact_divisions)
    conditions.fold()
    validation = HeldOutValidation(runner, conditions, tensors, note)
    try:
        validation.hold(effort.held + 1, effort.far)
    except DerivationError as error:
        raise error.because(caveats) from error
    letters = naming(runner.sizes)
    caveats = caveats | validation.caveats
    moving = {name for t in tensors.kept for e in (*t.shape, t.times) for name in e.letters}
    asked = {name for condition in conditions.consequences for name in condition.letters}
    derivation = Derivation(
        runner.name,
        dict(runner.sizes),
        {name: name for name in runner.sizes},
        tensors.kept,
        conditions.stated,
        fixed=tuple(sorted(runner.fixed)),
        inert=tuple(sorted(set(runner.sizes) - moving - asked - runner.fixed)),
        unexplained=tuple(tensors.left_out),
        irrelevant_guards=tuple(conditions.irrelevant),
        caveats=tuple(caveats),
        evidence=runner.evidence(effort.held),
        validated=validation.ranges(prober.alike),
    )
    return derivation_from(derivation_data(derivation.renamed(letters)))
