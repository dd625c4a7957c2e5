"""What ``paramproof hunt`` does in a checkout: what differs, or nothing, each time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sweep.at_random import at_random
from sweep.child import in_a_child
from sweep.comparing import differences
from sweep.store import read

SECONDS = 600.0
"""Of the processor, for each type: so many that it is no matter of the machine."""


def points(model_type: str, seed: int, number: int) -> Iterator[dict[str, Any]]:
    """Yield what differs of each of ``number`` random configurations, nothing where it is equal."""
    for one in at_random([model_type], number, 1, seed):
        yield _difference(one.config, one.parameters, one.wrong) if one.wrong else {}


def catalogue(model_type: str, seed: int, number: int) -> Iterator[dict[str, Any]]:
    """Derive a type again; yield once what the catalogue has otherwise, nothing where nothing."""
    found, known = in_a_child(model_type, SECONDS), read(model_type)
    if "entry" not in found or not known:
        why = "; ".join(found["failed"].values()) if known else "it is not in the catalogue"
        yield _difference(model_type, "an entry", why)
        return
    lines = list(differences(known, found["entry"]))
    yield _difference(model_type, "the catalogue's entry", "\n".join(lines)) if lines else {}


def _difference(what: Any, expected: Any, actual: str) -> dict[str, Any]:
    return {"what": what, "expected": expected, "actual": actual, "report": actual}
