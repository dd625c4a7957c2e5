"""The kinds of evidence that apply to every framework, with few models for each kind.

As in ``tests.faults.evidence``, a kind raises ``AssertionError`` for a difference.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from paramproof.builders.protocol import Builder
from paramproof.builders.registry import Framework
from paramproof.formulas import FAMILIES, Numerics, closed_form
from paramproof.formulas.condition import Condition, Consequence
from paramproof.verify.agreement import check
from paramproof.verify.cases import known_sizes, supported_cases
from paramproof.verify.proof import read, residuals
from tests.faults.evidence import assert_equal, count
from tests.parity.cases import Case, own_epsilon
from tests.parity.differences import built, output_differences
from tests.remembered import Remembering
from tests.selection import load_once
from tests.specs import SMALL_ENCODER

ENCODER = FAMILIES["encoder"]
EVERY_HEAD = {"pooler": 1, "mlm": 1, "nsp": 1, "untied": 0}

SPEC = replace(SMALL_ENCODER, mlm_head=True, nsp_head=True)
"""With every head that all frameworks have."""


def examples(framework: Framework, builder: Builder) -> None:
    """Compare every tensor."""
    assert_equal(builder, SPEC)


def totals(framework: Framework, builder: Builder) -> None:
    """Compare the trainable total."""
    assert count(builder, SPEC) == closed_form(SPEC.letters())


def derivation(framework: Framework, builder: Builder) -> None:
    """Compare every tensor in letters, derived from the builder."""
    cases = supported_cases(builder, ENCODER, known_sizes(framework.fixed, ENCODER))
    case = next(case for case in cases if case.parts == EVERY_HEAD)
    # Results remembered from other builds belong to other sizes, and were not traced.
    anew = builder.builder if isinstance(builder, Remembering) else builder
    outcomes = OUTCOMES.setdefault(framework.name, {})
    if not outcomes:
        read(load_once(framework.name), case, outcomes=outcomes)
    try:
        reading = read(anew, case, outcomes=outcomes.copy())
    except ValueError as error:
        raise AssertionError(str(error)) from error
    found = residuals(reading.tensors, case.letters)
    assert not found, found
    assert not reading.branches, reading.branches


OUTCOMES: dict[str, dict[Condition, Consequence | None]] = {}
"""What happens in a framework's correct builder if a guard is violated.

A faulty builder has these guards, too. The derivation probes the irrelevant ones only together, as
it does for a second combination of parts, which saves most of its models.
"""


def parity(framework: Framework, builder: Builder) -> None:
    """Compare outputs in float64; a model that refuses the weights has a fault that others show."""
    if not check(builder, SPEC).equal:
        return
    eps = own_epsilon(load_once(framework.name)) or Numerics().layer_norm_eps
    case = Case(SPEC, Numerics(layer_norm_eps=eps), "float64")
    for difference in output_differences(built(builder, case), case, framework.name):
        assert difference.explained, difference


EVIDENCE: dict[str, Callable[[Framework, Builder], None]] = {
    "examples": examples,
    "totals": totals,
    "derivation": derivation,
    "parity": parity,
}
