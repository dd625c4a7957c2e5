"""The largest differences of one framework: ``python -m tests.parity.measure FRAMEWORK``.

Prints JSON. A framework has a process of its own, since frameworks need different variables.
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
"""For each dtype."""


def main() -> None:
    """Measure, and print the result on the last line of standard output."""
    print(json.dumps(measure(sys.argv[1])))


def measure(name: str) -> dict[str, Any]:
    """Versions, and for each dtype and kind the largest difference, as ``largest`` has it."""
    chosen = framework(name)
    builder = chosen.load()
    figures = {}
    for dtype in DTYPES:
        cases = seeded_cases(chosen, builder, dtype, CASES)
        found = [d for case in cases for d in differences(case, builder, name)]
        figures[dtype] = {kind: largest([d for d in found if d.kind == kind]) for kind in FORMATS}
    return {"versions": chosen.versions(), "figures": figures}


def differences(case: Case, builder: Any, name: str) -> Iterator[Difference]:
    """Of all kinds; that of the gradient is relative to the reference's slope."""
    model = built(builder, case)
    yield from output_differences(model, case, name)
    gradient, size = slope_difference(model, case, name), abs(slope(case, case.direction))
    yield Difference("gradient", gradient.found / size, gradient.bound / size)


def largest(differences: list[Difference]) -> dict[str, float]:
    """The largest difference with the bound it is held to, and the largest share of a bound."""
    worst = max(differences, key=lambda difference: difference.found)
    share = max(difference.found / difference.bound for difference in differences)
    return {"found": worst.found, "bound": worst.bound, "share": share, "cases": len(differences)}


if __name__ == "__main__":
    main()
