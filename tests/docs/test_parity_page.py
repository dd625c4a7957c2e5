"""docs/parity.md agrees with its figures, which cover everything and stay within their bounds."""

from pathlib import Path

import pytest

from docs.writers.blocks import ROOT
from docs.writers.parity_page import PAGE, known, render
from paramproof.builders.registry import frameworks
from tests.parity.cases import DTYPES
from tests.parity.differences import FORMATS

MEASURED = known()
AGAIN = "run python -m tests.parity"


def figures():
    return {
        (name, dtype, kind): figure
        for name, found in MEASURED.items()
        for dtype, kinds in found["figures"].items()
        for kind, figure in kinds.items()
    }


def test_page():
    assert render(MEASURED) == PAGE.read_text("utf-8"), AGAIN


def test_every_framework_dtype_and_kind_has_a_figure():
    due = {(name, dtype, kind) for name in frameworks() for dtype in DTYPES for kind in FORMATS}
    assert set(figures()) == due, AGAIN
    assert min(figure["cases"] for figure in figures().values()) >= 1


@pytest.mark.parametrize("of", figures(), ids="-".join)
def test_a_figure_keeps_to_its_bound(of):
    figure = figures()[of]
    assert 0 <= figure["found"] <= figure["bound"]
    assert figure["found"] / figure["bound"] <= figure["share"] <= 1
    assert figure["bound"] < 1e-2, "a bound that allows anything proves nothing"


def test_float64_is_better():
    for (name, dtype, kind), figure in figures().items():
        if dtype == "float64":
            assert figure["found"] < MEASURED[name]["figures"]["float32"][kind]["bound"]


def test_versions_agree_with_ci():
    lines = Path(ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pinned = dict(line.replace("_", "-").split("==") for line in lines if "==" in line)
    for name, found in MEASURED.items():
        for distribution, version in found["versions"].items():
            assert version.split("+")[0] == pinned[distribution].split("+")[0], f"{name}: {AGAIN}"
