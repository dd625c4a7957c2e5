"""Derive a formula: trace a constructor, generalize the traces, validate the result.

The constructor is traced with symbolic ints at its own sizes and at generic ones; all traces must
agree up to symbols. Validation builds models from plain ints with the original code, at sizes far
from the traced ones, and compares every tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from paramproof.algebra.letters import letters_for
from paramproof.derivation.alignment import TraceAligner
from paramproof.derivation.generalization import generalize
from paramproof.derivation.guard_probing import GuardProber
from paramproof.derivation.guard_set import GuardSet
from paramproof.derivation.sampling import MAX_DEPTH
from paramproof.derivation.trace_runner import DerivationError, Progress, TraceRunner
from paramproof.derivation.validation import HeldOutValidation
from paramproof.formulas.condition import Outcome
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.derivation_data import derivation_data, derivation_from
from paramproof.formulas.expression import floor, letter
from paramproof.tracing.constructors import Constructor
from paramproof.tracing.recorder import Caveat, caveat_text

__all__ = ["DerivationError", "Effort", "derive"]

Naming: TypeAlias = Callable[[Iterable[str]], Mapping[str, str]]
"""Returns a letter for each field."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much work a derivation does.

    - ``generic``: traces beside the one at the constructor's own sizes.
    - ``held``: held-out models beside the one at the constructor's own sizes.
    - ``deepest``: the largest length of a loop in traces and models.
    - ``far``: also validate on models that are many times as large and deep, as far as time allows.
    """

    generic: int = 4
    held: int = 20
    deepest: int = MAX_DEPTH
    far: bool = True


def derive(
    constructor: Constructor,
    seed: int = 0,
    note: Progress = lambda _: None,
    *,
    effort: Effort = Effort(),
    naming: Naming = letters_for,
) -> Derivation:
    """Return the formula of ``constructor``; ``naming`` chooses the letters.

    Raises ``DerivationError`` with one line if no formula was found, or if validation failed.
    """
    if constructor.function is not None:
        from paramproof.derivation.followed import NotFollowed, follow

        try:
            return follow(constructor, seed, note, effort, naming)
        except NotFollowed as error:
            note(f"not followed: {error}")
    aligner = TraceAligner(TraceRunner(constructor, Random(seed), effort.deepest), note)
    try:
        return _derived(aligner, effort, naming)
    except DerivationError as error:
        # Layer numbers select the layers of another kind, and are not sizes.
        numbers = aligner.numbers_of_layers()
        if not numbers:
            raise
        runner = TraceRunner(constructor, Random(seed), effort.deepest, numbers)
        try:
            return _derived(TraceAligner(runner, note), effort, naming)
        except DerivationError:
            raise error from None


def _derived(aligner: TraceAligner, effort: Effort, naming: Naming) -> Derivation:
    runner, note = aligner.runner, aligner.note
    traces = aligner.traces(effort.generic + 1)
    conditions = GuardSet(aligner.guards, aligner.beyond)
    letters = [letter(name) for name in runner.sizes if name not in runner.fixed]
    # Code that checks divisibility may divide where it cannot be observed.
    divided = [floor(top, bottom) for top, bottom in conditions.divisible]
    made = traces[0].recorder.computed
    tensors = generalize(traces, [*letters, *made, *divided], runner.loops)
    for need in tensors.needs:
        if not need.is_met(runner.sizes):
            raise DerivationError(f"{runner.name}: its own sizes violate {need}")
        conditions.add(need, Outcome.OTHER_COUNT)
    parameters = (one for one in tensors.kept if one.role != "buffer")
    conditions.ask_of_lengths(length for one in parameters for length in one.shape)
    if tensors.are_counted and aligner.numbers_of_layers() - runner.fixed:
        raise DerivationError(f"{runner.name}: layer numbers select the layers of another kind")
    if tensors.unexplained:
        shown = "; ".join(tensors.unexplained.values())
        raise DerivationError(f"{runner.name}: not explained: {shown}")
    prober = GuardProber(runner, conditions, tensors)
    prober.sort(note)
    alike = [trace.sizes for trace in traces]
    return validated(prober, aligner.caveats, alike, effort, naming, note)


def validated(
    prober: GuardProber,
    caveats: dict[Caveat, None],
    alike: Iterable[Mapping[str, int]],
    effort: Effort,
    naming: Naming,
    note: Progress,
) -> Derivation:
    """Validate a formula whose guards were probed, and return the derivation.

    ``alike`` are the sizes of the traces that it was found from.
    """
    runner, conditions, tensors = prober.runner, prober.conditions, prober.tensors
    tensors.fold(conditions.exact_divisions)
    conditions.fold()
    validation = HeldOutValidation(runner, conditions, tensors, note)
    try:
        validation.hold(effort.held + 1, effort.far)
    except DerivationError as error:
        raise error.because(caveats) from error
    letters = naming(runner.sizes)
    caveats = caveats | validation.caveats
    moving = {name for t in tensors.kept for e in (*t.shape, t.times) for name in e.letters}
    asked = {name for condition in conditions.consequences for name in condition.letters}
    derivation = Derivation(
        runner.name,
        dict(runner.sizes),
        {name: name for name in runner.sizes},
        tensors.kept,
        conditions.stated,
        fixed=tuple(sorted(runner.fixed)),
        inert=tuple(sorted(set(runner.sizes) - moving - asked - runner.fixed)),
        unexplained=tuple(tensors.left_out),
        irrelevant_guards=tuple(conditions.irrelevant),
        caveats=tuple(dict.fromkeys(caveat_text(caveat, letters) for caveat in caveats)),
        evidence=runner.evidence(effort.held + 1),
        validated=_validated(runner, conditions, [*alike, *prober.alike, *validation.alike]),
    )
    return derivation_from(derivation_data(derivation.renamed(letters)))


def _validated(
    runner: TraceRunner, conditions: GuardSet, alike: Iterable[Mapping[str, int]]
) -> dict[str, tuple[int, int]]:
    """Return the smallest and largest value of each size at which the formula was confirmed.

    Leaves out models that violate a guard stated later, or in which a fixed size has another value.
    """
    inside = [
        sizes
        for sizes in alike
        if all(condition.is_met(sizes) for condition in conditions.consequences)
        and all(sizes[name] == runner.sizes[name] for name in runner.fixed)
    ]
    found = {name: [sizes[name] for sizes in inside] for name in runner.sizes}
    return {name: (min(sizes), max(sizes)) for name, sizes in found.items() if sizes}
