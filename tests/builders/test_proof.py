"""Every size at once: as algebra, a framework builds what the formula says."""

import pytest

from paramproof.formulas import FAMILIES
from paramproof.proof.cases import known_sizes, supported_cases
from paramproof.proof.interpolation import Grids

pytestmark = [pytest.mark.shapes_only, pytest.mark.expressed("family")]

TRACED = ("torch", "transformers")
"""Frameworks whose shapes are traced; in others, sizes become plain ints during the build."""


def test_a_family_is_proved(framework, proved, family):
    """From totals, and tensor by tensor in letters, for every combination of parts."""
    proof = proved["proofs"][family]
    assert (proof["status"], proof["residual"], proof["findings"]) == ("proved", "0", [])
    assert proof["recovered"] == proof["formula"]
    if family == "encoder":
        # The layers, as in the literature, recovered from totals alone.
        assert proof["recovered"].startswith("L·(4·H² + 2·H·F + 9·H + F) + H·(V + ")


def test_shapes_are_traced_where_possible(framework, proved, family):
    proof = proved["proofs"][family]
    assert proof["tensors"] > 0
    traced = proof["tensors"] if framework.name in TRACED else 0
    assert proof["traced"] == traced, "TRACED, above, lists the frameworks whose shapes are traced"


def test_the_conditions_come_from_spec_and_framework(framework, proved, family):
    own = {"G divides A", "2 divides K"} if family == "llama" else {"A divides H"}
    further = {("transformers", "llama"): {"A divides H"}, ("keras-bert", "encoder"): {"H ≠ 1"}}
    expected = own | further.get((framework.name, family), set())
    assert set(proved["proofs"][family]["conditions"]) == expected


def test_cases_are_the_same_at_every_size(framework, builder, family):
    """A combination that is refused at the sizes of a proof would silently remain unproved."""
    known = known_sizes(framework.fixed, FAMILIES[family])
    cases = supported_cases(builder, FAMILIES[family], known)
    grids = Grids(builder, FAMILIES[family], framework.fixed)
    assert grids.cases == cases
    for case in cases:
        nodes = grids.nodes([case, grids.fullest], grids.grid)
        first = dict(zip(grids.letters, (column[0] for column in nodes), strict=True))
        assert builder.supports(grids.spec(case, first)) is True
