"""Validate a formula on held-out models, at the constructor's own sizes and far from them.

Near models are many and cheap. Far ones are many times as large, and then as deep, as time allows:
a threshold in code that was not followed shows only there.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from random import Random
from typing import Any

from paramproof.algebra.letters import letters_for
from paramproof.derivation.guard_probing import GuardProber, MismatchError
from paramproof.derivation.runner import DerivationError
from paramproof.derivation.sampling import Sizes, moving_together
from paramproof.formulas.condition import Outcome, StatedCondition
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.derivation_data import derivation_data, derivation_from
from paramproof.tracing.tensor_groups import Stored, expected

FAR_FACTORS = (15, 40, 110, 300)
"""Factors by which sizes grow, in turn; the steps in between show how build times grow."""

DEPTHS = (150, 75, 37)
"""Minimal lengths of loops in deep models: the first for which there is time."""

MAX_LENGTH = 2**31 - 1
"""The longest axis of a tensor that all frameworks have."""

MIN_SECONDS = 1.0
"""Time for large models, and again for deep ones, if earlier models took less than twice it."""

MAX_SPECIALIZED = 4
"""The largest number of sizes to fix if a model differs and no guard explains why."""

DEPTH_FACTOR = 5
"""How much deeper some models are if counts of layers were fitted to shallow models."""


class Validator(GuardProber):
    """Probes the guards of a formula, and compares it with held-out models inside of them.

    If one differs, no guard explains why, and fixing sizes helps, those sizes are fixed.
    """

    def validated(self, caveats: Iterable[str] = ()) -> Derivation:
        """Return the derivation, with these caveats and those of fixed sizes.

        Raises ``DerivationError`` with one line if validation failed.
        """
        self.caveats = dict.fromkeys(caveats)
        first = [*islice(self.caveats, 2)]  # They name lines that were not followed.
        self.sort()
        self.fold()
        try:
            self.hold()
        except DerivationError as error:
            raise DerivationError("; ".join((str(error), *first))) from error
        runner, tensors, stated = self.runner, self.tensors.kept, self.consequences
        moving = {name for t in tensors for e in (*t.shape, t.times) for name in e.letters}
        asked = {name for condition in stated for name in condition.letters}
        derivation = Derivation(
            runner.name,
            dict(runner.sizes),
            {name: name for name in runner.sizes},
            tensors,
            tuple(
                StatedCondition(one, outside, tuple(sorted(self.places.get(one, ()))))
                for one, outside in stated.items()
            ),
            fixed=tuple(sorted(runner.fixed)),
            inert=tuple(sorted(set(runner.sizes) - moving - asked - runner.fixed)),
            unexplained=tuple(f"{kind.path} (buffer)" for kind in self.tensors.left_out),
            irrelevant_guards=tuple(self.irrelevant),
            caveats=tuple(self.caveats),
            evidence=runner.evidence,
            validated=self.ranges(),
        )
        return derivation_from(derivation_data(derivation.renamed(letters_for(runner.sizes))))

    def hold(self) -> None:
        """Validate on near models in a row, the first at the own sizes, and on far ones.

        If a model differs, validation starts again with more guards or fixed sizes.
        """
        while True:
            try:
                started = time.process_time()
                self.hold_near()
                if self.runner.effort.far:
                    self.hold_far(time.process_time() - started)
                return
            except MismatchError as mismatch:
                self.learn(mismatch)

    def hold_near(self) -> None:
        number = self.runner.effort.held + 1
        for held in range(number):
            # Some are deeper if counts of layers were fitted.
            is_deeper = held % 4 == 2 and not all(one.looped for one in self.tensors.parameters)
            deepest = self.runner.effort.deepest * (DEPTH_FACTOR if is_deeper else 1)
            sizes = self.sizes_inside(deepest=deepest) if held else self.runner.sizes
            if sizes is None:
                raise DerivationError(f"{self.runner.name}: no sizes meet the conditions")
            if mismatch := self.trial(sizes):
                raise mismatch
            self.runner.note(f"held at {held + 1} of {number} points")

    def hold_far(self, seconds: float) -> None:
        """Build large models with few layers and then deep ones, for about these ``seconds``.

        The sizes are inside the guards. A refusal of a far model says nothing about the formula: a
        nearer one is built, with fewer sizes moved. The near models took as long.
        """
        # A generator of its own: how often it draws depends on time, other sizes must not.
        self.far_random = Random(self.runner.random.getrandbits(32))
        near, tensors = self.alike[-self.runner.effort.held - 1 :], self.tensors.kept
        number = sum(expected(tensors, one).total() for one in near)
        repeated = {name for one in tensors for name in one.times.letters}
        moving = [name for name in self.runner.sizes if name not in self.runner.fixed]
        # The sizes that change shapes and not how many tensors there are, and those that do.
        wide = [name for name in moving if name not in repeated]
        deep = [name for name in moving if name in repeated | {*self.runner.repeated}]
        for go, letters in ((self.go_wide, wide), (self.go_deep, deep)):
            self.until = time.process_time() + max(MIN_SECONDS, seconds / 2)
            # The time that a tensor is expected to take.
            self.pace = seconds / max(1, number)
            go(letters)

    def go_wide(self, letters: list[str]) -> None:
        """Build large models: first all sizes together, as far as possible, then some of them."""
        reached = 0
        for factor in FAR_FACTORS:
            there = moving_together(partial(self.is_alike_enlarged, factor), letters)
            if not there:
                break
            letters, reached = there, factor
        # In two more, some sizes are as large as possible, and the others near their own values.
        for _ in range(2 if reached and len(letters) > 1 else 0):
            some = self.far_random.sample(letters, self.far_random.randint(1, len(letters) - 1))
            self.is_alike_enlarged(reached, some)

    def is_alike_enlarged(self, factor: int, letters: Iterable[str]) -> bool:
        return self.is_alike({name: max(1, self.runner.sizes[name]) * factor for name in letters})

    def go_deep(self, letters: list[str]) -> None:
        """Build deep models: with each loop deep alone, and then with all of them at once."""
        for deep in dict.fromkeys([*((name,) for name in letters), (*letters,)]):
            for depth in DEPTHS if deep else ():
                if self.is_alike(dict.fromkeys(letters, 1) | dict.fromkeys(deep, depth)):
                    break

    def is_alike(self, least: Mapping[str, int]) -> bool:
        """Return whether a model with sizes near these, and few layers otherwise, matches.

        False if it is refused, or would take too long. Raises ``MismatchError`` if it differs.
        """
        ranges = {name: (size, size * 6 // 5) for name, size in least.items()}
        # Loops that are not made deep have two turns at most.
        sizes = self.sizes_inside(random=self.far_random, deepest=2, ranges=ranges)
        if sizes is None:
            return False
        due: Counter[Stored] = Counter()
        with suppress(ArithmeticError, ValueError):  # The trial reports what has no whole value.
            due = expected(self.tensors.kept, sizes)
        number, started = max(1, due.total()), time.process_time()
        is_long = any(length > MAX_LENGTH for one in due for length in one.shape)
        if is_long or started + number * self.pace > self.until:
            return False
        mismatch = self.trial(sizes)
        # Expect it to grow by the same factor again.
        pace = (time.process_time() - started) / number
        self.pace = pace * max(1.0, pace / max(self.pace, 1e-9))
        if mismatch and mismatch.consequence.outcome is not Outcome.REFUSED:
            raise mismatch
        return not mismatch

    def learn(self, mismatch: MismatchError) -> None:
        """State the guards that are violated where a model differed, or fix sizes.

        Those are fixed that must keep their own value for the formula to hold there. Raises
        ``DerivationError`` unless they are few and others are left.
        """
        sizes, fixed = mismatch.sizes, self.runner.fixed
        if unmet := [one for one in self.irrelevant if not one.is_met(sizes)]:
            for condition in unmet:  # None of them matters alone.
                self.state(condition, mismatch.consequence)
            return

        def is_alike(moving: Iterable[str]) -> bool:
            there = {**self.runner.sizes, **{name: sizes[name] for name in moving}}
            return self.is_inside(there) and not self.trial(there)

        names = {*sizes}.difference(moving_together(is_alike, [*sizes]), fixed)
        if not 0 < len(names) <= min(MAX_SPECIALIZED, len(sizes) - len(fixed) - 1):
            raise DerivationError(f"{self.runner.name}: {mismatch.wrong}")
        fixed |= names
        said = f"{', '.join(sorted(names))} did not vary once the formula had failed"
        self.caveats[f"{said}: {mismatch.wrong}"] = None

    def is_inside(self, sizes: Sizes) -> bool:
        return all(condition.is_met(sizes) for condition in self.consequences)

    def ranges(self) -> dict[str, tuple[int, int]]:
        """Return the smallest and largest value of each size at which the formula was confirmed.

        Leaves out models that violate a guard stated later, or in which a fixed size has another
        value.
        """
        first, fixed = self.runner.sizes, self.runner.fixed
        inside = filter(self.is_inside, self.alike)
        alike = [one for one in inside if all(one[name] == first[name] for name in fixed)]
        found = {name: [sizes[name] for sizes in alike] for name in first}
        return {name: (min(sizes), max(sizes)) for name, sizes in found.items()}

    def sizes_inside(self, random: Random | None = None, **how: Any) -> Sizes | None:
        """Return sizes inside the guards, on random sides of irrelevant ones if possible."""
        random, inside = random or self.runner.random, [*self.consequences]
        sides = [replace(one, holds=random.random() < 0.5) for one in self.irrelevant]
        random.shuffle(sides)
        return self.runner.draw([*inside, *sides], inside, random=random, **how)
