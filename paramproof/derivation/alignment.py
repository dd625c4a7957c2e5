"""Find traces, at the constructor's own sizes and at generic ones, that agree up to symbols."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from paramproof.derivation.loops import LoopGuard, guards_with_both_answers, undecided_loop
from paramproof.derivation.sampling import moving_together
from paramproof.derivation.trace_runner import DerivationError, Progress, Trace, TraceRunner
from paramproof.formulas.condition import Condition, Relation
from paramproof.formulas.expression import expression, letter
from paramproof.tracing.caveats import Caveat

MAX_REJECTED = 40
"""Traces with other groups of tensors before the sizes that cause them are looked for."""


class TraceAligner:
    """Finds traces that agree up to symbols, and collects their guards.

    ``first`` is the trace at the constructor's own sizes. ``guards`` hold in all traces, with their
    call sites; ``beyond`` are guards that occur only at other sizes than the constructor's own.
    ``caveats`` are the caveats of the traces.
    """

    def __init__(self, runner: TraceRunner, note: Progress) -> None:
        self.runner = runner
        self.note = note
        self.guards: dict[Condition, set[tuple[str, int]]] = {}
        self.beyond: dict[Condition, None] = {}
        self.caveats: dict[Caveat, None] = {}
        self.both: dict[LoopGuard, None] = {}
        self.first = runner.first()
        runner.loops = self.first.recorder.loop_lengths

    def traces(self, number: int) -> list[Trace]:
        """Return ``number`` traces that agree, the one at the constructor's own sizes first.

        If there are none, sizes are fixed: all but those that can move together, and then the
        lengths of loops.
        """
        traces = self.alike(number)
        for letters_to_fix in (self.not_moving_together, lambda: self.runner.repeated):
            if len(traces) < number:
                self.runner.fixed = self.runner.fixed | letters_to_fix()
                self.first = self.runner.trace(self.runner.sizes)
                traces = self.alike(number)
        if len(traces) < number:
            raise DerivationError(
                f"{self.runner.name}: at other sizes other tensors were made, "
                "and it was not found why"
            )
        for question in self.both:
            self.caveats.pop(undecided_loop(question), None)
        return traces

    def alike(self, number: int) -> list[Trace]:
        """Return up to ``number`` traces with the same groups of parameters as ``first``."""
        self.start()
        traces, rejected = [self.first], 0
        while len(traces) < number and rejected < MAX_REJECTED:
            known = dict(self.runner.constants.meant)
            trace = self.another(self.guards, self.apart())
            if self.runner.constants.meant != known:
                # A constant in an earlier guard turned out to be a size.
                self.start()
                for other in traces[1:]:
                    self.learn(other)
            if trace is None:
                rejected += 4
            elif trace.parameters != self.first.parameters:
                # A trace that lacks a kind of layer does not contradict the others.
                rejected += 1 if trace.parameters < self.first.parameters else 4
            else:
                self.learn(trace)
                traces.append(trace)
                self.note(f"traced at {len(traces)} of {number} points")
        return traces

    def apart(self) -> list[Condition]:
        """Return conditions that each loop has another length than in ``first``."""
        sizes = self.first.sizes
        # Loops over anything but the constructor's sizes have no length to differ from.
        moving = sorted((self.runner.repeated & sizes.keys()) - self.runner.fixed)
        lengths = {name: expression(sizes[name]) for name in moving}
        return [Condition(Relation.EQUAL, letter(n), one, False) for n, one in lengths.items()]

    def start(self) -> None:
        self.guards, self.beyond, self.caveats, self.both = {}, {}, {}, {}
        self.learn(self.first)

    def learn(self, trace: Trace) -> None:
        """Add the guards of a trace.

        A guard that the constructor's own sizes violate did not occur there. Models are validated
        on both sides of it, and nothing is proved. A loop with both answers in one trace may have
        one in another.
        """
        self.both |= dict.fromkeys(guards_with_both_answers(trace.recorder))
        self.runner.loops |= trace.recorder.loop_lengths
        self.caveats |= trace.recorder.caveats
        for condition, places in self.runner.guards_of(trace).items():
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
        """Return a trace at sizes that meet these conditions, None if it is refused.

        The sizes also meet ``rather`` if possible.
        """
        known = list(inside)
        return self.at(self.runner.draw([*known, *rather]) or self.runner.draw(known))

    def numbers_of_layers(self) -> set[str]:
        """Return the sizes outside of loop lengths that were compared with a loop index."""
        recorder = self.first.recorder
        asked = [c.letters for c in recorder.guards if c.relation is Relation.EQUAL]
        indices = recorder.indices.keys()
        beside = [letters - indices for letters in asked if letters & indices]
        named = {name for letters in beside if len(letters) == 1 for name in letters}
        return named - self.runner.repeated

    def not_moving_together(self) -> set[str]:
        """Return the sizes to keep so that all others can move without changing the groups."""
        self.start()
        names = [name for name in self.runner.sizes if name not in self.runner.fixed]
        return {*names}.difference(moving_together(self.makes_the_same, names))

    def makes_the_same(self, moving: Iterable[str]) -> bool:
        """Return whether two models with other values of these sizes have the same groups."""
        still = self.runner.sizes.keys() - {*moving}
        for _ in range(2):
            trace = self.at(self.runner.draw(self.guards, still))
            if trace is None or trace.parameters != self.first.parameters:
                return False
        return True

    def at(self, sizes: Mapping[str, int] | None) -> Trace | None:
        """Return the trace at these sizes, None if they are None or the constructor refuses."""
        return None if sizes is None else self.runner.trace_or_refusal(sizes)
