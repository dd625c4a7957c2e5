"""In letters, a framework builds what the formula says; and building does not leak memory.

The proofs run, and the memory of their builds is measured, in a process of their own.
"""

import pytest

from tests.selection import registered

WARM_UP = 20
FEWEST_BUILDS = 100
LARGEST_LEAK = 200e3


def leak(proved):
    """Return by how many bytes a build increases the process's peak memory after warming up.

    During warm-up a framework fills its caches. Allocators keep some memory that was freed, and JAX
    what it traced, 98 to 127 KB a build of Equinox's, so the bound is above zero.
    """
    peaks = proved["peaks"][WARM_UP - 1 :]
    assert len(peaks) > FEWEST_BUILDS
    return (peaks[-1] - peaks[0]) / (len(peaks) - 1)


@pytest.mark.shapes_only
def test_no_leak(framework, proved):
    assert leak(proved) < LARGEST_LEAK


@pytest.mark.framework("torch")
def test_a_leak_is_noticed(proofs_in_a_process):
    """A planted leak is noticed, though memory that was free before hides its first megabytes."""
    found = proofs_in_a_process(registered("torch"), int(1.5 * LARGEST_LEAK))
    assert leak(found) > LARGEST_LEAK


@pytest.mark.shapes_only
@pytest.mark.expressed("family")
def test_a_family_is_equal_in_letters(framework, proved, family):
    proof = proved["proofs"][family]
    assert (proof["status"], proof["findings"]) == ("equal", [])
    assert proof["tensors"] > 0
    if family == "encoder":
        # The layers, as in the literature.
        assert proof["formula"].startswith("L·(4·H² + 2·H·F + 9·H + F) + H·(V + ")


@pytest.mark.shapes_only
@pytest.mark.expressed("family")
def test_the_conditions_come_from_spec_and_framework(framework, proved, family):
    own = {"G divides A", "2 divides K"} if family == "llama" else {"A divides H"}
    further = {("transformers", "llama"): {"A divides H"}, ("keras-bert", "encoder"): {"H ≠ 1"}}
    expected = own | further.get((framework.name, family), set())
    assert set(proved["proofs"][family]["conditions"]) == expected
