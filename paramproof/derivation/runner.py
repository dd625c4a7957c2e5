"""Build models of a constructor with plain ints, and compare them with tensors in symbols."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from paramproof.derivation.sampling import MAX_DEPTH, Sizes, sample_sizes
from paramproof.formulas.architecture import Evidence
from paramproof.formulas.condition import Condition
from paramproof.formulas.derivation import DerivedTensor, Kind
from paramproof.sources.reference import in_one_line
from paramproof.tracing.constructors import Constructor
from paramproof.tracing.internal_errors import raise_if_internal
from paramproof.tracing.tensor_groups import (
    GroupKey,
    Stored,
    TensorGroups,
    expected,
    group_tensors,
)

Progress = Callable[[str], None]
"""A callback that receives a short message about the progress."""


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

    @property
    def counts(self) -> Mapping[Stored, int]:
        of_groups = ((Stored(key.kind, one.shape), one.count) for key, one in self.groups.items())
        return {stored: count for stored, count in of_groups if 0 not in stored.shape}

    @property
    def parameters(self) -> set[GroupKey]:
        return {key for key in self.groups if key.kind.role != "buffer"}


@dataclass(slots=True)
class Runner:
    """Runs a constructor at sizes that it samples, and counts models and time.

    - ``fixed`` are the sizes that keep the constructor's own value.
    - ``repeated`` are sizes in lengths of loops over layers, sampled up to ``effort.deepest``.
    - ``guards_at`` returns the guards of a program at sizes, None if it refuses them. There are
      none where no program is read.
    - ``traces`` is how often programs were read in letters; a fitted formula has none.
    """

    constructor: Constructor
    random: Random
    effort: Effort = DEFAULT_EFFORT
    note: Progress = lambda _: None
    fixed: set[str] = field(default_factory=set)
    repeated: Collection[str] = ()
    guards_at: Callable[[Sizes], Iterable[Condition] | None] = lambda _: ()
    traces: int = 0
    built: int = 0
    started: float = field(default_factory=time.perf_counter)

    @property
    def name(self) -> str:
        return self.constructor.name

    @property
    def sizes(self) -> Sizes:
        return self.constructor.sizes

    def build(self, sizes: Sizes) -> Point | Exception:
        """Return the tensors of a model, or the error by which the constructor refuses it."""
        self.built += 1
        try:
            model = self.constructor.make({name: int(value) for name, value in sizes.items()})
            return Point(sizes, group_tensors(self.constructor.read(model)))
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
        own = {"random": self.random, "deepest": self.effort.deepest, "fixed": self.fixed}
        known: dict[str, Any] = {"first": self.sizes, "repeated": self.repeated, **own, **how}
        found = (sample_sizes(conditions=inside, **known) for inside in choices)
        return next(filter(None, found), None)

    @property
    def evidence(self) -> Evidence:
        """The work done so far, with the number of held-out models."""
        seconds, versions = round(time.perf_counter() - self.started, 2), self.constructor.versions
        return Evidence(self.traces, self.built, self.effort.held, seconds, dict(versions))


@dataclass(slots=True)
class GeneralTensors:
    """The tensors of a model in symbols, and the kinds of buffers that were not explained.

    ``unexplained`` are parameters without an expression, as text.
    """

    found: list[DerivedTensor] = field(default_factory=list)
    unexplained: list[str] = field(default_factory=list)
    left_out: dict[Kind, None] = field(default_factory=dict)

    @property
    def kept(self) -> tuple[DerivedTensor, ...]:
        """The tensors that were not left out."""
        return tuple(one for one in self.found if one.kind not in self.left_out)

    @property
    def parameters(self) -> list[DerivedTensor]:
        return [one for one in self.kept if one.role != "buffer"]

    def differences(
        self, made: Mapping[Stored, int], sizes: Sizes
    ) -> list[tuple[Stored, int, int]]:
        """Return (tensor, observed count, expected count) wherever the two counts differ.

        Raises ``ValueError`` or ``ZeroDivisionError`` if an expected number is not whole.
        """
        due = expected(self.found, sizes)
        return [
            (key, made.get(key, 0), due[key])
            for key in dict.fromkeys((*due, *made))
            if made.get(key, 0) != due[key] and key.kind not in self.left_out
        ]
