"""The porting guide as printed, in one environment with every framework."""

import os
import subprocess
import sys

from paramproof.builders.registry import frameworks
from paramproof.weights.files import read_weights
from paramproof.weights.transfer import stored_tensors
from tests.porting.guide import ENVIRONMENTS, FILE, SPEC, checks, script


def test_as_printed(tmp_path, together):
    """Run the scripts in order, in the processes they need; check the sentences below each."""
    together(name for names in ENVIRONMENTS.values() for name in names)
    path = os.pathsep.join(map(os.path.abspath, sys.path))
    for name, names in ENVIRONMENTS.items():
        variables = {k: v for each in names for k, v in frameworks()[each].environment.items()}
        (tmp_path / name).write_text(script(name) + checks(name))
        subprocess.run(
            [sys.executable, "-P", name],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": path, **variables},
            check=True,
        )
    assert set(read_weights(tmp_path / FILE, SPEC)) == set(stored_tensors(SPEC))
