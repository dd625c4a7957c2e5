"""Derive a constructor's formula: trace it at several sizes, read, and hold it to models.

Finding traces the constructor, with sizes that remember, at its own sizes and at generic ones;
whatever it has must be the same in letters each time. Holding makes the model anew at sizes that
were drawn far from there, from plain ints and by the code as it is, and compares every tensor.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from random import Random

from paramproof.derive.constructor import Constructor
from paramproof.derive.derivation import (
    Derivation,
    DerivedTensor,
    Evidence,
    StatedCondition,
    expected,
)
from paramproof.derive.folding import folded
from paramproof.derive.instruments import instrumented
from paramproof.derive.letters import letters_for
from paramproof.derive.loops import times_made
from paramproof.derive.multiplicity import multiplicity
from paramproof.derive.points import drawn
from paramproof.derive.questions import (
    Condition,
    Recorder,
    Relation,
    about_a_loop,
    recorded,
    value_at,
)
from paramproof.derive.reading import Group, Key, Kind, Readings, Stored, groups, stored
from paramproof.derive.size import Size
from paramproof.derive.values import explained
from paramproof.formulas.division import floor
from paramproof.formulas.expression import Expression, expression, letter

GENERIC = 4
"""Traces at sizes drawn at random, beside the one at the constructor's own."""

HELD = 20
"""Models that a formula is held to."""

REJECTED = 40
"""Traces at which other kinds of tensors were made, before it is asked which letter does that."""

Note = Callable[[str], None]


class NotDerived(ValueError):
    """A formula was not found, or what was found did not hold."""


@dataclass(slots=True)
class Trace:
    """What a constructor made at these sizes, and what it asked."""

    sizes: Mapping[str, int]
    readings: Readings
    recorder: Recorder


def derive(
    constructor: Constructor,
    seed: int = 0,
    note: Note = lambda _: None,
    *,
    generic: int = GENERIC,
    held: int = HELD,
) -> Derivation:
    """Return the formula of ``constructor``, read at ``generic`` points and ``held`` to models.

    Raises ``NotDerived``, in one line, where none was found or what was found did not hold.
    """
    search = _Search(constructor, seed, note)
    search.points, search.models = generic, held
    return search.result()


