"""Derive a constructor's formula: trace it at several sizes, read, and hold it to models.

Finding traces the constructor, with sizes that remember, at its own sizes and at generic ones;
whatever it has must be the same in letters each time. Holding makes the model anew at sizes that
were drawn far from there, from plain ints and by the code as it is, and compares every tensor.
"""

from __future__ import annotations

import sys
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
    recorded,
)
from paramproof.derive.reading import Group, Key, Kind, Readings, Stored, groups, stored
from paramproof.derive.size import Size
from paramproof.derive.values import explained
from paramproof.formulas.expression import Expression, expression, letter

GENERIC = 4
"""Traces at sizes drawn at random, beside the one at the constructor's own."""

HELD = 20
"""Models that a formula is held to."""

MOST_BLAMED = 4
"""Letters that are fixed, at most, where sizes are refused and nothing was asked of them."""

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


def derive(constructor: Constructor, seed: int = 0, note: Note = lambda _: None) -> Derivation:
    """Return the formula of ``constructor``.

    Raises ``NotDerived``, in one line, where none was found or what was found did not hold.
    """
    search = _Search(constructor, seed, note)
    try:
        return search.result()
    except NotDerived:
        if search.base is search.first:
            raise
        # What other sizes have was no kind of layer: a name that has a size in it is none.
        return _Search(constructor, seed, note, enrich=False).result()


