"""Derive the formula of a class of transformers from its programs, and validate it.

The programs say what the class makes of any configuration. At one configuration, with each size a
symbol, they give the tensors and the conditions: the sizes that the classes read, and decide by.
What is left to do is what any derivation does: violate each condition, and compare the formula with
held-out models, which transformers builds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import Any

from paramproof.algebra.letters import letters_for
from paramproof.catalogue.program import ERRORS, Part, Refused
from paramproof.derivation.generalization import GeneralTensors
from paramproof.derivation.guard_probing import GuardProber
from paramproof.derivation.guard_set import GuardSet
from paramproof.derivation.letters import NotSymbolic, symbolic
from paramproof.derivation.pipeline import Effort, validated
from paramproof.derivation.trace_runner import DerivationError, Progress, TraceRunner
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.expression import expression
from paramproof.formulas.printing import shown
from paramproof.sources.reference import in_one_line
from paramproof.tracing.configuration.terms import Unknown
from paramproof.tracing.constructors.model_class import ModelClass
from paramproof.tracing.internal_errors import raise_if_internal


def derive_class(
    what: str,
    given: Mapping[str, Any] | None = None,
    architecture: str = "",
    sizes: Mapping[str, int] | None = None,
    seed: int = 0,
    note: Progress = lambda _: None,
) -> Derivation:
    """Return the formula of a model type or class of transformers.

    ``given`` are the keys of a configuration, ``architecture`` overrides the class that it names,
    and ``sizes`` override fields.

    Raises ``ValueError`` with one line for what transformers does not have, and
    ``DerivationError`` if no formula was found, or if validation failed.
    """
    chosen, effort = ModelClass.of(what, given, architecture, sizes), Effort()
    part, symbols = _symbols(chosen)
    order = {path: place for place, path in enumerate(_declared(part))}
    if other := next((one for one in sizes or {} if one not in {*order, *symbols.sizes}), None):
        has = ", ".join(symbols.sizes)
        raise ValueError(f"{what} has no size {shown(other)}; it has {has}")
    own = sorted(symbols.sizes, key=lambda one: order.get(one.partition("[")[0], len(order)))
    constructor = chosen.constructor({one: symbols.sizes[one] for one in own})
    of_kinds = {one for one in symbols.sizes if one.endswith("]") and not one[-2].isdigit()}
    loops = {one.times: None for one in symbols.tensors}
    runner = TraceRunner(constructor, Random(seed), effort.deepest, of_kinds, loops, traced=2)
    asked = [one.condition for one in symbols.conditions if not one.condition.is_settled]
    conditions = GuardSet({one: {UNKNOWN_PLACE} for one in asked}, {})
    parameters = (one for one in symbols.tensors if one.role != "buffer")
    conditions.ask_of_lengths(length for one in parameters for length in one.shape)
    prober = GuardProber(runner, conditions, GeneralTensors([*symbols.tensors]))
    prober.sort(note)
    found = validated(prober, {}, [], effort, letters_for, note)
    stated = tuple(replace(one, places=()) for one in found.conditions)
    return replace(found, conditions=stated)


UNKNOWN_PLACE = ("", 0)
"""The place of each comparison: programs do not say where one stands."""


def _symbols(chosen: ModelClass) -> tuple[Part, Derivation]:
    """Return a configuration, and the formula there, whose symbols are the fields themselves."""
    try:
        chosen.constructor({}).make({})
    except Exception as error:  # A constructor may raise anything.
        raise_if_internal(error)
        raise DerivationError(f"{chosen.name} is not made: {in_one_line(error)}") from error
    try:
        part = chosen.part()
        found = symbolic(part, chosen.name, lambda path: path)
    except (Unknown, Refused, NotSymbolic, *ERRORS) as error:
        said = f"{chosen.name} is not understood: {in_one_line(error)}"
        raise DerivationError(f"{said}; derive a function that makes it") from error
    # A size of 0, such as a number of token types, says that something is absent.
    absent = {name: expression(0) for name, size in found.sizes.items() if not size}
    sizes = {name: size for name, size in found.sizes.items() if size}
    return part, replace(found.substitute(absent), sizes=sizes)


def _declared(part: Part, before: str = "") -> Iterator[str]:
    """Yield the paths of the fields that a configuration declares, under all their names."""
    for name in (*part.program.types, *part.program.aliases):
        if isinstance(inner := part.get(name), Part):
            yield from _declared(inner, f"{before}{name}.")
        else:
            yield f"{before}{name}"