class _Search:
    def __init__(self, constructor: Constructor, seed: int, note: Note) -> None:
        self.constructor = constructor
        self.random = Random(seed)
        self.note = note
        self.started = time.perf_counter()
        self.fixed: set[str] = set()
        self.points, self.models = GENERIC, HELD
        self.traced = self.built = 0
        self.asked: dict[Condition, set[tuple[str, int]]] = {}
        self.outside: dict[Condition, str] = {}
        self.unread: set[Kind] = set()
        try:
            self.base = self.trace(constructor.sizes)
        except Exception as error:
            raise NotDerived(f"{constructor.name} is not made: {_in_line(error)}") from error
        if not self.base.readings:
            raise NotDerived(f"{constructor.name} has no parameters")
        self.loops = self.base.recorder.loops

    def result(self) -> Derivation:
        traces = self.generic()
        tensors, unexplained = self.tensors(traces)
        if any(not name.endswith("(buffer)") for name in unexplained):
            raise NotDerived(f"{self.constructor.name}: not explained: {'; '.join(unexplained)}")
        self.require_kinds(tensors)
        self.sort_conditions(tensors)
        tensors = [self.fold(tensor) for tensor in tensors]
        held = self.hold(tensors)
        moving = {name for t in tensors for e in (*t.shape, t.times) for name in e.letters}
        asked = {name for condition in self.outside for name in condition.letters}
        inert = sorted(set(self.constructor.sizes) - moving - asked - self.fixed)
        read = self.constructor.read_fields()
        derivation = Derivation(
            self.constructor.name,
            dict(self.constructor.sizes),
            {name: name for name in self.constructor.sizes},
            tuple(tensors),
            tuple(
                StatedCondition(condition, outside, tuple(sorted(self.asked.get(condition, ()))))
                for condition, outside in self.outside.items()
            ),
            tuple(sorted(self.fixed)),
            tuple(inert),
            tuple(name for name in inert if name not in read) if read is not None else (),
            tuple(unexplained),
            Evidence(
                self.traced,
                self.built,
                held,
                round(time.perf_counter() - self.started, 2),
                dict(self.constructor.versions),
            ),
        )
        return derivation.renamed(letters_for(self.constructor.sizes))

    @property
    def repeated(self) -> frozenset[str]:
        """The letters of loops."""
        return frozenset(name for loop in self.loops for name in loop.letters)

    def trace(self, sizes: Mapping[str, int]) -> Trace:
        """Make the model from sizes that remember, and read what it has in letters."""
        self.traced += 1
        remembering = {
            name: value if name in self.fixed else Size(value, letter(name))
            for name, value in sizes.items()
        }
        with (
            instrumented(self.constructor.modules),
            recorded() as recorder,
            self.constructor.tracing() as tracing,
        ):
            model = self.constructor.make(remembering)
        return Trace(dict(sizes), groups(self.constructor.read(model, tracing)), recorder)

    def build(self, sizes: Mapping[str, int]) -> dict[Stored, int]:
        """Make the model from plain ints, by the code as it is, and read what it has."""
        self.built += 1
        model = self.constructor.make({name: int(value) for name, value in sizes.items()})
        made = stored(self.constructor.read(model, None))
        return {key: number for key, number in made.items() if key.kind not in self.unread}

    def generic(self) -> list[Trace]:
        """Return traces at the constructor's own sizes and generic ones, alike in letters."""
        for attempt in range(3):
            traces = [self.base]
            self.asked = {}
            self.learn(self.base)
            rejected = 0
            while len(traces) <= self.points and rejected < REJECTED:
                trace = self.another()
                if trace is None or not _alike(trace, self.base):
                    # A kind of layer that is not there says nothing against the others.
                    fewer = trace is not None and set(trace.readings) < set(self.base.readings)
                    rejected += 1 if fewer else 4
                    continue
                self.learn(trace)
                traces.append(trace)
                self.note(f"traced at {len(traces)} of {self.points + 1} points")
            if len(traces) > self.points:
                return traces
            moved = self.moving_alone() if attempt == 0 else set(self.repeated)
            if not moved - self.fixed:
                break
            self.fixed |= moved
            self.base = self.trace(self.constructor.sizes)
        raise NotDerived(
            f"{self.constructor.name}: at other sizes other tensors were made, and it was not found "
            "why"
        )

    def learn(self, trace: Trace) -> None:
        """Add what was asked in a trace to the conditions."""
        self.loops = {**self.loops, **trace.recorder.loops}
        for condition in trace.recorder.conditions:
            if condition.is_met(self.constructor.sizes):
                places = self.asked.setdefault(condition, set())
                places |= trace.recorder.asked[condition]

    def another(self) -> Trace | None:
        """Return a trace at sizes drawn inside the conditions, None where it is refused."""
        sizes = self.draw(list(self.asked))
        if sizes is None:
            return None
        try:
            return self.trace(sizes)
        except Exception:
            return None

    def draw(self, conditions: Iterable[Condition]) -> dict[str, int] | None:
        """Return sizes that meet ``conditions``."""
        first = self.constructor.sizes
        return drawn(self.random, first, list(conditions), self.repeated, frozenset(self.fixed))

    def moving_alone(self) -> set[str]:
        """Return the letters that change what is made, or are refused, when they move alone."""
        found = set()
        for name in self.constructor.sizes:
            others = frozenset(self.constructor.sizes) - {name}
            sizes = drawn(
                self.random, self.constructor.sizes, list(self.asked), self.repeated, others
            )
            if sizes is None or sizes == dict(self.constructor.sizes):
                continue
            try:
                trace = self.trace(sizes)
            except Exception:
                found.add(name)
                continue
            if not _alike(trace, self.base):
                found.add(name)
        return found

    def tensors(self, traces: list[Trace]) -> tuple[list[DerivedTensor], list[str]]:
        """Return each kind of tensor in letters, and those that nothing explains."""
        points = [trace.sizes for trace in traces]
        names = [letter(name) for name in self.constructor.sizes if name not in self.fixed]
        # What was asked to be divisible may be divided where nobody sees it.
        divided = [
            floor(asked.right, asked.left)
            for asked in self.asked
            if asked.relation is Relation.DIVIDES and asked.holds
        ]
        pool = [*names, *self.base.recorder.made, *divided]
        found: list[DerivedTensor] = []
        unexplained: list[str] = []
        for key in self.base.readings:
            kind = key.kind
            same = [trace.readings[key] for trace in traces]
            shape, traced = self.shape(key, same, points, pool)
            recorders = [trace.recorder for trace in traces]
            made = [group.made for group in same]
            loop = times_made(list(zip(made, recorders, points, strict=True)))
            counts = [group.count for group in same]
            times = multiplicity(counts, points, list(self.loops)) if loop is None else loop
            if shape is None or times is None:
                sizes = ", ".join(map(str, self.base.readings[key].shape))
                buffer = " (buffer)" if kind.role == "buffer" else ""
                self.unread.add(kind)
                unexplained.append(f"{kind.path} of ({sizes}){buffer}")
                continue
            found.append(
                DerivedTensor(
                    kind.path,
                    shape,
                    times,
                    kind.role,
                    kind.aliases,
                    traced,
                    loop is not None,
                )
            )
        return found, unexplained

    def shape(
        self,
        key: Key,
        same: list[Group],
        points: list[Mapping[str, int]],
        pool: list[Expression],
    ) -> tuple[tuple[Expression, ...] | None, bool]:
        """Return a shape in letters, None where it is not explained, and whether it was traced.

        A number that is the same in each trace is one of the code's own.
        """
        traced, found = key.axes is not None, []
        axes = key.axes or (None,) * key.kind.rank
        for axis, lengths in zip(axes, zip(*(group.shape for group in same), strict=True), strict=True):
            traced = traced and (axis is not None or len(set(lengths)) == 1)
            length = explained(lengths, points, pool) if axis is None else axis
            if length is None:
                return None, False
            found.append(length)
        return tuple(found), traced

    def require_kinds(self, tensors: Iterable[DerivedTensor]) -> None:
        """Add the condition that there is at least one of each kind of tensor and layer."""
        for times in dict.fromkeys(tensor.times for tensor in tensors):
            condition = Condition(Relation.LESS, times, expression(1), False)
            if not condition.is_settled:
                self.asked.setdefault(condition, set())
                self.outside[condition] = "a kind of layer is not there"

    def sort_conditions(self, tensors: list[DerivedTensor]) -> None:
        """Keep the conditions outside of which something else happens, and drop the others.

        A model is made where one condition alone is not met: a refusal and other tensors are
        stated, and so is what no sizes were found for; what goes on as if nothing were is not.
        """
        for condition in list(self.asked):
            if condition in self.outside or not condition.letters - self.fixed:
                continue
            outcome = self.outcome(condition, tensors)
            if outcome:
                self.outside[condition] = outcome
            else:
                del self.asked[condition]
            self.note(f"{len(self.outside)} conditions kept")

    def outcome(self, condition: Condition, tensors: list[DerivedTensor]) -> str:
        """Return what happens where ``condition`` alone is not met, "" where nothing does."""
        others = [one for one in self.asked if one is not condition]
        met = False
        for _ in range(2):
            sizes = self.draw([*others, replace(condition, holds=not condition.holds)])
            if sizes is None:
                break
            try:
                made = self.build(sizes)
            except Exception as error:
                return f"the constructor refuses: {_in_line(error)}"
            try:
                if made != self.expected(tensors, sizes):
                    return "other tensors are made"
            except ValueError:
                return "other tensors are made"
            met = True
        return "" if met else "not tried: no sizes were found"

    def fold(self, tensor: DerivedTensor) -> DerivedTensor:
        """Use that one size divides another, where that is a condition."""
        known = [
            (condition.right, condition.left)
            for condition in self.outside
            if condition.relation is Relation.DIVIDES and condition.holds
        ]
        shape = tuple(folded(length, known) for length in tensor.shape)
        return replace(tensor, shape=shape, times=folded(tensor.times, known))

    def hold(self, tensors: list[DerivedTensor]) -> int:
        """Hold the formula to models at its own sizes and at others; return how many."""
        points: list[Mapping[str, int]] = [self.constructor.sizes]
        while len(points) <= self.models:
            sizes = self.draw(self.outside)
            if sizes is None:
                raise NotDerived(f"{self.constructor.name}: no sizes meet the conditions")
            points.append(sizes)
        for number, sizes in enumerate(points):
            try:
                made = self.build(sizes)
            except Exception as error:
                raise NotDerived(
                    f"{self.constructor.name} refuses sizes inside the conditions, "
                    f"{_sizes(sizes)}: {_in_line(error)}"
                ) from error
            wanted = self.expected(tensors, sizes)
            if made != wanted:
                raise NotDerived(
                    f"{self.constructor.name}: not as derived at {_sizes(sizes)}: "
                    + _difference(made, wanted)
                )
            self.note(f"held at {number + 1} of {len(points)} points")
        return len(points)

    def expected(
        self, tensors: Iterable[DerivedTensor], sizes: Mapping[str, int]
    ) -> dict[Stored, int]:
        """Return what should be there, but for what was not explained."""
        wanted = expected(tensors, sizes)
        return {key: number for key, number in wanted.items() if key.kind not in self.unread}


def _alike(one: Trace, other: Trace) -> bool:
    """Whether two traces made the same kinds of tensors with the same shapes in letters."""
    return set(one.readings) == set(other.readings)


def _difference(made: Mapping[Stored, int], wanted: Mapping[Stored, int]) -> str:
    for key in [*wanted, *made]:
        if made.get(key, 0) != wanted.get(key, 0):
            kind, shape = key
            there, due = made.get(key, 0), wanted.get(key, 0)
            return f"{kind.path} of {shape} is there {there} times, and not {due}"
    return "nothing"


def _sizes(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in sizes.items())


def _in_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:200]