class _Search:
    def __init__(
        self, constructor: Constructor, seed: int, note: Note, enrich: bool = True
    ) -> None:
        self.enrich = enrich
        self.constructor = constructor
        self.random = Random(seed)
        self.note = note
        self.started = time.perf_counter()
        self.fixed: set[str] = set()
        self.traced = self.built = 0
        self.asked: dict[Condition, set[tuple[str, int]]] = {}
        self.outside: dict[Condition, str] = {}
        self.unexplained: dict[str, None] = {}
        self.freed: set[Condition] = set()
        self.unread: set[Kind] = set()
        try:
            known = len(sys.modules)
            self.base = self.first = self.trace(constructor.sizes)
            if len(sys.modules) > known:
                # A part was imported while it was made: nothing was put into its modules yet.
                self.base = self.first = self.trace(constructor.sizes)
        except Exception as error:
            raise NotDerived(f"{constructor.name} is not made: {self.why(error)}") from error
        if not self.base.readings:
            raise NotDerived(f"{constructor.name} has no parameters")
        self.loops = self.base.recorder.loops

    def why(self, error: Exception) -> str:
        """Return what the code itself says at its own sizes, where it is refused untouched too."""
        try:
            self.build(self.constructor.sizes)
        except Exception as own:
            return _in_line(own)
        return _in_line(error)

    def result(self) -> Derivation:
        traces = self.generic()
        tensors, unexplained = self.tensors(traces)
        if unexplained:
            raise NotDerived(f"{self.constructor.name}: not explained: {'; '.join(unexplained)}")
        self.sort_conditions(tensors)
        tensors = [self.fold(tensor) for tensor in tensors]
        self.drop_implied()
        held = self.hold(tensors)
        tensors = [one for one in tensors if self.kind(one) not in self.unread]
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
            tuple(self.unexplained),
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
            self.asked = {}
            self.learn(self.first)
            if self.base is not self.first:
                self.learn(self.base)
            self.free_what_is_no_matter()
            traces, rejected = [self.base], 0
            while len(traces) <= GENERIC and rejected < REJECTED:
                trace = self.another()
                more = trace is not None and _parameters(trace) > _parameters(self.base)
                if trace is not None and more and self.enrich:
                    # One with kinds of layers that its own sizes leave out tells more.
                    self.base = trace
                    self.learn(trace)
                    traces = [trace]
                    rejected += 1
                    continue
                if trace is None or not _alike(trace, self.base):
                    # A kind of layer that is not there says nothing against the others.
                    fewer = trace is not None and _parameters(trace) < _parameters(self.base)
                    rejected += 1 if fewer else 4
                    continue
                self.learn(trace)
                traces.append(trace)
                self.note(f"traced at {len(traces)} of {GENERIC + 1} points")
            if len(traces) > GENERIC:
                return traces
            moved = self.moving_alone() if attempt == 0 else set(self.repeated)
            if not moved - self.fixed:
                break
            self.fixed |= moved
            self.base = self.first = self.trace(self.constructor.sizes)
        raise NotDerived(
            f"{self.constructor.name}: at other sizes other tensors were made, and it was not "
            "found why"
        )

    def free_what_is_no_matter(self) -> None:
        """Let sizes vary that are held by a number, where another one makes the same kinds.

        A list as long as there are layers has a length that is a plain number, and what compares
        it with their number would keep that.
        """
        for condition in list(self.asked):
            one, other = condition.left, condition.right
            if condition.relation is not Relation.EQUAL or not condition.holds:
                continue
            if one.constant is None and other.constant is None:
                continue
            others = [c for c in self.asked if c is not condition]
            sizes = self.draw([*others, replace(condition, holds=False)])
            try:
                trace = self.trace(sizes) if sizes else None
            except Exception:
                continue
            if trace and _parameters(trace) >= _parameters(self.base):
                self.freed.add(condition)
                del self.asked[condition]

    def learn(self, trace: Trace) -> None:
        """Add what was asked in a trace to the conditions."""
        self.loops = {**self.loops, **trace.recorder.loops}
        for condition in trace.recorder.conditions:
            if condition not in self.freed and condition.is_met(self.constructor.sizes):
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
        pool = [*names, *self.base.recorder.made]
        found: list[DerivedTensor] = []
        unexplained: list[str] = []
        for key in self.base.readings:
            kind = key.kind
            if any(key not in trace.readings for trace in traces):
                self.leave_out(kind)
                continue
            same = [trace.readings[key] for trace in traces]
            shape, traced = self.shape(key, same, points, pool)
            recorders = [trace.recorder for trace in traces]
            made = [group.made for group in same]
            loop = times_made(list(zip(made, recorders, points, strict=True)))
            counts = [group.count for group in same]
            times = multiplicity(counts, points, list(self.loops)) if loop is None else loop.number
            if shape is None or times is None:
                if kind.role == "buffer":
                    self.leave_out(kind)
                else:
                    sizes = ", ".join(map(str, self.base.readings[key].shape))
                    unexplained.append(f"{kind.path} of ({sizes})")
                continue
            if kind.role != "buffer":
                at_least_one = Condition(Relation.LESS, times, expression(1), False)
                self.require((at_least_one,) if loop is None else loop.needs)
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
        for axis, lengths in zip(
            axes, zip(*(group.shape for group in same), strict=True), strict=True
        ):
            traced = traced and (axis is not None or len(set(lengths)) == 1)
            length = explained(lengths, points, pool) if axis is None else axis
            if length is None:
                return None, False
            found.append(length)
        return tuple(found), traced

    def require(self, needs: Iterable[Condition]) -> None:
        """Add the conditions under which the number of a kind of layers is what it is."""
        for need in needs:
            if not need.is_settled:
                self.asked.setdefault(need, set())
                self.outside[need] = "a kind of layer is there another number of times"

    def leave_out(self, kind: Kind) -> None:
        """Say of a kind of buffer that it is not explained: it is no part of any count."""
        self.unread.add(kind)
        self.unexplained[f"{kind.path} (buffer)"] = None

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
        broken = replace(condition, holds=not condition.holds)
        others = [one for one in self.asked if one is not condition]
        # What another condition forbids too is tried with those alone that are known to matter.
        known = [one for one in self.outside if one is not condition]
        met = False
        for _ in range(2):
            sizes = self.draw([*others, broken]) or self.draw([*known, broken])
            if sizes is None:
                break
            try:
                made = self.build(sizes)
            except Exception as error:
                return f"the constructor refuses: {_in_line(error)}"
            try:
                wanted = self.expected(tensors, sizes)
            except (ValueError, ZeroDivisionError):
                return "other tensors are made"
            if _without_buffers(made) != _without_buffers(wanted):
                return "other tensors are made"
            met = True
        return "" if met else "not tried: no sizes were found"

    def drop_implied(self) -> None:
        """Write conditions with what divides, and drop those that are settled by it."""
        exact = self.exact()
        outside, asked = self.outside, self.asked
        self.outside, self.asked = {}, {}
        for condition, outcome in outside.items():
            if condition.relation is not Relation.DIVIDES:
                left, right = folded(condition.left, exact), folded(condition.right, exact)
                places = asked[condition]
                condition = replace(condition, left=left, right=right)
                asked[condition] = asked.get(condition, set()) | places
            if not condition.is_settled:
                self.outside.setdefault(condition, outcome)
                self.asked[condition] = asked[condition]

    def exact(self) -> list[tuple[Expression, Expression]]:
        """Return (a, b) for each size a that b is known to divide."""
        return [
            (condition.right, condition.left)
            for condition in self.outside
            if condition.relation is Relation.DIVIDES and condition.holds
        ]

    def kind(self, tensor: DerivedTensor) -> Kind:
        """Return the kind that a tensor is of."""
        return Kind(tensor.path, tensor.role, tensor.aliases, len(tensor.shape))

    def fold(self, tensor: DerivedTensor) -> DerivedTensor:
        """Use that one size divides another, where that is a condition."""
        known = self.exact()
        shape = tuple(folded(length, known) for length in tensor.shape)
        return replace(tensor, shape=shape, times=folded(tensor.times, known))

    def hold(self, tensors: list[DerivedTensor]) -> int:
        """Hold the formula to models at its own sizes and at others; return how many.

        Where it does not hold, but does with a letter at its own value, that letter is fixed, and
        all is held anew.
        """
        while True:
            points: list[Mapping[str, int]] = [self.constructor.sizes]
            while len(points) <= HELD:
                chosen = self.draw(self.outside)
                if chosen is None:
                    raise NotDerived(f"{self.constructor.name}: no sizes meet the conditions")
                points.append(chosen)
            for number, sizes in enumerate(points):
                try:
                    self.hold_at(tensors, sizes)
                except NotDerived:
                    names = self.to_blame(tensors, sizes) if number else set()
                    if not 0 < len(names) <= MOST_BLAMED:
                        raise
                    self.fixed |= names
                    break
                self.note(f"held at {number + 1} of {len(points)} points")
            else:
                return len(points)

    def to_blame(self, tensors: list[DerivedTensor], sizes: Mapping[str, int]) -> set[str]:
        """Return the letters that must be as at first for the formula to hold at these sizes."""
        moved, kept = dict(self.constructor.sizes), set()
        for name, size in sizes.items():
            tried = {**moved, name: size}
            try:
                if not all(one.is_met(tried) for one in self.outside):
                    raise NotDerived
                self.hold_at(tensors, tried)
            except NotDerived:
                kept.add(name)
            else:
                moved = tried
        return kept - self.fixed

    def hold_at(self, tensors: list[DerivedTensor], sizes: Mapping[str, int]) -> None:
        """Raise ``NotDerived`` where the formula does not hold at these sizes."""
        try:
            made = self.build(sizes)
        except Exception as error:
            raise NotDerived(
                f"{self.constructor.name} refuses sizes inside the conditions, "
                f"{_sizes(sizes)}: {_in_line(error)}"
            ) from error
        try:
            wanted = self.expected(tensors, sizes)
        except (ValueError, ZeroDivisionError) as error:
            raise NotDerived(
                f"{self.constructor.name}: no formula at {_sizes(sizes)}: {_in_line(error)}"
            ) from error
        self.compare(made, wanted, sizes)

    def compare(
        self, made: Mapping[Stored, int], wanted: Mapping[Stored, int], sizes: Mapping[str, int]
    ) -> None:
        """Raise ``NotDerived`` where parameters are not as they should be; leave out buffers."""
        for key in [*wanted, *made]:
            there, due = made.get(key, 0), wanted.get(key, 0)
            if there == due:
                continue
            if key.kind.role == "buffer":
                self.leave_out(key.kind)
                continue
            raise NotDerived(
                f"{self.constructor.name}: not as derived at {_sizes(sizes)}: "
                f"{key.kind.path} of {key.shape} is there {there} times, and not {due}"
            )

    def expected(
        self, tensors: Iterable[DerivedTensor], sizes: Mapping[str, int]
    ) -> dict[Stored, int]:
        """Return what should be there, but for what was not explained."""
        wanted = expected(tensors, sizes)
        return {
            key: number for key, number in wanted.items() if number and key.kind not in self.unread
        }


def _alike(one: Trace, other: Trace) -> bool:
    """Whether two traces made the same kinds of parameters with the same shapes in letters."""
    return _parameters(one) == _parameters(other)


def _parameters(trace: Trace) -> set[Key]:
    return {key for key in trace.readings if key.kind.role != "buffer"}


def _without_buffers(made: Mapping[Stored, int]) -> dict[Stored, int]:
    return {key: number for key, number in made.items() if key.kind.role != "buffer"}


def _sizes(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in sizes.items())


def _in_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:200]
