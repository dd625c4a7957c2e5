"""Adding a framework is one package and few lines elsewhere; a test says which line is missing."""

import pytest

from docs.writers.blocks import ROOT
from paramproof.builders.registry import framework
from tests.project.new_framework import lane_of, missing, ours


@pytest.mark.parametrize("chosen", ours(), ids=lambda chosen: chosen.name)
def test_nothing_is_missing_of_a_framework(chosen):
    lines = list(missing(chosen))
    assert not lines, "\n".join(["missing:", *lines])


def test_every_file_has_a_framework_of_ours():
    """A header without an extra is ours, too, and its extra is missing."""
    found = {chosen.module.rpartition(".")[2] for chosen in ours()}
    files = (path for path in (ROOT / "builders" / "frameworks").iterdir())
    assert found == {path.stem for path in files if path.stem not in ("__init__", "__pycache__")}


def test_lanes():
    assert [lane_of(name) for name in ("torch", "keras-bert", "flax-nnx", "keras-torch")] == [
        "torch",
        "kerasbert",
        "flax-nnx",
        "keras-torch",
    ]


def test_what_is_missing_is_named(outsider):
    """The toy as if it had become one of ours, and nobody had done more than write its file."""
    assert list(missing(framework("toy-absent"))) == [
        "FRAMEWORKS in toy_framework: the 'extra' that installs toy-absent",
        "constraints.txt: a version of a-distribution-that-nobody-has",
        "tox.ini: a command 'pytest --framework toy-absent', and a lane in env_list that runs it",
        ".github/workflows/nightly.yml: toy-absent in the matrix 'of'",
        "releases/table.toml: a section whose frameworks include 'toy-absent'",
        "tests/faults/everywhere/toy_framework.py: planted faults",
        "paramproof/differences/probes/toy_framework.py: a probe",
        'tests/frameworks: trap tests, marked framework("toy-absent")',
        "docs/frameworks.md: a row, and then: python -m docs.writers frameworks",
        "docs/porting.md: a row that says how the query kernel is stored",
        "docs/parity.md: python -m tests.parity toy-absent",
        "docs/benchmarks.md: python -m bench.run --framework toy-absent",
        "docs/versions.md: tox run -e versions",
        "docs/faults.md: python -m docs.writers faults",
        "docs/framework-differences.md: python -m docs.writers differences",
    ]
