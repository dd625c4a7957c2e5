"""The benchmarks' page and plot agree with the results, which cover every framework."""

import json

import pytest

from bench.cases import BASE, LARGE, SWEEPS, cases
from bench.page import PAGE, PLOT, RESULTS, exponent, render
from bench.plot import source
from paramproof.builders.registry import frameworks

AGAIN = "run python -m bench.page, or tox run -e bench"


@pytest.fixture(scope="module")
def results():
    return json.loads(RESULTS.read_text("utf-8"))


def test_page(results):
    assert render(results) == PAGE.read_text("utf-8"), AGAIN


def test_plot(results):
    assert source(results["curves"]) in PLOT.read_text("utf-8"), AGAIN


def test_every_framework_has_curves(results):
    assert set(results["curves"]) == set(frameworks())
    for curves in results["curves"].values():
        assert {axis: len(points) for axis, points in curves.items()} == {
            axis: len(sizes) for axis, sizes in SWEEPS.items()
        }


@pytest.mark.parametrize("model", [BASE, LARGE])
def test_every_case_is_measured(results, model):
    due = {case.name for case in cases() if model == BASE or not case.allocates}
    models = [entry for entry in results["models"] if entry["model"] == model]
    assert {f"{entry['framework']}: {entry['way']}" for entry in models} == due


def test_exponents():
    sizes = SWEEPS["num_hidden_layers"]
    assert exponent("num_hidden_layers", [3 * size for size in sizes]) == pytest.approx(1)
    assert exponent("num_hidden_layers", [3 * size**2 for size in sizes]) == pytest.approx(2)
    assert exponent("vocab_size", [5] * len(SWEEPS["vocab_size"])) == pytest.approx(0)
