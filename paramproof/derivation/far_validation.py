"""Validate on models that are far larger or deeper, as far as time allows."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias

from paramproof.derivation.generalization import GeneralTensors
from paramproof.derivation.trace_runner import TraceRunner
from paramproof.derivation.trial import Trial
from paramproof.formulas.derivation import Outcome

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
        """Add a model."""
        self.seconds += seconds
        self.slowest = max(self.slowest, seconds)
        self.tensors += tensors

    @property
    def share(self) -> float:
        """The time that another group of models may take."""
        return max(MIN_SECONDS, self.seconds / 2)

    def of(self, tensors: int) -> float:
        """Return the time that a model with this number of tensors takes."""
        return tensors * self.seconds / max(1, self.tensors)


@dataclass(slots=True)
class FarValidation:
    """Builds large models with few layers and then deep ones, each within a share of the time.

    ``draw`` returns sizes inside the guards, within ranges and with loops up to a length;
    ``compare`` builds a model and compares it. A refusal of a far model says nothing about the
    formula: a nearer one is built, with fewer sizes moved. ``alike`` are the sizes of models that
    matched.
    """

    runner: TraceRunner
    tensors: GeneralTensors
    near: Cost
    random: Random
    draw: Callable[[Random, SizeBounds, int], Sizes | None]
    compare: Callable[[Sizes], Trial]
    alike: list[Sizes] = field(default_factory=list)
    left: float = 0.0
    expected: float = 0.0
    refused: int = 0

    def go(self) -> None:
        """Build models as large and as deep as possible.

        Raises ``MismatchError`` for the first model that differs.
        """
        self.go_wide()
        self.go_deep()

    def go_wide(self) -> None:
        """Build large models: first all sizes together, as far as possible, then some of them."""
        self.left, self.expected, self.refused = self.near.share, self.near.slowest, 0
        letters, reached = self.wide, 0
        for factor in FAR_FACTORS:
            there = self.together([], letters, factor)
            if not there:
                break
            letters, reached = there, factor
        for _ in range(MIXED_MODELS if reached and len(letters) > 1 else 0):
            some = self.random.sample(letters, self.random.randint(1, len(letters) - 1))
            self.is_alike(some, reached)

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

    def together(self, known: list[str], letters: list[str], factor: int) -> list[str]:
        """Return ``known`` and as many sizes as can be this large together, by bisection."""
        if not letters or self.is_alike([*known, *letters], factor):
            return [*known, *letters]
        if len(letters) == 1:
            return known
        half = len(letters) // 2
        return self.together(self.together(known, letters[:half], factor), letters[half:], factor)

    def is_alike(self, letters: Sequence[str], factor: int) -> bool:
        """Return whether a model with these sizes enlarged matches; false if it takes too long."""
        if self.expected > self.left or self.refused >= MAX_REFUSED:
            return False
        first = self.runner.sizes
        ranges = {name: _around(max(1, first[name]) * factor) for name in letters}
        sizes = self.draw(self.random, ranges, SHALLOW)
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
        trial = self.compare(sizes)
        self.left -= time.process_time() - started
        if trial.consequence is None:
            self.alike.append(sizes)
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
            ranges |= {other: _deeper(depth) for other in (*deep, name)}
            sizes = self.draw(self.random, ranges, SHALLOW)
            if sizes is not None and self.near.of(tensor_count(self.tensors, sizes)) <= self.left:
                found, deep = sizes, [*deep, name]
        return found, deep


def tensor_count(tensors: GeneralTensors, sizes: Sizes) -> int:
    """Return the number of tensors at these sizes, which determines the build time."""
    return sum(max(0, int(one.times.value(sizes))) for one in tensors.kept)


def _around(size: int) -> tuple[int, int]:
    return max(1, size * 7 // 10), size * 14 // 10


def _deeper(depth: int) -> tuple[int, int]:
    return depth + 1, depth * 6 // 5
