"""The benchmarks cover every framework and every way of counting."""

import pytest

from bench.__main__ import BASE, LARGE, SWEEPS, cases
from docs.writers.benchmarks import exponent, results
from paramproof.builders.registry import frameworks


def test_every_framework_has_curves():
    assert set(results()["curves"]) == set(frameworks())
    for curves in results()["curves"].values():
        assert {axis: len(points) for axis, points in curves.items()} == {
            axis: len(sizes) for axis, sizes in SWEEPS.items()
        }


@pytest.mark.parametrize("model", [BASE, LARGE])
def test_every_case_is_measured(model):
    due = {(one.framework, one.way) for one in cases() if model == BASE or not one.allocates}
    found = [one for one in results()["models"] if one["model"] == model]
    assert {(one["framework"], one["way"]) for one in found} == due


def test_exponents():
    sizes = SWEEPS["num_hidden_layers"]
    assert exponent("num_hidden_layers", [3 * size for size in sizes]) == pytest.approx(1)
    assert exponent("num_hidden_layers", [3 * size**2 for size in sizes]) == pytest.approx(2)
