"""Measure every framework and write docs/parity.md: ``python -m tests.parity``, in the checkout.

``docs/parity.json`` keeps the measurements, from which the page is written.
"""

import json
import os
import subprocess
import sys

from docs.writers import parity_page
from docs.writers.blocks import ROOT
from paramproof.builders.registry import Framework, frameworks


def measure_in_subprocess(framework: Framework) -> dict:
    """Measure in the framework's own process. Raises ``RuntimeError`` if it fails."""
    result = subprocess.run(
        [sys.executable, "-m", "tests.parity.measure", framework.name],
        cwd=ROOT,
        env={**os.environ, **framework.environment},
        capture_output=True,
        text=True,
    )
    if result.returncode:
        raise RuntimeError(f"{framework.name}: status {result.returncode}\n{result.stderr}")
    return json.loads(result.stdout.splitlines()[-1])


def main() -> None:
    """Measure the frameworks in the arguments, or all; keep earlier results for the others."""
    results = parity_page.known()
    for name, framework in frameworks().items():
        if name in sys.argv[1:] or not sys.argv[1:]:
            results[name] = measure_in_subprocess(framework)
            parity_page.RESULTS.write_text(
                json.dumps(results, indent=1, sort_keys=True) + "\n", "utf-8"
            )
    parity_page.write()


if __name__ == "__main__":
    main()
