"""What is no test of a framework, and what more than one file asks of one in its own process."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.builders.refused import refuses_family, refuses_model

PROGRAM = Path(__file__).with_name("proving.py")


def pytest_collection_modifyitems(config, items):
    """What a framework refuses is deselected, where a test is marked ``expressed``."""
    refused = [item for item in items if is_refused(item)]
    config.hook.pytest_deselected(items=refused)
    items[:] = [item for item in items if item not in refused]


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
    """Run ``proving.py``."""

    def run(framework, *arguments):
        path = os.pathsep.join(map(os.path.abspath, sys.path))
        done = subprocess.run(
            [sys.executable, "-P", PROGRAM, framework.name, *map(str, arguments)],
            env={**os.environ, "PYTHONPATH": path, **framework.environment},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    return run


@pytest.fixture(scope="session")
def proved(framework, builder, proofs_in_a_process):
    """A framework's proofs by family, and the peaks of memory; ``builder`` is there."""
    return proofs_in_a_process(framework)
