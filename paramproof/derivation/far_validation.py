"""Models far from the constructor's own sizes, as far as the time goes that models take."""

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
"""How many times as large as at first sizes are, in turn: in between it shows what takes long."""

MIXED_MODELS = 2
"""Models in which some letters are as far as they went, and the others near."""

DEEP = 150
"""Of what a loop runs over there are more than so many, or half as many where that is too slow."""

DEEP_MODELS = 2

SHALLOW = 2
"""Of what a loop runs over there are no more in models that are far in other ways."""

MAX_REFUSED = 8
"""Far models that a constructor may refuse before no more are made."""

MIN_SECONDS = 1.0
"""What far models may take together, and deep ones, where those before took less than twice it."""

Sizes: TypeAlias = Mapping[str, int]
SizeBounds: TypeAlias = Mapping[str, tuple[int, int]]


class MismatchError(Exception):
    """A model at these sizes is not as derived."""

    def __init__(self, sizes: Sizes, trial: Trial) -> None:
        super().__init__()
        self.sizes, self.trial = sizes, trial


@dataclass(slots=True)
class Cost:
    """What models took: ``seconds`` in all, of ``tensors`` in all, and the ``slowest`` of them."""

    seconds: float = 0.0
    slowest: float = 0.0
    tensors: int = 0

    def add(self, seconds: float, tensors: int) -> None:
        """Count one more model."""
        self.seconds += seconds
        self.slowest = max(self.slowest, seconds)
        self.tensors += tensors

    @property
    def share(self) -> float:
        """The seconds that models of another sort may take beside these."""
        return max(MIN_SECONDS, self.seconds / 2)

    def of(self, tensors: int) -> float:
        """The seconds that a model of so many tensors takes."""
        return tensors * self.seconds / max(1, self.tensors)


@dataclass(slots=True)
class FarValidation:
    """Makes models far away: wider, with few layers, and deeper, each with a share of ``near``.

    ``draw`` returns sizes inside the conditions, of letters in these ranges and of loops so long
    at most; ``compare`` makes a model and compares it. A far model that is refused says nothing
    of the formula: it is made again closer, and of fewer letters. ``alike`` are the sizes at which
    models were as derived.
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
        """Make models as far and as deep as can be.

        Raises ``DiffersError`` for the first that is not as derived.
        """
        self.go_wide()
        self.go_deep()

    def go_wide(self) -> None:
        """Make wider models, the letters together as far as they may, and then some of them."""
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
        """Make deeper models, the second one of letters that are too many to be deep together."""
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
        """The letters that say how large tensors are, and not how many there are."""
        repeated = {name for one in self.tensors.kept for name in one.times.letters}
        return [name for name in self.runner.sizes if name not in self.runner.fixed | repeated]

    @property
    def deep(self) -> list[str]:
        """The letters that say how many layers there are."""
        repeated = {name for one in self.tensors.kept for name in one.times.letters}
        moving = (name for name in self.runner.sizes if name not in self.runner.fixed)
        return [name for name in moving if name in repeated | self.runner.repeated]

    def together(self, known: list[str], letters: list[str], factor: int) -> list[str]:
        """Return ``known`` and as many of the letters as may be so far together, by halves."""
        if not letters or self.is_alike([*known, *letters], factor):
            return [*known, *letters]
        if len(letters) == 1:
            return known
        half = len(letters) // 2
        return self.together(self.together(known, letters[:half], factor), letters[half:], factor)

    def is_alike(self, letters: Sequence[str], factor: int) -> bool:
        """Whether a model is as derived with these letters so far; not where it takes too long."""
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
        # The next one takes as many times as long.
        self.expected = seconds * max(1.0, seconds / max(self.expected, 1e-9))
        return alike

    def made(self, sizes: Sizes) -> bool:
        """Whether a model at these sizes is as derived; not where it is refused."""
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
        """Return sizes at which as many of the letters are so deep as time is left for."""
        found, deep = None, list[str]()
        for name in letters:
            ranges = dict.fromkeys(self.deep, (1, SHALLOW))
            ranges |= {other: _deeper(depth) for other in (*deep, name)}
            sizes = self.draw(self.random, ranges, SHALLOW)
            if sizes is not None and self.near.of(tensor_count(self.tensors, sizes)) <= self.left:
                found, deep = sizes, [*deep, name]
        return found, deep


def tensor_count(tensors: GeneralTensors, sizes: Sizes) -> int:
    """Return how many tensors a model has at these sizes: that is what it takes time for."""
    return sum(max(0, int(one.times.value(sizes))) for one in tensors.kept)


def _around(size: int) -> tuple[int, int]:
    return max(1, size * 7 // 10), size * 14 // 10


def _deeper(depth: int) -> tuple[int, int]:
    return depth + 1, depth * 6 // 5
