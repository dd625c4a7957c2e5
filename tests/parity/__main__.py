"""Measure every framework and write docs/parity.md: ``python -m tests.parity``, in the checkout.

What was measured is kept in ``docs/parity.json``; the page is made of that.
"""

import json
import os
import subprocess
import sys

from docs.writers import parity_page
from docs.writers.blocks import ROOT
from paramproof.builders.registry import Framework, frameworks


def measured(framework: Framework) -> dict:
    """What the framework's own process says. Raises ``RuntimeError`` with its errors."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.parity.measure", framework.name],
        cwd=ROOT,
        env={**os.environ, **framework.environment},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"{framework.name}: status {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    """Measure the frameworks that are named, or all; keep what is known of the others."""
    known = parity_page.known()
    for name, framework in frameworks().items():
        if name in sys.argv[1:] or not sys.argv[1:]:
            known[name] = measured(framework)
            parity_page.RESULTS.write_text(
                json.dumps(known, indent=1, sort_keys=True) + "\n", "utf-8"
            )
    parity_page.write()


if __name__ == "__main__":
    main()
