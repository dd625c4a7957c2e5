"""Deselect tests of what a framework refuses, and run the proofs in a process of their own.

Each test here runs for every framework, so that a run takes a share of most of them.
"""

import json
from pathlib import Path

import pytest

from tests.builders.refused import refuses_family, refuses_model
from tests.selection import registry
from tests.sessions import run_python
from tests.share import SHARE

PROGRAM = Path(__file__).with_name("proving.py")


ALWAYS = ("test_counts", "test_refused")
"""The modules of which every run takes all: what each framework counts and refuses."""

PROVING = "test_proof"
"""The module for which a framework proves every family: a share takes some of the frameworks."""

SHARED = pytest.mark.shared(
    "computes, or builds large models, in each of eleven frameworks", pool="tests/builders"
)


def pytest_collection_modifyitems(config, items):
    proving = config.stash[SHARE].part(sorted(registry()))
    left = [item for item in items if is_refused(item) or not is_proved_in(proving, item)]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in left]
    for item in items:
        if item.path.parent == PROGRAM.parent and item.path.stem not in (*ALWAYS, PROVING):
            item.add_marker(SHARED)


def is_proved_in(frameworks, item):
    if item.path.parent != PROGRAM.parent or item.path.stem != PROVING:
        return True
    parameters = item.callspec.params if hasattr(item, "callspec") else {"framework": "torch"}
    return parameters["framework"] in frameworks


def is_refused(item):
    marker = item.get_closest_marker("expressed")
    if marker is None:
        return False
    (parameter,) = marker.args
    refuses = refuses_family if parameter == "family" else refuses_model
    parameters = item.callspec.params
    return refuses(parameters["framework"], parameters[parameter])


@pytest.fixture(scope="session")
def proofs_in_a_process():

    def run(framework, *arguments):
        result = run_python(PROGRAM, framework.name, *map(str, arguments), **framework.environment)
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout.splitlines()[-1])

    return run


@pytest.fixture(scope="session")
def proved(framework, builder, proofs_in_a_process):
    return proofs_in_a_process(framework)
