"""Run a constructor: trace it with symbolic ints, or build models from plain ints.

Constants in guards may be specialized sizes. Their values in several traces tell: if a size became
a plain int, the guard ``heads divides 12`` of a model of width 12 becomes ``heads divides 35`` at
the same line for a model of width 35.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from os.path import basename
from traceback import walk_tb
from typing import NamedTuple, cast

from paramproof.builders.registry import layer_packages
from paramproof.derivation.fitting import fit_length
from paramproof.derivation.loops import LoopGuard, implied_guards
from paramproof.derivation.runner import DerivationError, Place, Progress, Runner
from paramproof.formulas.condition import Condition, Relation
from paramproof.formulas.expression import Expression, Number, letter
from paramproof.sources.reference import in_one_line
from paramproof.tracing.instrumented.code_swap import (
    forget_functions,
    patched_modules,
    run_instrumented,
)
from paramproof.tracing.internal_errors import raise_if_tracing_failed
from paramproof.tracing.recorder import MODEL_FILES, Recorder, recording
from paramproof.tracing.symbolic.symint import SymInt
from paramproof.tracing.tensor_groups import (
    GroupKey,
    TensorGroups,
    group_tensors,
)

__all__ = [
    "DerivationError",
    "NotFollowedError",
    "Progress",
    "SpecializedConstants",
    "Trace",
    "TraceRunner",
]


class GuardConstant(NamedTuple):
    """A constant in a guard, by call site.

    Its own side is None, and ``order`` tells equal guards apart.
    """

    place: Place
    relation: Relation
    left: Expression | None
    right: Expression | None
    order: int


@dataclass(slots=True)
class SpecializedConstants:
    """The constants in guards, their values at all traced sizes, and the sizes that they are."""

    seen: dict[GuardConstant, list[tuple[Mapping[str, int], int]]] = field(default_factory=dict)
    meant: dict[GuardConstant, Expression] = field(default_factory=dict)
    unexplained: set[GuardConstant] = field(default_factory=set)

    def learn(self, sizes: Mapping[str, int], asked: Mapping[Condition, Iterable[Place]]) -> None:
        """Add the guards of a run at these sizes, whether it built a model or refused."""
        for question, condition in _constants_in(asked):
            points = self.seen.setdefault(question, [])
            points.append((sizes, cast(int, _number(condition))))
            # A further value changes the first fitting candidate only if it contradicts that one.
            meant = self.meant.get(question)
            number = points[-1][1]
            if question in self.unexplained or (meant is not None and meant.value(sizes) == number):
                continue
            numbers = [number for _, number in points]
            self.meant.pop(question, None)
            if len(set(numbers)) > 1:
                found = fit_length(numbers, [at for at, _ in points], map(letter, sizes))
                if found is None:
                    self.unexplained.add(question)
                else:
                    self.meant[question] = found

    def in_letters(
        self, asked: Mapping[Condition, Iterable[Place]]
    ) -> Iterator[tuple[Condition, Place]]:
        """Yield each guard and call site, with sizes in place of specialized constants."""
        meant = {
            (condition, question.place): self.meant[question]
            for question, condition in _constants_in(asked)
            if question in self.meant
        }
        for condition, places in asked.items():
            for place in places:
                found = meant.get((condition, place))
                if found is None:
                    yield condition, place
                elif condition.left.constant is not None:
                    yield replace(condition, left=found), place
                else:
                    yield replace(condition, right=found), place


def _constants_in(
    asked: Mapping[Condition, Iterable[Place]],
) -> Iterator[tuple[GuardConstant, Condition]]:
    """Yield the constants in guards, in the order in which each call site used them."""
    orders: dict[object, Iterator[int]] = defaultdict(count)
    for condition, places in asked.items():
        sides = [None if one.constant is not None else one for one in _sides(condition)]
        if not isinstance(_number(condition), int):
            continue
        for place in places:
            kind = (place, condition.relation, sides[0], sides[1])
            yield GuardConstant(*kind, next(orders[kind])), condition


def _number(condition: Condition) -> Number | None:
    numbers = (one.constant for one in _sides(condition))
    return next((number for number in numbers if number is not None), None)


def _sides(condition: Condition) -> tuple[Expression, Expression]:
    return condition.left, condition.right


class NotFollowedError(Exception):
    """The code takes only Python's own ints, for example as a dtype."""


@dataclass(slots=True)
class Trace:
    """The tensors, guards and loops of one run with symbolic ints.

    ``loop_guards`` maps guards that were derived from a loop to the comparison with its index.
    """

    sizes: Mapping[str, int]
    readings: TensorGroups
    recorder: Recorder
    guards: Mapping[Condition, set[Place]]
    loop_guards: Mapping[Condition, LoopGuard]

    @property
    def parameters(self) -> set[GroupKey]:
        return {key for key in self.readings if key.kind.role != "buffer"}


