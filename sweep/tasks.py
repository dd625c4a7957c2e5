"""The checks that ``paramproof hunt`` runs in a checkout: each yields differences, or nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sweep.jobs import compare, differences_in
from sweep.pool import run_in_processes
from sweep.samples.fuzz import compare_random

SECONDS = 600.0
"""The CPU time for each type: enough that the machine does not matter."""


def points(model_type: str, seed: int, number: int) -> Iterator[dict[str, Any]]:
    """Yield what differs for each of ``number`` random configurations, or nothing if equal."""
    for one in compare_random([model_type], number, 1, seed):
        yield _difference(one.config, one.parameters, str(one.mismatch)) if one.mismatch else {}


def catalogue(model_type: str, seed: int, number: int) -> Iterator[dict[str, Any]]:
    """Derive a type again. Yield once how it differs from its file, or nothing if it does not."""
    for _, result, _ in run_in_processes([model_type], compare, SECONDS, at_a_time=1):
        if lines := differences_in(result):
            difference = _difference(model_type, "as in the catalogue", "\n".join(map(str, lines)))
            yield {**difference, "lines": [one.data for one in lines]}
        else:
            yield {}


def _difference(what: Any, expected: Any, actual: str) -> dict[str, Any]:
    return {"what": what, "expected": expected, "actual": actual, "report": actual}
