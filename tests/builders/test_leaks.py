"""Building leaves nothing behind: the builds of the proofs, in a process of their own."""

import pytest

from tests.selection import registered

WARM_UP = 20
FEWEST_BUILDS = 100
LARGEST_LEAK = 100e3


def leak(proved):
    """By how many bytes a build lets the peak of the process's memory grow, once it is warm.

    The warm-up lets a framework fill what it keeps once. Allocators keep some of what they
    are given back: the bound is on growth, not on nothing.
    """
    peaks = proved["peaks"][WARM_UP - 1 :]
    assert len(peaks) > FEWEST_BUILDS
    return (peaks[-1] - peaks[0]) / (len(peaks) - 1)


@pytest.mark.shapes_only
def test_no_leak(framework, proved):
    assert leak(proved) < LARGEST_LEAK


@pytest.mark.framework("torch")
def test_a_leak_is_seen(proofs_in_a_process):
    """Planted in every build; what was free before hides the first megabytes of it."""
    found = proofs_in_a_process(registered("torch"), int(1.5 * LARGEST_LEAK))
    assert leak(found) > LARGEST_LEAK
