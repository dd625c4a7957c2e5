"""Every size at once: what a framework builds is, as algebra, what the formula says."""

import pytest

from paramproof.formulas import FAMILIES, closed_form
from paramproof.proof.cases import known_sizes, supported_cases
from paramproof.proof.derived import read
from paramproof.proof.findings import residuals
from paramproof.proof.interpolation import Grids
from paramproof.proof.prove import proofs, total

pytestmark = pytest.mark.shapes_only

TRACED = ("torch", "transformers")


def expressible(framework, builder, family):
    known = known_sizes(framework.fixed, FAMILIES[family])
    try:
        return supported_cases(builder, FAMILIES[family], known), known
    except ValueError as refusal:
        pytest.skip(str(refusal))


def test_what_is_derived_is_the_formula(framework, builder, family):
    """Tensor by tensor and in total, for each combination of parts that there is."""
    cases, known = expressible(framework, builder, family)
    for case in cases:
        reading, letters = read(builder, case, known), case.symbols(known)
        assert residuals(reading.tensors, letters) == []
        assert total(reading.tensors) == closed_form(letters)
        assert reading.branches == ()
        # Positions that are computed are no trained table, and nobody traces a sine.
        made = [one for one in reading.tensors if one.trainable]
        assert all(one.traced for one in made) is (framework.name in TRACED)


def test_the_conditions_are_the_spec_s_and_the_framework_s(framework, builder, family):
    cases, known = expressible(framework, builder, family)
    conditions = set(read(builder, cases[0], known).conditions)
    own = {"G divides A", "2 divides K"} if family == "llama" else {"A divides H"}
    further = {("transformers", "llama"): {"A divides H"}, ("keras-bert", "encoder"): {"H ≠ 1"}}
    assert conditions == own | further.get((framework.name, family), set())


def test_a_family_is_proved(framework, builder, family):
    """The encoder's interpolation has a process of its own, which is measured."""
    expressible(framework, builder, family)
    if family == "encoder":
        pytest.skip("proved below")
    (proof,) = proofs(framework, builder, (family,))
    assert (proof.status, proof.residual, proof.findings) == ("proved", "0", ())


def test_interpolation_is_the_closed_form(framework, interpolated):
    assert interpolated["residual"] == "0"
    assert interpolated["alarms"] == []
    # The layers, as the literature writes them, recovered from totals alone.
    assert interpolated["recovered"].startswith("L·(4·H² + 2·H·F + 9·H + F) + H·(V + ")


def test_cases_are_the_same_at_every_size(framework, builder, family):
    """A combination that is refused at the sizes of a proof would silently not be proved."""
    cases, _ = expressible(framework, builder, family)
    grids = Grids(builder, FAMILIES[family], framework.fixed)
    assert grids.cases == cases
    for case in cases:
        nodes = grids.nodes([case, grids.fullest], grids.grid)
        first = dict(zip(grids.letters, (column[0] for column in nodes), strict=True))
        assert builder.supports(grids.spec(case, first)) is True
