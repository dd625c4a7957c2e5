"""Derive a formula from programs: what code makes of sizes of any value.

A program comes from code that was followed with every size unknown: of a user's function, or of a
class of transformers. At one choice of sizes, with each size a symbol, it gives the tensors and the
conditions. Each condition is then violated, and the formula compared with models that the code
builds from plain ints.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from random import Random

from paramproof.catalogue.program import ERRORS, Part, Refused
from paramproof.derivation.guard_probing import GuardProber, GuardSet
from paramproof.derivation.letters import NotSymbolic, asked_of, guards_of, symbolic
from paramproof.derivation.runner import Effort, GeneralTensors, Place, Progress, Runner, run_trial
from paramproof.derivation.validation import Naming, validated
from paramproof.formulas.condition import Condition
from paramproof.formulas.derivation import Derivation
from paramproof.tracing.configuration.live import Live
from paramproof.tracing.constructors import Constructor


class NotFollowedError(ValueError):
    """Why a formula was not read from the code of a function, with lines."""


class ProgramRunner(Runner):
    """Builds models of a constructor whose formula is read from programs.

    ``part`` is the program at its own sizes, if it is one of a function.
    """

    part: Part | None = None

    def guards_at(self, sizes: Mapping[str, int]) -> Iterable[Condition] | None:
        if self.part is None:
            return ()
        try:
            part = Part(self.part.catalogue, self.part.program.name, sizes)
            return guards_of(part, self.name)
        except (Refused, NotSymbolic, *ERRORS):
            return None


UNKNOWN_PLACE = ("", 0)
"""The place of a comparison that the program does not have."""


def follow(
    constructor: Constructor, seed: int, note: Progress, effort: Effort, naming: Naming
) -> Derivation:
    """Return the formula of a function. Raises ``NotFollowedError``, and ``DerivationError``."""
    unclear: list[str] = []
    runner = Runner(constructor, Random(seed), effort.deepest)
    runner.first()
    before = sys.getrecursionlimit()
    # Python may call deeper: a call that is followed is some twenty calls of the interpreter.
    sys.setrecursionlimit(max(before, 5000))
    try:
        live = Live(constructor)
        unclear = live.unclear
        part = Part(live, "sizes", {})
        symbols = symbolic(part, constructor.name, lambda path: path, strictly=True)
    except Exception as error:  # An error that the code itself handles may be any.
        why = str(error.args[0] if isinstance(error, Refused) else error)
        said = (why.splitlines() or [type(error).__name__])[0]
        raise NotFollowedError(*(unclear or [said])) from error
    finally:
        sys.setrecursionlimit(before)
    if run_trial(runner, GeneralTensors([*symbols.tensors]), runner.sizes).wrong:
        raise NotFollowedError("the code makes other tensors than those that were followed")
    places: dict[Condition, set[Place]] = defaultdict(set)
    for value, place in live.places.items():
        for one in asked_of(part, live.named(value)):
            places[one].add(place)
    return read_off(constructor, symbols, places, part, seed, note, effort, naming)


def read_off(
    constructor: Constructor,
    symbols: Derivation,
    places: Mapping[Condition, set[Place]],
    part: Part | None,
    seed: int,
    note: Progress,
    effort: Effort,
    naming: Naming,
) -> Derivation:
    """Return the validated formula of programs, whose letters in ``symbols`` are the sizes."""
    of_kinds = {one for one in symbols.sizes if one.endswith("]") and not one[-2].isdigit()}
    loops = {one.times: None for one in symbols.tensors}
    runner = ProgramRunner(constructor, Random(seed), effort.deepest, of_kinds, loops)
    runner.traces = symbols.evidence.traces
    runner.part = part
    asked = [one.condition for one in symbols.conditions if not one.condition.is_settled]
    guards = {one: {*places.get(one, {UNKNOWN_PLACE})} for one in asked}
    conditions, tensors = GuardSet(guards), GeneralTensors([*symbols.tensors])
    conditions.ask_of_lengths(tensors.lengths)
    prober = GuardProber(runner, conditions, tensors)
    prober.sort(note)
    found = validated(prober, {}, effort, naming, note)
    stated = [
        replace(one, places=tuple(place for place in one.places if place != UNKNOWN_PLACE))
        for one in found.conditions
    ]
    return replace(found, conditions=tuple(stated))
