"""Measure every framework for the README: ``python -m tests.parity``, in the checkout.

measured.json keeps the measurements, from which the README is written. Each framework is
measured in a process of its own, since they need different variables.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

from docs.writers import evidence
from docs.writers.blocks import fill, in_process
from paramproof.builders.registry import framework, frameworks
from tests.parity.bounds import slope
from tests.parity.cases import DTYPES, Case, seeded_cases
from tests.parity.differences import (
    FORMATS,
    Difference,
    built,
    output_differences,
    slope_difference,
)

CASES = 8
"""The number of cases per dtype."""

ALONE = "--alone"
"""Before the name of a framework: measure it in this process, and print JSON."""


def main(arguments: list[str]) -> None:
    """Measure the frameworks in the arguments, or all; keep earlier results for the others."""
    if arguments[:1] == [ALONE]:
        print(json.dumps(measure(arguments[1])))
        return
    results = evidence.parity()
    for name, chosen in frameworks().items():
        if name in arguments or not arguments:
            results[name] = in_process("tests.parity", chosen, ALONE, name)
            text = json.dumps(results, indent=1, sort_keys=True)
            evidence.PARITY.write_text(f"{text}\n", "utf-8")
    fill("parity")


def measure(name: str) -> dict[str, Any]:
    """Return versions, and ``largest`` for each dtype and kind."""
    chosen = framework(name)
    builder = chosen.load()
    figures = {}
    for dtype in DTYPES:
        cases = seeded_cases(chosen, builder, dtype, CASES)
        found = [d for case in cases for d in differences(case, builder, name)]
        figures[dtype] = {kind: largest([d for d in found if d.kind == kind]) for kind in FORMATS}
    return {"versions": chosen.versions(), "figures": figures}


def differences(case: Case, builder: Any, name: str) -> Iterator[Difference]:
    """Return the differences of all kinds; the gradient's is relative to the reference's slope."""
    model = built(builder, case)
    yield from output_differences(model, case, name)
    gradient, size = slope_difference(model, case, name), abs(slope(case, case.direction))
    yield Difference("gradient", gradient.actual / size, gradient.bound / size)


def largest(differences: list[Difference]) -> dict[str, float]:
    worst = max(differences, key=lambda difference: difference.actual)
    share = max(difference.actual / difference.bound for difference in differences)
    return {"found": worst.actual, "bound": worst.bound, "share": share, "cases": len(differences)}


if __name__ == "__main__":
    main(sys.argv[1:])
