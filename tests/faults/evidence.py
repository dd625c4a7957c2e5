"""The kinds of evidence, each a function that raises if it notices a difference.

PyTorch's builder is checked in full, the others at one small encoder with every head. The random
specs are those of ``paramproof verify``, the same in every run, so that the matrix is reproducible.
For a difference, a kind raises only ``AssertionError``; any other exception is an error in the
catalogue, and does not count as catching the fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any

from paramproof.builders.protocol import Builder, BuiltModel
from paramproof.builders.registry import Framework
from paramproof.formulas import FAMILIES, EncoderSpec, Numerics, Spec, Weight, closed_form
from paramproof.formulas.models import named_models
from paramproof.verify.agreement import check
from paramproof.verify.cases import supported_cases
from paramproof.verify.proof import read, residuals
from tests.laws import LAWS
from tests.parity.cases import Case, own_epsilon
from tests.parity.differences import built, output_differences
from tests.selection import load_once
from tests.specs import SMALL_ENCODER
from tests.strategies import random_specs

IN_FULL = "torch"
ENCODER = FAMILIES["encoder"]
EVERY_HEAD = {"pooler": 1, "mlm": 1, "nsp": 1, "untied": 0}

SPEC = replace(SMALL_ENCODER, mlm_head=True, nsp_head=True)
"""With every head that all frameworks have."""


MAX_SPECS = 1024
"""A list of weights takes some kilobytes."""


class Listed:
    def __init__(self, weights: tuple[Weight, ...]) -> None:
        self.listed = weights

    def weights(self) -> tuple[Weight, ...]:
        return self.listed


class Remembering:
    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.supports = builder.supports
        self.listed = lru_cache(MAX_SPECS)(self.build_listed)

    def build(self, spec: Spec, *numerics: Any, **how: Any) -> BuiltModel | Listed:
        if numerics or how:
            return self.builder.build(spec, *numerics, **how)
        return self.listed(spec)

    def build_listed(self, spec: Spec) -> Listed:
        return Listed(tuple(self.builder.build(spec).weights()))


def specs(
    framework: Framework, builder: Builder, number: int = 50, **fixed: int
) -> list[EncoderSpec]:
    if framework.name != IN_FULL:
        return [SPEC]
    return list(random_specs(builder, number, seed=0, **fixed))


def examples(framework: Framework, builder: Builder) -> None:
    """Every tensor."""
    assert_equal(builder, specs(framework, builder))


def totals(framework: Framework, builder: Builder) -> None:
    """The trainable total, for the same specs."""
    for spec in specs(framework, builder):
        assert count(builder, spec) == closed_form(spec.letters()), repr(spec)


def laws(framework: Framework, builder: Builder) -> None:
    """The laws that need no oracle, for the trainable total."""
    for spec in specs(framework, builder, 10):
        for law in LAWS.values():
            law(lambda changed: count(builder, changed), spec)


def anchors(framework: Framework, builder: Builder) -> None:
    """Every tensor of the named models, at their real sizes."""
    named = (model.spec for model in named_models().values())
    assert_equal(builder, (spec for spec in named if isinstance(spec, EncoderSpec)))


def derivation(framework: Framework, builder: Builder) -> None:
    """Every tensor in letters, derived from the builder, for every combination of parts."""
    # A proof builds each model itself, and remembers none.
    anew = builder.builder if isinstance(builder, Remembering) else builder
    for case in supported_cases(builder, ENCODER, framework.fixed):
        if framework.name != IN_FULL and case.parts != EVERY_HEAD:
            continue
        # An exception is a crash, and not a finding.
        anew.build(case.spec)
        try:
            reading = read(anew, case)
        except ValueError as error:
            # An unexplained length or a violated guard is a finding, not a crash.
            raise AssertionError(str(error)) from error
        found = residuals(reading.tensors, case.letters)
        assert not found, f"{case}: {found}"
        assert not reading.branches, f"{case}: {reading.branches}"


def parity(framework: Framework, builder: Builder) -> None:
    """The outputs, in float64, with weights that are transferred to the model.

    Models that do not accept the weights are skipped: names and shapes show their fault.
    """
    eps = own_epsilon(load_once(framework.name)) or Numerics().layer_norm_eps
    for seed, spec in enumerate(specs(framework, builder, 8, vocab_size=97)):
        if check(builder, spec).equal:
            case = Case(spec, Numerics(layer_norm_eps=eps), "float64", seed=seed)
            for difference in output_differences(built(builder, case), case, framework.name):
                assert difference.explained, f"{difference}: {spec!r}"


EVIDENCE: dict[str, Callable[[Framework, Builder], None]] = {
    "examples": examples,
    "totals": totals,
    "laws": laws,
    "anchors": anchors,
    "derivation": derivation,
    "parity": parity,
}

ELSEWHERE = ("examples", "totals", "derivation", "parity")


def kinds(framework: Framework) -> list[str]:
    """Return its kinds of evidence: a framework that builds slowly omits those with many builds."""
    if framework.name == IN_FULL:
        return [*EVIDENCE]
    return [kind for kind in ELSEWHERE if not (framework.slow and kind == "derivation")]


def catches(kind: str, framework: Framework, builder: Builder) -> bool:
    try:
        EVIDENCE[kind](framework, builder)
    except AssertionError:
        return True
    return False


def count(builder: Builder, spec: EncoderSpec) -> int:
    return sum(weight.size for weight in builder.build(spec).weights() if weight.trainable)


def assert_equal(builder: Builder, specs: Iterable[EncoderSpec]) -> None:
    for spec in specs:
        report = check(builder, spec)
        assert report.equal, report.render()
