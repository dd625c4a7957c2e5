"""What more than one file here asks of a framework in a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("interpolating.py")


@pytest.fixture(scope="session")
def interpolation_in_a_process():
    """Run ``interpolating.py``."""

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
def interpolated(framework, builder, interpolation_in_a_process):
    """What a framework's interpolation says, and the peaks of memory; ``builder`` is there."""
    return interpolation_in_a_process(framework)
