"""The kinds of evidence, each as a function that raises where it sees a difference.

The random specs are those of ``paramproof verify``: the same at every run, so that the matrix
is reproducible. A kind raises ``AssertionError`` and nothing else for a difference; any other
exception is an error of the catalogue, and no catch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from paramproof.algebra.symbols import folded
from paramproof.builders.protocol import Builder
from paramproof.checks.model import check
from paramproof.formulas import FAMILIES, EncoderSpec, Numerics, closed_form
from paramproof.formulas.models import named_models
from paramproof.formulas.notation import text
from paramproof.proof.builder_tensors import read
from paramproof.proof.cases import plain, supported_cases
from paramproof.proof.findings import residuals
from paramproof.proof.interpolation import Grids, interpolate
from tests.laws import LAWS
from tests.parity.cases import Case
from tests.parity.differences import built, output_differences
from tests.strategies import random_specs

ENCODER = FAMILIES["encoder"]
EXAMPLES = 50
SPECS_PER_LAW = 10
SPECS_FOR_PARITY = 8


def examples(builder: Builder) -> None:
    """Every tensor, over random specs."""
    for spec in random_specs(builder, EXAMPLES, seed=0):
        assert_equal(builder, spec)


def totals(builder: Builder) -> None:
    """The trainable total, over the same random specs."""
    for spec in random_specs(builder, EXAMPLES, seed=0):
        assert count(builder, spec) == closed_form(spec.letters()), repr(spec)


def laws(builder: Builder) -> None:
    """The laws that need no oracle, on the trainable total."""
    for spec in random_specs(builder, SPECS_PER_LAW, seed=0):
        for law in LAWS.values():
            law(lambda changed: count(builder, changed), spec)


def anchors(builder: Builder) -> None:
    """Every tensor of the named models, at their real sizes."""
    for named in named_models().values():
        if isinstance(named.spec, EncoderSpec):
            assert_equal(builder, named.spec)


def derivation(builder: Builder) -> None:
    """Every tensor in letters, derived of the builder, under every combination of parts."""
    # What is remembered of other builds was made of other sizes, and not seen made.
    anew = getattr(builder, "builder", builder)
    for case in supported_cases(builder, ENCODER, {}):
        # An exception is a crash, and no finding.
        anew.build(plain(case.spec(case.sizes)))
        try:
            reading = read(anew, case)
        except ValueError as error:
            # What is not explained, or does not hold, is this evidence's finding, not a crash.
            raise AssertionError(str(error)) from error
        found = residuals(reading.tensors, case.symbols({}))
        assert not found, f"{case}: {found}"
        assert not reading.branches, f"{case}: {reading.branches}"


class AllPartsOrNone:
    """A builder of three combinations of parts: all, with the decoder tied or not, and none."""

    def __init__(self, builder: Builder) -> None:
        self.build = builder.build

    def supports(self, spec: EncoderSpec) -> Literal[True] | str:
        """Whether the spec has all parts or none."""
        return len({spec.pooler, spec.mlm_head, spec.nsp_head}) == 1 or "some parts, and not all"


def interpolation(builder: Builder) -> None:
    """The polynomial recovered from totals alone, with all parts and with none."""
    found = interpolate(Grids(AllPartsOrNone(builder), ENCODER, {}))
    assert not found.residual, text(folded(found.residual))
    assert not found.alarms, found.alarms


def parity(builder: Builder) -> None:
    """The outputs, in float64, under weights that are carried into the model.

    A model that does not take the weights is passed over: that is seen by names and shapes.
    """
    for seed, spec in enumerate(random_specs(builder, SPECS_FOR_PARITY, seed=0, vocab_size=97)):
        case = Case(spec, Numerics(), "float64", seed=seed)
        try:
            model = built(builder, case)
        except ValueError:
            continue
        for difference in output_differences(model, case, "torch"):
            assert difference.explained, f"{difference}: {spec!r}"


EVIDENCE: dict[str, Callable[[Builder], None]] = {
    "examples": examples,
    "totals": totals,
    "laws": laws,
    "anchors": anchors,
    "derivation": derivation,
    "interpolation": interpolation,
    "parity": parity,
}


def catches(name: str, builder: Builder) -> bool:
    """Whether evidence of this kind sees that something is wrong with ``builder``."""
    try:
        EVIDENCE[name](builder)
    except AssertionError:
        return True
    return False


def count(builder: Builder, spec: EncoderSpec) -> int:
    """Trainable parameters, by the sizes of what is stored."""
    return sum(weight.size for weight in builder.build(spec).weights() if weight.trainable)


def assert_equal(builder: Builder, spec: EncoderSpec) -> None:
    report = check(builder, spec)
    assert report.equal, report.render(spec)
