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

from paramproof.catalogue.program import ERRORS, Part, Refused
from paramproof.derivation.guard_probing import Place
from paramproof.derivation.letters import NotSymbolic, asked_of, guards_of, symbolic
from paramproof.derivation.runner import GeneralTensors, Runner
from paramproof.derivation.sampling import Sizes
from paramproof.derivation.validation import Validator
from paramproof.formulas.condition import Condition
from paramproof.formulas.derivation import Derivation
from paramproof.tracing.configuration.live import Live


class NotFollowedError(ValueError):
    """Why a formula was not read from the code of a function, with lines."""


def follow(runner: Runner) -> Derivation:
    """Return the formula of a function. Raises ``NotFollowedError``, and ``DerivationError``."""
    name, unclear = runner.name, list[str]()
    runner.first()
    before = sys.getrecursionlimit()
    # Python may call deeper: a call that is followed is some twenty calls of the interpreter.
    sys.setrecursionlimit(max(before, 5000))
    try:
        live = Live(runner.constructor)
        unclear = live.unclear
        part = Part(live, "sizes", {})
        symbols = symbolic(part, name, lambda path: path, strictly=True)
    except Exception as error:  # An error that the code itself handles may be any.
        why = str(error.args[0] if isinstance(error, Refused) else error)
        said = (why.splitlines() or [type(error).__name__])[0]
        raise NotFollowedError(*(unclear or [said])) from error
    finally:
        sys.setrecursionlimit(before)

    def guards_at(sizes: Sizes) -> Iterable[Condition] | None:
        try:
            return guards_of(Part(part.catalogue, part.program.name, sizes), name)
        except (Refused, NotSymbolic, *ERRORS):
            return None

    places: dict[Condition, set[Place]] = defaultdict(set)
    for value, place in live.places.items():
        for one in asked_of(part, live.named(value)):
            places[one].add(place)
    validator = validator_of(replace(runner, guards_at=guards_at), symbols, places)
    if validator.trial(runner.sizes):
        raise NotFollowedError("the code makes other tensors than those that were followed")
    return validator.validated()


def validator_of(
    runner: Runner, symbols: Derivation, places: Mapping[Condition, set[Place]] = {}
) -> Validator:
    """Return what validates the formula of programs, whose letters in ``symbols`` are the sizes."""
    of_kinds = {one for one in symbols.sizes if one.endswith("]") and not one[-2].isdigit()}
    repeated = {name for one in symbols.tensors for name in one.times.letters}
    traces, tensors = symbols.evidence.traces, GeneralTensors([*symbols.tensors])
    runner = replace(runner, fixed=of_kinds, repeated=repeated, traces=traces)
    asked = [one.condition for one in symbols.conditions if not one.condition.is_settled]
    return Validator(runner, tensors, {one: places.get(one, set()) for one in asked})
