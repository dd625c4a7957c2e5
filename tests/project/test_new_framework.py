"""Adding a framework is one package and few lines elsewhere; a test says which line is missing."""

import pytest

from paramproof.builders.registry import framework
from tests.project.new_framework import lane_of, missing, ours


@pytest.mark.parametrize("chosen", ours(), ids=lambda chosen: chosen.name)
def test_nothing_is_missing_of_a_framework(chosen):
    assert list(missing(chosen)) == []


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
        "pyproject.toml: an extra ''",
        "pyproject.toml: '' in the extra 'all'",
        "constraints.txt: a version of a-distribution-that-nobody-has",
        "tox.ini: a command 'pytest --framework toy-absent', and a lane in env_list that runs it",
        ".github/workflows/nightly.yml: toy-absent in the matrix 'of'",
        "releases/table.toml: a section whose frameworks include 'toy-absent'",
        "tests/faults/everywhere/toy_framework.py: planted faults",
        "paramproof/differences/probes/toy_framework.py: a probe",
        'tests/frameworks: trap tests, marked framework("toy-absent")',
    ]
