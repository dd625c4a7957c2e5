"""Traces of a constructor, at its own sizes and at generic ones, that are alike in letters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from paramproof.derivation.loop_guards import LoopGuard, guards_with_both_answers, undecided_loop
from paramproof.derivation.trace_runner import (
    DerivationError,
    FailureCause,
    Progress,
    Trace,
    TraceRunner,
)
from paramproof.formulas.condition import Condition, Relation
from paramproof.formulas.expression import expression, letter
from paramproof.tracing.caveats import Caveat
from paramproof.tracing.tensor_groups import GroupKey, TensorGroup

MAX_RICHER_TRACES = 6
"""Traces at which kinds of layers are looked for that the constructor's own sizes leave out."""

MAX_MOVES = 12
"""Draws of one letter, of which one may leave it as it was."""

MAX_REJECTED = 40
"""Traces at which other kinds of tensors were made, before it is asked which letter does that."""


class TraceAligner:
    """Finds traces that are alike, and knows what was asked in them.

    ``first`` is the trace at the constructor's own sizes, and ``base`` the one with the most kinds
    of layers. ``asked`` are the conditions under which all are alike, with the places that asked;
    ``beyond`` is asked elsewhere only. ``doubts`` are what was done with sizes that can decide,
    and cannot be followed.
    """

    def __init__(self, runner: TraceRunner, richer: bool, note: Progress) -> None:
        self.runner = runner
        self.richer = richer
        self.note = note
        self.guards: dict[Condition, set[tuple[str, int]]] = {}
        self.beyond: dict[Condition, None] = {}
        self.caveats: dict[Caveat, None] = {}
        self.both: dict[LoopGuard, None] = {}
        self.base = self.first = runner.first()
        runner.loops = self.first.recorder.loop_lengths
        self.look_apart()

    def traces(self, number: int) -> list[Trace]:
        """Return ``number`` traces that are alike, the one with the most kinds first.

        Where there are none, letters are fixed: first those that change what is made when they
        move alone, then those of loops too, and then all but those that may move together.
        """
        traces = self.attempt(number)
        letters_to_fix = self.letters_to_fix()
        while len(traces) < number:
            letters = next(letters_to_fix, None)
            if letters is None:
                raise DerivationError(
                    f"{self.runner.name}: at other sizes other tensors were made, "
                    "and it was not found why",
                    FailureCause.NOT_ALIKE,
                )
            if letters != self.runner.fixed:
                self.fix(letters)
                traces = self.attempt(number)
        for question in self.both:
            self.caveats.pop(undecided_loop(question), None)
        return traces

    def attempt(self, number: int) -> list[Trace]:
        """Return ``number`` traces that are alike, or fewer, with the letters fixed that are."""
        if self.richer:
            self.look_for_richer()
        return self.alike(number)

    def letters_to_fix(self) -> Iterator[set[str]]:
        """Yield all letters to fix, where those fixed until then did not do."""
        given = set(self.runner.fixed)
        yield self.runner.fixed | self.moving_alone()
        yield self.runner.fixed | self.runner.repeated
        self.fix(given)
        yield given | self.not_moving_together()

    def fix(self, letters: set[str]) -> None:
        """Begin again with these letters fixed, and no others."""
        self.runner.fixed = letters
        self.base = self.first = self.runner.trace(self.runner.sizes)

    def look_apart(self) -> None:
        """Trace once where sizes are no longer the numbers that they were found equal to.

        Where shapes are not traced, what Keras compares with a number may be that size itself, of
        an input's shape: it is told by the number at other sizes, and none would be drawn.
        """
        asked = self.first.recorder.size_guards
        equal = [one for one in asked if _is_a_number(one)]
        if equal and any(key.axes is None for key in self.first.readings):
            others = [one for one in asked if one not in equal]
            self.another([*others, *(replace(one, holds=False) for one in equal)])

    def look_for_richer(self) -> None:
        """Find a trace with kinds of layers that the constructor's own sizes leave out.

        Where each layer got the same answer, others may get the other: that is no branch.
        """
        plain = self.first.recorder.size_guards
        if len(plain) == len(self.first.guards):
            return
        for _ in range(MAX_RICHER_TRACES):
            trace = self.another(plain)
            if trace is not None and self.is_richer(trace):
                self.base = trace

    def is_richer(self, trace: Trace) -> bool:
        """Whether a trace has all kinds that there are and more, where its own sizes could be."""
        return trace.parameters > self.base.parameters and all(
            condition.is_met(self.runner.sizes) for condition in self.runner.guards_of(trace)
        )

    def alike(self, number: int) -> list[Trace]:
        """Return traces that are as the one with the most kinds: fewer where others come up."""
        self.start()
        traces, rejected = [self.base], 0
        while len(traces) < number and rejected < MAX_REJECTED:
            known = dict(self.runner.constants.meant)
            trace = self.another(self.guards, self.apart())
            if self.runner.constants.meant != known:
                # A number in what was asked before was a size.
                self.start()
                for other in traces[1:]:
                    self.learn(other)
            if trace is None:
                rejected += 4
            elif self.richer and self.is_richer(trace):
                self.base, traces = trace, [trace]
                self.start()
                rejected += 1
            elif trace.parameters != self.base.parameters:
                # A kind of layer that is not there says nothing against the others.
                rejected += 1 if trace.parameters < self.base.parameters else 4
            else:
                self.learn(trace)
                traces.append(trace)
                self.note(f"traced at {len(traces)} of {number} points")
        return traces

    def apart(self) -> list[Condition]:
        """Return that no loop is as long as in the first trace: its length is no constant."""
        sizes = self.base.sizes
        # A loop over what is no size of this constructor has nothing to be kept apart from.
        moving = sorted((self.runner.repeated & sizes.keys()) - self.runner.fixed)
        lengths = {name: expression(sizes[name]) for name in moving}
        return [Condition(Relation.EQUAL, letter(n), one, False) for n, one in lengths.items()]

    def start(self) -> None:
        """Begin with what was asked at its own sizes, and in the trace with the most kinds."""
        self.guards, self.beyond, self.caveats, self.both = {}, {}, {}, {}
        # What a loop was told is otherwise where there are more kinds, and asked there too.
        self.learn(self.first, at=self.base.sizes)
        if self.base is not self.first:
            self.learn(self.base)

    def learn(self, trace: Trace, at: Mapping[str, int] | None = None) -> None:
        """Add what was asked in a trace to the conditions, as far as it is so ``at`` other sizes.

        What its own sizes would answer otherwise was not asked there: models are held on both
        sides of it, and nothing is proved. Loops that gave both answers there may give one here.
        """
        self.both |= dict.fromkeys(guards_with_both_answers(trace.recorder))
        self.runner.loops |= trace.recorder.loop_lengths
        self.caveats |= trace.recorder.caveats
        for condition, places in self.runner.guards_of(trace).items():
            if at is not None and not condition.is_met(at):
                continue
            if condition not in trace.guards:
                self.caveats["read from values: what was asked whether ", condition] = None
            if condition.is_met(self.runner.sizes):
                self.guards.setdefault(condition, set()).update(places)
            elif trace.loop_guards.get(condition) not in self.both:
                self.beyond[condition] = None
                self.caveats["at its own sizes it was not asked whether ", condition] = None

    def another(
        self, inside: Iterable[Condition], rather: Iterable[Condition] = ()
    ) -> Trace | None:
        """Return a trace at sizes drawn inside these conditions, None where it is refused.

        Where there are sizes, they are inside those of ``rather`` too.
        """
        known = list(inside)
        return self.at(self.runner.draw([*known, *rather]) or self.runner.draw(known))

    def numbers_of_layers(self) -> set[str]:
        """Return the letters of no loop that a loop's index was found equal to, or not."""
        recorder = self.first.recorder
        asked = [c.letters for c in recorder.guards if c.relation is Relation.EQUAL]
        indices = recorder.indices.keys()
        beside = [letters - indices for letters in asked if letters & indices]
        named = {name for letters in beside if len(letters) == 1 for name in letters}
        return named - self.runner.repeated

    def moving_alone(self) -> set[str]:
        """Return the letters that change what is made, or are refused, when they move alone."""
        found = set()
        for name in self.runner.sizes:
            sizes = self.moved_alone(name)
            if sizes is None:
                continue
            trace = self.at(sizes)
            if trace is None or trace.parameters != self.first.parameters:
                found.add(name)
        return found

    def moved_alone(self, name: str) -> Mapping[str, int] | None:
        """Return sizes at which this letter alone is another size, None where none were found."""
        still = self.runner.sizes.keys() - {name}
        for _ in range(MAX_MOVES):
            sizes = self.runner.draw(self.guards, fixed=still)
            if sizes is None or sizes != dict(self.runner.sizes):
                return sizes
        return None

    def not_moving_together(self, keys: Sequence[GroupKey] = ()) -> set[str]:
        """Return the letters beside a set of those that may all move, and make the same.

        Of ``keys`` there are as often as before, with the same lengths where nobody saw them made.
        """
        self.start()
        names = [name for name in self.runner.sizes if name not in self.runner.fixed]
        return set(names) - self.may_move(set(), names, keys)

    def may_move(self, known: set[str], names: Sequence[str], keys: Sequence[GroupKey]) -> set[str]:
        """Return the letters ``known`` to move together and as many of these, found by halves."""
        if self.makes_the_same({*known, *names}, keys):
            return {*known, *names}
        if len(names) == 1:
            return known
        half = len(names) // 2
        return self.may_move(self.may_move(known, names[:half], keys), names[half:], keys)

    def makes_the_same(self, moving: set[str], keys: Sequence[GroupKey]) -> bool:
        """Whether the same was made twice where these letters moved."""
        still, plain = self.runner.sizes.keys() - moving, _numbers(self.first, keys)
        for _ in range(2):
            trace = self.at(self.runner.draw(self.guards, still))
            if trace is None or trace.parameters != self.first.parameters:
                return False
            if _numbers(trace, keys) != plain:
                return False
        return True

    def at(self, sizes: Mapping[str, int] | None) -> Trace | None:
        """Return the trace at these sizes; None where there are none, or it is refused."""
        if sizes is None:
            return None
        try:
            return self.runner.trace(sizes)
        except Exception:
            return None


def _numbers(trace: Trace, keys: Iterable[GroupKey]) -> list[object]:
    """Return how often each of these is there, and those of its lengths that nobody saw made."""
    return [_number(trace.readings[key], key) if key in trace.readings else None for key in keys]


def _number(group: TensorGroup, key: GroupKey) -> object:
    axes = key.axes or (None,) * key.kind.rank
    return group.count, [n for n, axis in zip(group.shape, axes, strict=True) if axis is None]


def _is_a_number(condition: Condition) -> bool:
    """Whether a condition is that a size is some number."""
    sides = condition.left.constant, condition.right.constant
    return condition.relation is Relation.EQUAL and condition.holds and sides != (None, None)
