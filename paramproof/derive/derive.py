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
from paramproof.derive.folding import folded
from paramproof.derive.instruments import instrumented
from paramproof.derive.letters import letters_for
from paramproof.derive.loops import times_made
from paramproof.derive.multiplicity import multiplicity
from paramproof.derive.points import DEEPEST, drawn
from paramproof.derive.questions import Recorder, recorded
from paramproof.derive.reading import Key, Readings, TensorGroup, groups, stored
from paramproof.derive.size import Size
from paramproof.derive.told import LoopQuestion, answered_both_ways, conditions, doubt
from paramproof.derive.values import explained
from paramproof.formulas.condition import Condition, Relation
from paramproof.formulas.derivation import (
    Derivation,
    DerivedTensor,
    Evidence,
    Kind,
    StatedCondition,
    Stored,
    expected,
)
from paramproof.formulas.division import floor
from paramproof.formulas.expression import Expression, expression, letter
from paramproof.sources.reference import in_one_line

RICHER = 6
"""Traces at which kinds of layers are looked for that the constructor's own sizes leave out."""

MOST_BLAMED = 4
"""Letters that are fixed, at most, where a model is not as derived and nothing asked of them."""

REJECTED = 40
"""Traces at which other kinds of tensors were made, before it is asked which letter does that."""

OTHERS = "other tensors are made"
REFUSES = "the constructor refuses"

