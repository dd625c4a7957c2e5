"""What ``paramproof hunt`` does in a checkout: what differs, or nothing, each time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sweep.jobs import compare, differences_in
from sweep.pool import run_in_processes
from sweep.spot_check import compare_random

SECONDS = 600.0
"""Of the processor, for each type: so many that it is no matter of the machine."""


def points(model_type: str, seed: int, number: int) -> Iterator[dict[str, Any]]:
    """Yield what differs of each of ``number`` random configurations, nothing where it is equal."""
    for one in compare_random([model_type], number, 1, seed):
        yield _difference(one.config, one.parameters, str(one.mismatch)) if one.mismatch else {}


def catalogue(model_type: str, seed: int, number: int) -> Iterator[dict[str, Any]]:
    """Derive a type again; yield once what is otherwise than written, nothing where nothing is."""
    for _, found, _ in run_in_processes([model_type], compare, SECONDS, at_a_time=1):
        if lines := differences_in(found):
            said = _difference(model_type, "as in the catalogue", "\n".join(map(str, lines)))
            yield {**said, "lines": [one.data for one in lines]}
        else:
            yield {}


def _difference(what: Any, expected: Any, actual: str) -> dict[str, Any]:
    return {"what": what, "expected": expected, "actual": actual, "report": actual}
