"""Build wheels and sdists as an installer does, and run Python with nothing but their content."""

import os
import subprocess
import sys


def build(kind, source, target):
    code = f"from hatchling.build import build_{kind}; print(build_{kind}({str(target)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=source, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return target / done.stdout.split()[-1]


def run_alone(folders, cwd, *arguments, **how):
    """Run Python without ``site``: no file of this environment adds the checkout to the path."""
    own = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "PYTHON"))}
    return subprocess.run(
        [sys.executable, "-S", *map(str, arguments)],
        cwd=cwd,
        env={**own, "PYTHONPATH": os.pathsep.join(map(str, folders))},
        capture_output=True,
        text=True,
        timeout=120,
        **how,
    )
