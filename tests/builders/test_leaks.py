"""Building leaves nothing behind: 300 random encoders in one process, in each framework."""

from paramproof.running.jobs import Verify
from paramproof.running.pool import run_in_workers

WARM_UP = 20
BUILDS = 300


def test_no_leak(framework, builder):
    """The peak of the worker's memory grows by less than 30 MB over 300 builds.

    The warm-up lets a framework fill what it keeps once. Allocators keep some of what they
    are given back: the bound is on growth, not on nothing.
    """
    job = Verify({}, WARM_UP + BUILDS, seed=1, families=("encoder",))
    results = run_in_workers([framework], job)
    assert [result.status for result in results] == ["equal"] * (WARM_UP + BUILDS)
    grown = results[-1].peak_mb - results[WARM_UP - 1].peak_mb
    assert grown < 30, f"{grown:.1f} MB over {BUILDS} builds"
