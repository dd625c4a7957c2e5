"""Run a constructor with plain ints: build models with its own code, and count their tensors."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple, TypeAlias

from paramproof.derivation.sampling import MAX_DEPTH, sample_sizes
from paramproof.formulas.architecture import Evidence
from paramproof.formulas.condition import Condition
from paramproof.formulas.expression import Expression
from paramproof.sources.reference import in_one_line
from paramproof.tracing.constructors import Constructor
from paramproof.tracing.internal_errors import raise_if_internal
from paramproof.tracing.tensor_groups import (
    GroupKey,
    Stored,
    TensorGroups,
    count_stored,
    group_tensors,
)

Progress = Callable[[str], None]
"""A callback that receives a short message about the progress."""

Place = tuple[str, int]

Sizes: TypeAlias = Mapping[str, int]


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


class DerivationError(ValueError):
    """No formula was found, or validation failed."""


class Point(NamedTuple):
    """The tensors of a model at some sizes."""

    sizes: Sizes
    groups: TensorGroups
    counts: Mapping[Stored, int]

    @property
    def parameters(self) -> set[GroupKey]:
        return {key for key in self.groups if key.kind.role != "buffer"}


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
    def sizes(self) -> Sizes:
        return self.constructor.sizes

    @property
    def repeated(self) -> frozenset[str]:
        return frozenset(name for loop in self.loops for name in loop.letters)

    def guards_at(self, sizes: Sizes) -> Iterable[Condition] | None:
        """Return the guards of a program at these sizes, None if it refuses them.

        There are none where no program is read.
        """
        return ()

    def build(self, sizes: Sizes) -> Point | Exception:
        """Return the tensors of a model, or the error by which the constructor refuses it."""
        self.built += 1
        try:
            model = self.constructor.make({name: int(value) for name, value in sizes.items()})
            tensors = [*self.constructor.read(model)]
            return Point(sizes, group_tensors(tensors), count_stored(tensors))
        except Exception as error:  # A constructor may raise anything.
            raise_if_internal(error)
            return error

    def first(self) -> Point:
        """Return the tensors at the own sizes. Raises ``DerivationError`` if there are none."""
        found = self.build(self.sizes)
        if isinstance(found, Exception):
            said = f"{self.name} is not made: {in_one_line(found)}"
            raise DerivationError(said) from found
        if not found.groups:
            raise DerivationError(f"{self.name} has no parameters")
        return found

    def draw(self, *choices: Sequence[Condition], **how: Any) -> Sizes | None:
        """Return sizes that meet the first of these lists of conditions that can be met, or None.

        ``how`` are arguments of ``sample_sizes`` that take the place of the runner's own.
        """
        own = {"random": self.random, "deepest": self.deepest, "fixed": frozenset(self.fixed)}
        known: dict[str, Any] = {"first": self.sizes, "repeated": self.repeated, **own, **how}
        found = (sample_sizes(conditions=inside, **known) for inside in choices)
        return next(filter(None, found), None)

    def evidence(self, held: int) -> Evidence:
        """Return the work done so far, with the number of held-out models that matched in a row."""
        seconds = round(time.perf_counter() - self.started, 2)
        return Evidence(self.traces, self.built, held, seconds, dict(self.constructor.versions))
