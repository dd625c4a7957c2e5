"""A constructor's models: made from sizes that remember, and from plain ints."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from os.path import basename
from random import Random
from traceback import walk_tb

from paramproof.algebra.sampling import sample_sizes
from paramproof.derivation.loop_guards import LoopGuard, implied_guards
from paramproof.derivation.specialized_constants import Place, SpecializedConstants
from paramproof.formulas.condition import Condition
from paramproof.formulas.derivation import Evidence, Stored
from paramproof.formulas.expression import Expression, letter
from paramproof.sources.reference import in_one_line
from paramproof.tracing.call_sites import MODEL_FILES
from paramproof.tracing.constructors.base import LAYER_PACKAGES, Constructor
from paramproof.tracing.instrumented.code_swap import forget_functions, run_instrumented
from paramproof.tracing.patching import patched_modules
from paramproof.tracing.recorder import Recorder, recording
from paramproof.tracing.symbolic.symint import NativeSymInt, SymInt, using_symint_class
from paramproof.tracing.tensor_groups import GroupKey, TensorGroups, count_stored, group_tensors

Progress = Callable[[str], None]
"""Is told, in a few words, how far it is."""


class FailureCause(Enum):
    """Why a formula was not found."""

    NOT_MADE = auto()
    """The constructor does not make a model at its own sizes."""
    NO_PARAMETERS = auto()
    NOT_ALIKE = auto()
    """It makes other tensors at other sizes, and no guard says where."""
    NOT_EXPLAINED = auto()
    """A shape, or how often a tensor is there, was not found in letters."""
    NO_SIZES = auto()
    """No sizes that meet the conditions were found."""
    REFUSED = auto()
    """The constructor refuses sizes inside the conditions."""
    NOT_AS_DERIVED = auto()
    """It makes other tensors than the formula has, inside the conditions."""
    OTHER = auto()


class DerivationError(ValueError):
    """A formula was not found, or what was found did not hold, for a ``cause``."""

    def __init__(self, text: str, cause: FailureCause = FailureCause.OTHER) -> None:
        super().__init__(text)
        self.cause = cause


@dataclass(slots=True)
class Trace:
    """What a constructor made at these sizes, and what it asked.

    ``told`` has what loops asked, for each of the conditions that follow from their answers.
    """

    sizes: Mapping[str, int]
    readings: TensorGroups
    recorder: Recorder
    guards: Mapping[Condition, set[Place]]
    loop_guards: Mapping[Condition, LoopGuard]

    @property
    def parameters(self) -> set[GroupKey]:
        """Its kinds of parameters with their shapes in letters; buffers are none."""
        return {key for key in self.readings if key.kind.role != "buffer"}


@dataclass(slots=True)
class TraceRunner:
    """Makes a constructor's models, at sizes that it draws; counts them, and takes the time.

    ``fixed`` are the letters that stay at the constructor's own value. ``loops`` are the lengths
    of the loops that run: letters in them are drawn up to ``deepest``. ``lost`` knows the sizes
    that were plain numbers when something was asked of them. ``unfollowed`` says why the modules
    have Python's own ``int`` and ``range`` while they are traced, where they do.
    """

    constructor: Constructor
    random: Random
    deepest: int
    fixed: set[str] = field(default_factory=set)
    loops: dict[Expression, None] = field(default_factory=dict)
    constants: SpecializedConstants = field(default_factory=SpecializedConstants)
    unfollowed: str = ""
    traced: int = 0
    built: int = 0
    started: float = field(default_factory=time.perf_counter)

    @property
    def name(self) -> str:
        """The constructor's name."""
        return self.constructor.name

    @property
    def sizes(self) -> Mapping[str, int]:
        """The constructor's own sizes."""
        return self.constructor.sizes

    @property
    def repeated(self) -> frozenset[str]:
        """The letters of loops."""
        return frozenset(name for loop in self.loops for name in loop.letters)

    def first(self) -> Trace:
        """Return a trace at the constructor's own sizes.

        Code that takes no other ``int`` than Python's, as one that has it for a dtype, keeps it:
        then nothing is proved.

        Raises ``DerivationError`` where it does not make a model with parameters.
        """
        forget_functions()
        try:
            trace = self._first()
        except Exception as error:
            self.unfollowed = f"sizes were not followed: {in_one_line(error)}{_where(error)}"
            try:
                trace = self._first()
            except Exception:
                own = self._own(error)
                said = f"{self.name} is not made: {in_one_line(own)}"
                raise DerivationError(said, FailureCause.NOT_MADE) from own
        if not trace.readings:
            raise DerivationError(f"{self.name} has no parameters", FailureCause.NO_PARAMETERS)
        return trace

    def _first(self) -> Trace:
        known = len(sys.modules)
        trace = self.trace(self.sizes)
        # A part may be imported while it is made: nothing was put into its modules then.
        return trace if len(sys.modules) == known else self.trace(self.sizes)

    def trace(self, sizes: Mapping[str, int]) -> Trace:
        """Make the model from sizes that remember, and read what it has in letters."""
        self.traced += 1
        if self.constructor.is_followed and not self.unfollowed:
            traced: Trace = run_instrumented(
                self.constructor.modules,
                lambda: self._trace(sizes, SymInt),
                lambda: self.constructor.make(dict(sizes)),
            )
            return traced
        return self._trace(sizes, NativeSymInt)

    def _trace(self, sizes: Mapping[str, int], kind: type[SymInt]) -> Trace:
        symbolic = {
            name: value if name in self.fixed else kind(value, letter(name))
            for name, value in sizes.items()
        }
        modules = LAYER_PACKAGES if kind is SymInt else self.constructor.modules
        with (
            using_symint_class(kind),
            patched_modules(() if self.unfollowed else modules),
            recording() as recorder,
            self.constructor.tracing() as tracing,
        ):
            try:
                model = self.constructor.make(symbolic)
            except Exception:
                self.constants.learn(sizes, _questions(recorder))
                raise
            self.constants.learn(sizes, _questions(recorder))
        if self.unfollowed:
            recorder.caveats[self.unfollowed,] = None
        readings = group_tensors(self.constructor.read(model, tracing))
        asked = _questions(recorder)
        told = {}
        for condition, places, question in implied_guards(recorder, sizes):
            if not condition.is_settled:
                if condition not in asked:
                    told[condition] = question
                asked.setdefault(condition, set()).update(places)
        return Trace(dict(sizes), readings, recorder, asked, told)

    def guards_of(self, trace: Trace) -> dict[Condition, set[Place]]:
        """Return what a trace asked, with the letters of sizes that were numbers by then."""
        found: dict[Condition, set[Place]] = {}
        for condition, place in self.constants.in_letters(_questions(trace.recorder)):
            if not condition.is_settled:
                found.setdefault(condition, set()).add(place)
        for condition in trace.loop_guards:
            found.setdefault(condition, set()).update(trace.guards[condition])
        return found

    def build(self, sizes: Mapping[str, int]) -> dict[Stored, int]:
        """Make the model from plain ints, by the code as it is, and read what it has."""
        self.built += 1
        model = self.constructor.make({name: int(value) for name, value in sizes.items()})
        return count_stored(self.constructor.read(model, None))

    def draw(
        self, inside: Iterable[Condition], fixed: Iterable[str] = (), deeper: int = 1
    ) -> dict[str, int] | None:
        """Return sizes inside these conditions, ``fixed`` as at first too; None for none found.

        Models are up to so many times ``deeper`` than else.
        """
        stay, deepest = self.fixed.union(fixed), self.deepest * deeper
        return sample_sizes(
            self.random, self.sizes, list(inside), self.repeated, frozenset(stay), deepest
        )

    def evidence(self, held: int) -> Evidence:
        """Return what was made so far, where ``held`` models in a row were as derived."""
        seconds = round(time.perf_counter() - self.started, 2)
        return Evidence(self.traced, self.built, held, seconds, dict(self.constructor.versions))

    def _own(self, error: Exception) -> Exception:
        """Return what untouched code raises at its own sizes, or else ``error``."""
        try:
            self.build(self.sizes)
        except Exception as own:
            return own
        return error


def _where(error: Exception) -> str:
    """Return the line of the model's code that led to an error, as `` (file.py:12)``."""
    found = ""
    for frame, line in walk_tb(error.__traceback__):
        if frame.f_code.co_filename in MODEL_FILES:
            found = f" ({basename(frame.f_code.co_filename)}:{line})"
    return found


def _questions(recorder: Recorder) -> dict[Condition, set[Place]]:
    return {condition: set(recorder.guards[condition]) for condition in recorder.size_guards}