@dataclass(slots=True)
class TraceRunner(Runner):
    """Traces a constructor, too.

    ``constants`` recognizes sizes that had become plain numbers when they were compared.
    """

    constants: SpecializedConstants = field(default_factory=SpecializedConstants)

    @property
    def reads_programs(self) -> bool:
        return self.constructor.tracing is None

    def first(self) -> Trace:
        """Return a trace at the constructor's own sizes.

        Raises ``NotFollowedError`` if only the plain code builds a model, ``DerivationError`` if
        that does not build a model with parameters either, and ``InternalError`` if only the
        tracer fails.
        """
        forget_functions()
        try:
            trace = self._first()
        except Exception as error:  # A constructor may raise anything.
            raise_if_tracing_failed(error, lambda: self._build(self.sizes))
            try:
                self._build(self.sizes)
            except Exception as own:  # A constructor may raise anything.
                said = f"{self.name} is not made: {in_one_line(own)}"
                raise DerivationError(said) from own
            why = f"sizes were not followed: {in_one_line(error)}{_where(error)}"
            raise NotFollowedError(why) from error
        if not trace.readings:
            raise DerivationError(f"{self.name} has no parameters")
        return trace

    def _first(self) -> Trace:
        known = len(sys.modules)
        trace = self.trace(self.sizes)
        # The run may have imported modules that were not instrumented yet.
        return trace if len(sys.modules) == known else self.trace(self.sizes)

    def trace(self, sizes: Mapping[str, int]) -> Trace:
        """Build the model from symbolic ints, and record its tensors and guards."""
        self.traced += 1
        traced: Trace = run_instrumented(
            self.constructor.modules,
            lambda: self._trace(sizes),
            lambda: self.constructor.make(dict(sizes)),
        )
        return traced

    def _trace(self, sizes: Mapping[str, int]) -> Trace:
        assert self.constructor.tracing is not None
        symbolic = {
            name: value if name in self.fixed else SymInt(value, letter(name))
            for name, value in sizes.items()
        }
        with (
            patched_modules(layer_packages()),
            recording() as recorder,
            self.constructor.tracing() as tracing,
        ):
            try:
                model = self.constructor.make(symbolic)
            except Exception:  # It is raised again.
                self.constants.learn(sizes, _questions(recorder))
                raise
            self.constants.learn(sizes, _questions(recorder))
        readings = group_tensors(self.constructor.read(model, tracing))
        asked = _questions(recorder)
        told = {}
        for condition, places, question in implied_guards(recorder, sizes):
            if not condition.is_settled:
                if condition not in asked:
                    told[condition] = question
                asked.setdefault(condition, set()).update(places)
        return Trace(dict(sizes), readings, recorder, asked, told)

    def trace_or_refusal(self, sizes: Mapping[str, int]) -> Trace | None:
        """Return the trace at these sizes, None if the constructor refuses them.

        None too if the constructor divides a number of NumPy's by a size of 0, and only builds.
        Raises ``InternalError`` if only the tracer fails.
        """
        try:
            return self.trace(sizes)
        except Exception as error:  # A constructor may raise anything.
            raise_if_tracing_failed(error, lambda: self._build(sizes))
            return None

    def guards_of(self, trace: Trace) -> dict[Condition, set[Place]]:
        """Return the guards of a trace, with specialized constants replaced by their sizes."""
        found: dict[Condition, set[Place]] = {}
        for condition, place in self.constants.in_letters(_questions(trace.recorder)):
            if not condition.is_settled:
                found.setdefault(condition, set()).add(place)
        for condition in trace.loop_guards:
            found.setdefault(condition, set()).update(trace.guards[condition])
        return found

    def guards_at(self, sizes: Mapping[str, int]) -> Mapping[Condition, set[Place]] | None:
        # Programs state the guards on both sides of each one.
        if self.reads_programs:
            return {}
        trace = self.trace_or_refusal(sizes)
        return None if trace is None else self.guards_of(trace)

    def _build(self, sizes: Mapping[str, int]) -> None:
        """Build and read a model that is not counted as one of the validation."""
        self.build(sizes)
        self.built -= 1


def _where(error: Exception) -> str:
    """Return the innermost line of the model's code in a traceback, as `` (file.py:12)``."""
    found = ""
    for frame, line in walk_tb(error.__traceback__):
        if frame.f_code.co_filename in MODEL_FILES:
            found = f" ({basename(frame.f_code.co_filename)}:{line})"
    return found


def _questions(recorder: Recorder) -> dict[Condition, set[Place]]:
    return {condition: set(recorder.guards[condition]) for condition in recorder.size_guards}
