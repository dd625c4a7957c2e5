"""The kinds of evidence, each a function that raises if it notices a difference.

The random specs are those of ``paramproof verify``, the same in every run, so that the matrix is
reproducible. For a difference, a kind raises only ``AssertionError``; any other exception is an
error in the catalogue, and does not count as catching the fault.
"""

from __future__ import annotations

from collections.abc import Callable

from paramproof.builders.protocol import Builder
from paramproof.formulas import FAMILIES, EncoderSpec, Numerics, closed_form
from paramproof.formulas.models import named_models
from paramproof.verify.agreement import check
from paramproof.verify.cases import supported_cases
from paramproof.verify.proof import read, residuals
from tests.laws import LAWS
from tests.parity.cases import Case
from tests.parity.differences import built, output_differences
from tests.strategies import random_specs

ENCODER = FAMILIES["encoder"]
EXAMPLES = 50
SPECS_PER_LAW = 10
SPECS_FOR_PARITY = 8


def examples(builder: Builder) -> None:
    """Every tensor, for random specs."""
    for spec in random_specs(builder, EXAMPLES, seed=0):
        assert_equal(builder, spec)


def totals(builder: Builder) -> None:
    """The trainable total, for the same random specs."""
    for spec in random_specs(builder, EXAMPLES, seed=0):
        assert count(builder, spec) == closed_form(spec.letters()), repr(spec)


def laws(builder: Builder) -> None:
    """The laws that need no oracle, for the trainable total."""
    for spec in random_specs(builder, SPECS_PER_LAW, seed=0):
        for law in LAWS.values():
            law(lambda changed: count(builder, changed), spec)


def anchors(builder: Builder) -> None:
    """Every tensor of the named models, at their real sizes."""
    for named in named_models().values():
        if isinstance(named.spec, EncoderSpec):
            assert_equal(builder, named.spec)


def derivation(builder: Builder) -> None:
    """Every tensor in letters, derived from the builder, for every combination of parts."""
    # Results remembered from other builds belong to other sizes, and were not traced.
    anew = getattr(builder, "builder", builder)
    for case in supported_cases(builder, ENCODER, {}):
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


def parity(builder: Builder) -> None:
    """The outputs, in float64, with weights that are transferred to the model.

    Models that do not accept the weights are skipped: names and shapes show their fault.
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
    "parity": parity,
}


def catches(name: str, builder: Builder) -> bool:
    """Return whether this kind of evidence finds a fault in ``builder``."""
    try:
        EVIDENCE[name](builder)
    except AssertionError:
        return True
    return False


def count(builder: Builder, spec: EncoderSpec) -> int:
    """Return the number of trainable parameters, from the sizes of stored tensors."""
    return sum(weight.size for weight in builder.build(spec).weights() if weight.trainable)


def assert_equal(builder: Builder, spec: EncoderSpec) -> None:
    report = check(builder, spec)
    assert report.equal, report.render()
