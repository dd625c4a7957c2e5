"""Derive the formula of a function by running its code with every size unknown.

What comes out is a program, as the catalogue has for the classes of transformers, and from there on
both are the same: at one choice of sizes, with each size a symbol, the program gives the tensors and
the conditions; each condition is violated, and the formula compared with held-out models.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from paramproof.catalogue.program import ERRORS, Refused
from paramproof.derivation.generalization import GeneralTensors
from paramproof.derivation.guard_probing import GuardProber
from paramproof.derivation.guard_set import GuardSet
from paramproof.derivation.letters import NotSymbolic, symbolic
from paramproof.derivation.pipeline import Effort, Naming, validated
from paramproof.derivation.trace_runner import Progress, TraceRunner
from paramproof.formulas.derivation import Derivation
from paramproof.tracing.configuration.live import Live
from paramproof.tracing.configuration.terms import Unknown
from paramproof.tracing.constructors import Constructor


class NotFollowedError(ValueError):
    """Why the formula of a function was not read from its code, with lines."""


def follow(
    constructor: Constructor, seed: int, note: Progress, effort: Effort, naming: Naming
) -> Derivation:
    unclear: list[str] = []
    try:
        live = Live(
            constructor.name, constructor.function, constructor.sizes, constructor.modules
        )
        unclear = live.unclear
        symbols = symbolic(live.at_own_sizes(), constructor.name, lambda path: path, True)
    except (Unknown, Refused, NotSymbolic, *ERRORS) as error:
        raise NotFollowedError(*(unclear or [str(error)])) from error
    return proved(constructor, symbols, seed, note, effort, naming)


def proved(
    constructor: Constructor,
    symbols: Derivation,
    seed: int,
    note: Progress,
    effort: Effort,
    naming: Naming,
) -> Derivation:
    """Return a formula with its conditions, each of which was violated, and validate it."""
    of_kinds = {one for one in symbols.sizes if one.endswith("]") and not one[-2].isdigit()}
    loops = {one.times: None for one in symbols.tensors}
    runner = TraceRunner(constructor, Random(seed), effort.deepest, of_kinds, loops, traced=2)
    asked = [one.condition for one in symbols.conditions if not one.condition.is_settled]
    conditions = GuardSet({one: {("", 0)} for one in asked}, {})
    parameters = (one for one in symbols.tensors if one.role != "buffer")
    conditions.ask_of_lengths(length for one in parameters for length in one.shape)
    prober = GuardProber(runner, conditions, GeneralTensors([*symbols.tensors]))
    prober.sort(note)
    found = validated(prober, {}, [], effort, naming, note)
    stated = tuple(replace(one, places=()) for one in found.conditions)
    return replace(found, conditions=stated)
