"""Run a constructor with plain ints: build models with its own code, and count their tensors."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from random import Random

from paramproof.derivation.sampling import MAX_DEPTH, sample_sizes
from paramproof.formulas.architecture import Evidence
from paramproof.formulas.condition import Condition
from paramproof.formulas.expression import Expression
from paramproof.sources.reference import in_one_line
from paramproof.tracing.constructors import Constructor
from paramproof.tracing.internal_errors import raise_if_internal
from paramproof.tracing.tensor_groups import ObservedTensor, Stored, count_stored

Progress = Callable[[str], None]
"""A callback that receives a short message about the progress."""

Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Effort:
    """How much work a derivation does.

    - ``fitted``: models that a formula is fitted to, the one at the constructor's own sizes first.
    - ``held``: held-out models beside the one at the constructor's own sizes.
    - ``deepest``: the largest length of a loop in models, except for far ones.
    - ``far``: also validate on models that are many times as large and deep, as far as time allows.
    """

    fitted: int = 6
    held: int = 20
    deepest: int = MAX_DEPTH
    far: bool = True


DEFAULT_EFFORT = Effort()

MAX_CAVEATS = 2
"""Caveats in the message of a failure."""


class DerivationError(ValueError):
    """No formula was found, or validation failed."""

    def because(self, caveats: Iterable[str]) -> DerivationError:
        """Return this error with the first caveats, which name lines that were not followed."""
        return DerivationError("; ".join((str(self), *islice(caveats, MAX_CAVEATS))))


@dataclass(slots=True)
class Runner:
    """Runs a constructor at sizes that it samples, and counts models and time.

    - ``fixed`` are the sizes that keep the constructor's own value.
    - ``loops`` are the lengths of loops over layers; sizes in them are sampled up to ``deepest``.
    - ``traces`` is how often programs were read in letters; a fitted formula has none.
    """

    constructor: Constructor
    random: Random
    deepest: int
    fixed: set[str] = field(default_factory=set)
    loops: dict[Expression, None] = field(default_factory=dict)
    traces: int = 0
    built: int = 0
    started: float = field(default_factory=time.perf_counter)

    @property
    def name(self) -> str:
        return self.constructor.name

    @property
    def sizes(self) -> Mapping[str, int]:
        return self.constructor.sizes

    @property
    def repeated(self) -> frozenset[str]:
        return frozenset(name for loop in self.loops for name in loop.letters)

    def guards_at(self, sizes: Mapping[str, int]) -> Iterable[Condition] | None:
        """Return the guards of a program at these sizes, None if it refuses them.

        There are none where no program is read.
        """
        return ()

    def observe(self, sizes: Mapping[str, int]) -> list[ObservedTensor]:
        """Build the model, and list its tensors."""
        self.built += 1
        model = self.constructor.make({name: int(value) for name, value in sizes.items()})
        return [*self.constructor.read(model)]

    def first(self) -> list[ObservedTensor]:
        """Return the tensors at the own sizes. Raises ``DerivationError`` if there are none."""
        try:
            found = self.observe(self.sizes)
        except Exception as error:  # A constructor may raise anything.
            raise_if_internal(error)
            said = f"{self.name} is not made: {in_one_line(error)}"
            raise DerivationError(said) from error
        if not found:
            raise DerivationError(f"{self.name} has no parameters")
        return found

    def build(self, sizes: Mapping[str, int]) -> dict[Stored, int]:
        return count_stored(self.observe(sizes))

    def draw(
        self, inside: Iterable[Condition], fixed: Iterable[str] = (), deeper: int = 1
    ) -> dict[str, int] | None:
        """Return sizes that meet these conditions, None if none were found.

        Sizes in ``fixed`` keep the constructor's own value, too. Loops may be ``deeper`` times as
        long.
        """
        stay, deepest = self.fixed.union(fixed), self.deepest * deeper
        return sample_sizes(
            self.random, self.sizes, list(inside), self.repeated, frozenset(stay), deepest
        )

    def evidence(self, held: int) -> Evidence:
        """Return the work done so far, with the number of held-out models that matched in a row."""
        seconds = round(time.perf_counter() - self.started, 2)
        return Evidence(self.traces, self.built, held, seconds, dict(self.constructor.versions))
