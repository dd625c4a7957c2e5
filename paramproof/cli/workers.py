"""What the commands share that run a worker for every framework."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paramproof.builders.registry import Framework, framework, frameworks
from paramproof.checks.result import Result
from paramproof.proof.prove import Proof
from paramproof.record import Record


def chosen_frameworks(names: Sequence[str]) -> tuple[list[Framework], list[Framework]]:
    """Return the frameworks named, or all: those that are installed, and those that are not.

    Raises ``ValueError`` for one that was named and is not installed, and where none is.
    """
    asked = [framework(name) for name in dict.fromkeys(names)] or list(frameworks().values())
    there = [chosen for chosen in asked if not chosen.missing]
    absent = [chosen for chosen in asked if chosen.missing]
    if absent and names:
        raise ValueError(f"not installed: {'; '.join(map(how_to_get, absent))}")
    if not there:
        raise ValueError(
            "no framework is installed: paramproof frameworks lists how to install them"
        )
    return there, absent


def how_to_get(chosen: Framework) -> str:
    """Return a framework's name, and the command that installs it."""
    return f"{chosen.name} ({chosen.how_to_get})"


def record_data(records: Sequence[Record], **about: int) -> dict[str, Any]:
    """Return every record as data for JSON, with ``about`` and the versions of the frameworks."""
    return {
        **about,
        "versions": {name: chosen.versions() for name, chosen in frameworks().items()},
        "results": [record.as_json() for record in records],
    }


def broken(record: Result | Proof) -> str:
    """Return the line on a framework whose worker died."""
    return f"{record.framework} is installed and broken: {record.reason}"
