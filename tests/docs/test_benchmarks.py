"""The benchmarks cover every framework and every way of counting."""

import pytest

from bench.__main__ import BASE, LARGE, cases
from docs.writers.benchmarks import results


@pytest.mark.parametrize("model", [BASE, LARGE])
def test_every_case_is_measured(model):
    due = {(one.framework, one.way) for one in cases() if model == BASE or not one.allocates}
    every = results()["frameworks"].items()
    assert {(name, way) for name, one in every for way in one["models"].get(model, ())} == due
