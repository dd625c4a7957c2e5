"""Building does not leak memory: the builds of the proofs, in a process of their own."""

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
