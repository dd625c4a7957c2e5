"""A derivation as lines of text: its formula, its evidence, how sure it is."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from paramproof.counting.letters import factor
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.derivation import FITTED, PROVED, Derivation
from paramproof.formulas.expression import expression
from paramproof.formulas.notation import text
from paramproof.formulas.printing import legible, some_of

ONE = expression(1)

MOST_GUARDS = 4
"""How many of the guards that the proof rests on are printed; --json has all."""


def formula_lines(derivation: Derivation) -> Iterator[str]:
    """Yield the formula, a line for each kind of layer, and its value."""
    yield "trainable parameters"
    yield from grouped(derivation)
    yield f"  = {derivation.count(derivation.sizes):,}"


def grouped(derivation: Derivation) -> Iterator[str]:
    """Yield the formula, a line for each kind of layer."""
    sign = " "
    for times, tensors in derivation.summands().items():
        trainable = [t for t in tensors if t.role == "trainable"]
        each = sum((prod(t.shape, start=ONE) for t in trainable), 0 * ONE)
        if each == 0:
            continue
        inside = text(each) if times == ONE else f"{factor(times)} × ({text(each)})"
        yield f"  {sign} {inside}"
        sign = "+"


def evidence_lines(derivation: Derivation) -> Iterator[str]:
    """Yield whether and where the formula is proved, and the models it was compared with."""
    evidence = derivation.evidence
    reasons = derivation.reasons_at(derivation.sizes)
    if guards := derivation.proved_where:
        named = some_of([*guards], MOST_GUARDS)
        yield f"{PROVED} where {named}: every shape and number was traced"
        yield f"{FITTED} elsewhere: validated on held-out models, not proved"
    elif derivation.is_proved:
        yield f"{PROVED}: every shape and number was traced, at all sizes that meet the conditions"
    if reasons:
        what = "not proved at these sizes" if derivation.is_proved else f"{FITTED}, not proved"
        yield f"{what}: {'; '.join(reasons)}"
    if derivation.validated and (reasons or derivation.irrelevant_guards):
        yield f"validated at {_validated(derivation)}"
    yield (
        f"traced {evidence.traces} times; every tensor compared with {evidence.held} models at "
        f"other sizes; {evidence.builds} models built in {evidence.seconds:g} s"
    )
    if derivation.buffers:
        yield f"buffers, not counted: {', '.join(map(legible, derivation.buffers))}"


def certainty(architecture: Architecture) -> str:
    """Return the status of a formula, such as proved, or proved where V ≤ 25000."""
    if guards := architecture.proved_where:
        return f"{PROVED} where {' and '.join(guards)}; {FITTED} elsewhere"
    return architecture.status


def _validated(derivation: Derivation) -> str:
    """Return the sizes of traces and held-out models, by letter."""
    ranges = derivation.validated.items()
    return ", ".join(
        f"{name} = {low} to {high}" for name, (low, high) in ranges if name not in derivation.inert
    )
