"""Measure one framework's largest differences: ``python -m tests.parity.measure FRAMEWORK``.

Prints JSON. Each framework gets a process of its own, since they need different variables.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

from paramproof.builders.registry import framework
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


def main() -> None:
    print(json.dumps(measure(sys.argv[1])))


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
    main()