Note = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is done for a formula.

    It is traced at ``generic`` sizes, beside the constructor's own, and held to ``held`` models,
    beside the one of its own sizes; of what a loop runs over there are up to ``deepest``.
    """

    generic: int = 4
    held: int = 20
    deepest: int = DEEPEST


class NotDerived(ValueError):
    """A formula was not found, or what was found did not hold."""


@dataclass(slots=True)
class Trace:
    """What a constructor made at these sizes, and what it asked.

    ``told`` has what loops asked, for each of the conditions that follow from their answers.
    """

    sizes: Mapping[str, int]
    readings: Readings
    recorder: Recorder
    conditions: Mapping[Condition, set[tuple[str, int]]]
    told: Mapping[Condition, LoopQuestion]


def derive(
    constructor: Constructor,
    seed: int = 0,
    note: Note = lambda _: None,
    *,
    effort: Effort = Effort(),
    outcomes: dict[Condition, str] | None = None,
) -> Derivation:
    """Return the formula of ``constructor``.

    ``outcomes`` remembers, from one constructor to others that are made by the same code, what
    happens where a condition is not met: what did nothing alone is tried together only.

    Raises ``NotDerived``, in one line, where none was found or what was found did not hold.
    """
    known = {} if outcomes is None else outcomes
    search = _Search(constructor, seed, note, effort, known)
    try:
        return search.result()
    except NotDerived:
        if search.base is search.first:
            raise
        # What other sizes have was no kind of layer: a name that has a size in it is none.
        return _Search(constructor, seed, note, effort, known, richer=False).result()


class _Search:
    def __init__(
        self,
        constructor: Constructor,
        seed: int,
        note: Note,
        effort: Effort,
        outcomes: dict[Condition, str],
        richer: bool = True,
    ) -> None:
        self.richer = richer
        self.constructor = constructor
        self.random = Random(seed)
        self.note = note
        self.started = time.perf_counter()
        self.fixed: set[str] = set()
        self.effort = effort
        self.outcomes = outcomes
        self.remembered: set[Condition] = set()
        self.traced = self.built = 0
        self.asked: dict[Condition, set[tuple[str, int]]] = {}
        self.outside: dict[Condition, str] = {}
        self.harmless: dict[Condition, set[tuple[str, int]]] = {}
        self.beyond: dict[Condition, None] = {}
        self.doubts: dict[str, None] = {}
        self.both: dict[LoopQuestion, None] = {}
        self.unexplained: dict[str, None] = {}
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
            return in_one_line(own)
        return in_one_line(error)

    def result(self) -> Derivation:
        traces = self.generic()
        tensors, unexplained = self.tensors(traces)
        if unexplained:
            raise NotDerived(f"{self.constructor.name}: not explained: {'; '.join(unexplained)}")
        self.sort_conditions(tensors)
        tensors = [self.fold(tensor) for tensor in tensors]
        self.drop_implied()
        held = self.hold(tensors)
        tensors = [one for one in tensors if one.kind not in self.unread]
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
            tuple(self.harmless),
            tuple(self.doubts),
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
        readings = groups(self.constructor.read(model, tracing))
        asked = {c: set(recorder.asked[c]) for c in recorder.conditions}
        told = {}
        for condition, places, question in conditions(recorder, sizes):
            if not condition.is_settled:
                if condition not in asked:
                    told[condition] = question
                asked.setdefault(condition, set()).update(places)
        return Trace(dict(sizes), readings, recorder, asked, told)

    def build(self, sizes: Mapping[str, int]) -> dict[Stored, int]:
        """Make the model from plain ints, by the code as it is, and read what it has."""
        self.built += 1
        model = self.constructor.make({name: int(value) for name, value in sizes.items()})
        made = stored(self.constructor.read(model, None))
        return {key: number for key, number in made.items() if key.kind not in self.unread}

    def generic(self) -> list[Trace]:
        """Return traces at the constructor's own sizes and generic ones, alike in letters."""
        for attempt in range(3):
            if self.richer:
                self.look_for_richer()
            self.start()
            traces, rejected = [self.base], 0
            while len(traces) <= self.effort.generic and rejected < REJECTED:
                trace = self.another(list(self.asked))
                if trace is not None and self.richer and self.is_richer(trace):
                    self.base, traces = trace, [trace]
                    self.start()
                    rejected += 1
                    continue
                if trace is None or not _alike(trace, self.base):
                    # A kind of layer that is not there says nothing against the others.
                    fewer = trace is not None and _parameters(trace) < _parameters(self.base)
                    rejected += 1 if fewer else 4
                    continue
                self.learn(trace)
                traces.append(trace)
                self.note(f"traced at {len(traces)} of {self.effort.generic + 1} points")
            if len(traces) > self.effort.generic:
                for question in self.both:
                    self.doubts.pop(doubt(question), None)
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

    def look_for_richer(self) -> None:
        """Find a trace with kinds of layers that the constructor's own sizes leave out.

        Where each layer got the same answer, others may get the other: that is no branch.
        """
        plain = self.first.recorder.conditions
        if len(plain) == len(self.first.conditions):
            return
        for _ in range(RICHER):
            trace = self.another(plain)
            if trace is not None and self.is_richer(trace):
                self.base = trace

    def is_richer(self, trace: Trace) -> bool:
        """Whether a trace has all kinds that there are and more, where its own sizes could be."""
        return _parameters(trace) > _parameters(self.base) and all(
            condition.is_met(self.constructor.sizes) for condition in trace.conditions
        )

    def start(self) -> None:
        """Begin with what was asked at its own sizes, and in the trace with the most kinds."""
        self.asked, self.beyond, self.doubts, self.both = {}, {}, {}, {}
        # What a loop was told is otherwise where there are more kinds, and asked there too.
        told = {c: p for c, p in self.first.conditions.items() if c.is_met(self.base.sizes)}
        self.learn(replace(self.first, conditions=told))
        if self.base is not self.first:
            self.learn(self.base)

    def learn(self, trace: Trace) -> None:
        """Add what was asked in a trace to the conditions.

        What its own sizes would answer otherwise was not asked there: models are held on both
        sides of it, and nothing is proved. Loops that gave both answers there may give one here.
        """
        self.both |= dict.fromkeys(answered_both_ways(trace.recorder))
        self.loops = {**self.loops, **trace.recorder.loops}
        self.doubts |= trace.recorder.doubts
        for condition, places in trace.conditions.items():
            if condition.is_met(self.constructor.sizes):
                self.asked.setdefault(condition, set()).update(places)
            elif trace.told.get(condition) not in self.both:
                self.beyond[condition] = None
                self.doubts[f"at its own sizes it was not asked whether {condition}"] = None

    def another(self, inside: Iterable[Condition]) -> Trace | None:
        """Return a trace at sizes drawn inside these conditions, None where it is refused."""
        sizes = self.draw(inside)
        if sizes is None:
            return None
        try:
            return self.trace(sizes)
        except Exception:
            return None

    def draw(self, conditions: Iterable[Condition]) -> dict[str, int] | None:
        """Return sizes that meet ``conditions``."""
        first = self.constructor.sizes
        fixed = frozenset(self.fixed)
        return drawn(
            self.random, first, list(conditions), self.repeated, fixed, self.effort.deepest
        )

    def moving_alone(self) -> set[str]:
        """Return the letters that change what is made, or are refused, when they move alone."""
        found = set()
        for name in self.constructor.sizes:
            others = frozenset(self.constructor.sizes) - {name}
            sizes = drawn(
                self.random,
                self.constructor.sizes,
                list(self.asked),
                self.repeated,
                others,
                self.effort.deepest,
            )
            if sizes is None or sizes == dict(self.constructor.sizes):
                continue
            try:
                trace = self.trace(sizes)
            except Exception:
                found.add(name)
                continue
            if not _alike(trace, self.first):
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
                sizes = ", ".join(map(str, self.base.readings[key].shape))
                if kind.role == "buffer":
                    self.leave_out(kind, sizes)
                else:
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
        same: list[TensorGroup],
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
            if not need.is_met(self.constructor.sizes):
                raise NotDerived(f"{self.constructor.name}: at its own sizes not {need}")
            if not need.is_settled and not any(other.implies(need) for other in self.asked):
                self.asked[need] = set()
                self.outside[need] = "a kind of layer is there another number of times"

    def leave_out(self, kind: Kind, shape: str = "") -> None:
        """Say of a kind of buffer that it is not explained: it is no part of any count."""
        self.unread.add(kind)
        of = f" of ({shape})" if shape else ""
        self.unexplained[f"{kind.path}{of} (buffer)"] = None

    def sort_conditions(self, tensors: list[DerivedTensor]) -> None:
        """Keep the conditions outside of which something else happens, and drop the others.

        A model is made where one condition alone is not met: a refusal and other tensors are
        stated, and so is what no sizes were found for; what goes on as if nothing were is
        harmless, until models where several are not met show otherwise.
        """
        for condition in list(self.asked):
            if condition in self.outside or not condition.letters - self.fixed:
                continue
            if any(other.implies(condition) for other in self.asked if other != condition):
                del self.asked[condition]
                continue
            if condition in self.outcomes:
                outcome = self.outcomes[condition]
                self.remembered.add(condition)
            else:
                outcome = self.outcome(condition, tensors)
                if outcome == "" or outcome.startswith(REFUSES):
                    self.outcomes[condition] = outcome
            if outcome:
                self.outside[condition] = outcome
            else:
                self.harmless[condition] = self.asked.pop(condition)
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
                return f"{REFUSES}: {in_one_line(error)}"
            try:
                wanted = self.expected(tensors, sizes)
            except (ValueError, ZeroDivisionError):
                return OTHERS
            if _without_buffers(made) != _without_buffers(wanted):
                return OTHERS
            met = True
            self.look_beyond(sizes)
        return "" if met else "not tried: no sizes were found"

    def look_beyond(self, sizes: Mapping[str, int]) -> None:
        """Add what is asked at sizes where a condition is not met, and was not before."""
        try:
            found = self.trace(sizes).conditions
        except Exception:
            return
        self.beyond |= {c: None for c in found if c not in self.asked and c not in self.harmless}

    def exact(self) -> list[tuple[Expression, Expression]]:
        """Return (a, b) for each size a that b is known to divide."""
        return [
            (condition.right, condition.left)
            for condition in self.outside
            if condition.relation is Relation.DIVIDES and condition.holds
        ]

    def fold(self, tensor: DerivedTensor) -> DerivedTensor:
        """Use that one size divides another, where that is a condition."""
        known = self.exact()
        shape = tuple(folded(length, known) for length in tensor.shape)
        return replace(tensor, shape=shape, times=folded(tensor.times, known))

    def drop_implied(self) -> None:
        """Write conditions with what divides, and drop those that are settled by it."""
        exact, outside, asked = self.exact(), self.outside, self.asked
        self.outside, self.asked = {}, {}
        for condition, outcome in outside.items():
            places = asked[condition]
            if condition.relation is not Relation.DIVIDES:
                left, right = folded(condition.left, exact), folded(condition.right, exact)
                condition = replace(condition, left=left, right=right)
            if not condition.is_settled:
                self.outside.setdefault(condition, outcome)
                self.asked.setdefault(condition, set()).update(places)

    def hold(self, tensors: list[DerivedTensor]) -> int:
        """Hold the formula to models at its own sizes and at others; return how many.

        Where it does not hold, but does with letters at their own values, and nothing that was
        asked tells why, these letters are fixed and all is held anew.
        """
        sizes: Mapping[str, int] | None = self.constructor.sizes
        held = 0
        while held <= self.effort.held:
            if sizes is None:
                raise NotDerived(f"{self.constructor.name}: no sizes meet the conditions")
            wrong, outside = self.wrong(tensors, sizes)
            unmet = [condition for condition in self.harmless if not condition.is_met(sizes)]
            if wrong and not unmet:
                self.blame(tensors, sizes, wrong)
            if wrong and self.remembered.intersection(unmet):
                self.try_again(self.remembered.intersection(unmet), tensors)
                held = 0
            elif wrong:
                # None of these does it alone.
                self.outside |= dict.fromkeys(unmet, outside)
                self.asked |= {condition: self.harmless.pop(condition) for condition in unmet}
                held = 0
            else:
                held += 1
            self.note(f"held at {held} of {self.effort.held + 1} points")
            if held == 1 and self.remembered:
                sizes = self.beyond_all()
            else:
                sizes = self.anywhere() if held else self.constructor.sizes
        return held

    def try_again(self, conditions: Iterable[Condition], tensors: list[DerivedTensor]) -> None:
        """Try alone what was remembered to do nothing: here something is otherwise."""
        for condition in conditions:
            self.remembered.remove(condition)
            if outcome := self.outcome(condition, tensors):
                self.outside[condition] = outcome
                self.asked[condition] = self.harmless.pop(condition)

    def blame(self, tensors: list[DerivedTensor], sizes: Mapping[str, int], wrong: str) -> None:
        """Fix the letters without which the formula holds at ``sizes``, or raise ``NotDerived``.

        They must be few, and others must be left.
        """
        names = self.to_blame(tensors, sizes)
        if not 0 < len(names) <= min(MOST_BLAMED, len(sizes) - len(self.fixed) - 1):
            raise NotDerived(f"{self.constructor.name}{wrong}")
        self.fixed |= names
        fixed, failed = ", ".join(sorted(names)), wrong.lstrip(": ")
        self.doubts[f"{fixed} did not vary once the formula had failed: {failed}"] = None

    def to_blame(self, tensors: list[DerivedTensor], sizes: Mapping[str, int]) -> set[str]:
        """Return the letters that must be as at first for the formula to hold at these sizes."""
        moved, kept = dict(self.constructor.sizes), set()
        for name, size in sizes.items():
            tried = {**moved, name: size}
            met = all(condition.is_met(tried) for condition in self.outside)
            if met and not self.wrong(tensors, tried)[0]:
                moved = tried
            else:
                kept.add(name)
        return kept - self.fixed

    def wrong(self, tensors: list[DerivedTensor], sizes: Mapping[str, int]) -> tuple[str, str]:
        """Return what is not as derived at these sizes, and what happens there; "" for nothing.

        Buffers that are not as derived are left out.
        """
        try:
            made = self.build(sizes)
        except Exception as error:
            why = in_one_line(error)
            refuses = f" refuses sizes inside the conditions, {_sizes(sizes)}: {why}"
            return refuses, f"{REFUSES}: {why}"
        here = f": not as derived at {_sizes(sizes)}: "
        try:
            wanted = self.expected(tensors, sizes)
        except (ValueError, ZeroDivisionError) as error:
            return f"{here}{error}", OTHERS
        for key in [*wanted, *made]:
            there, due = made.get(key, 0), wanted.get(key, 0)
            if there != due and key.kind.role == "buffer":
                self.leave_out(key.kind)
            elif there != due:
                kind, shape = key
                said = f"{kind.path} of {shape} is there {there} times, and not {due}"
                return here + said, OTHERS
        return "", ""

    def anywhere(self) -> dict[str, int] | None:
        """Return sizes inside the conditions, on any side of what is harmless alone."""
        asked = [*self.harmless, *self.beyond]
        sides = [replace(condition, holds=self.random.random() < 0.5) for condition in asked]
        self.random.shuffle(sides)
        return self.draw([*self.outside, *sides]) or self.draw([*self.outside])

    def beyond_all(self) -> dict[str, int] | None:
        """Return sizes at which as much as can be of what is harmless is not met."""
        broken = list(self.outside)
        sizes = self.draw(broken)
        for condition in self.harmless:
            otherwise = replace(condition, holds=not condition.holds)
            if found := self.draw([*broken, otherwise]):
                broken.append(otherwise)
                sizes = found
        return sizes

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
