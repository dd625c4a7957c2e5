"""In letters, fitted to models, a framework builds what the formula says."""

import pytest

pytestmark = [pytest.mark.shapes_only, pytest.mark.expressed("family")]


def test_a_family_is_equal_in_letters(framework, proved, family):
    proof = proved["proofs"][family]
    assert (proof["status"], proof["findings"]) == ("equal", [])
    assert proof["tensors"] > 0
    if family == "encoder":
        # The layers, as in the literature.
        assert proof["formula"].startswith("L·(4·H² + 2·H·F + 9·H + F) + H·(V + ")


def test_the_conditions_come_from_spec_and_framework(framework, proved, family):
    own = {"G divides A", "2 divides K"} if family == "llama" else {"A divides H"}
    further = {("transformers", "llama"): {"A divides H"}, ("keras-bert", "encoder"): {"H ≠ 1"}}
    expected = own | further.get((framework.name, family), set())
    assert set(proved["proofs"][family]["conditions"]) == expected
