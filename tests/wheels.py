"""Build wheels and sdists as an installer does."""

import subprocess
import sys


def build(kind, source, target):
    code = f"from hatchling.build import build_{kind}; print(build_{kind}({str(target)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=source, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return target / done.stdout.split()[-1]
