"""Measure every framework and write docs/parity.md: ``python -m tests.parity``, in the checkout.

``docs/parity.json`` keeps the measurements, from which the page is written.
"""

import json
import sys

from docs.writers import evidence
from docs.writers.blocks import fill, in_process
from paramproof.builders.registry import frameworks


def main() -> None:
    """Measure the frameworks in the arguments, or all; keep earlier results for the others."""
    results = evidence.parity()
    for name, framework in frameworks().items():
        if name in sys.argv[1:] or not sys.argv[1:]:
            results[name] = in_process("tests.parity.measure", framework, name)
            evidence.PARITY.write_text(
                json.dumps(results, indent=1, sort_keys=True) + "\n", "utf-8"
            )
    fill("parity")


if __name__ == "__main__":
    main()
