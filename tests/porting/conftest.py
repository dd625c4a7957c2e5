"""Tests of several frameworks in one process, which few environments have."""

import pytest

from paramproof.builders.registry import frameworks


@pytest.fixture
def together(pytestconfig):
    """Return a function that skips unless these frameworks are installed, or fails if required."""

    def needed(names):
        if absent := {package for name in names for package in frameworks()[name].missing}:
            end = pytest.fail if pytestconfig.getoption("--require") else pytest.skip
            end(f"one environment with everything is needed; absent: {sorted(absent)}")

    return needed
