"""The benchmarks cover every framework and every way of counting."""

import pytest

from bench.__main__ import BASE, LARGE, cases
from docs.writers.benchmarks import results


@pytest.mark.parametrize("model", [BASE, LARGE])
def test_every_case_is_measured(model):
    due = {(one.framework, one.way) for one in cases() if model == BASE or not one.allocates}
    found = [one for one in results()["models"] if one["model"] == model]
    assert {(one["framework"], one["way"]) for one in found} == due
