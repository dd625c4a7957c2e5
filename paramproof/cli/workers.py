"""Functions for the commands that run a worker for every framework."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paramproof.builders.registry import Framework, framework, frameworks
from paramproof.checks.result import Result
from paramproof.cli.progress import shown_progress
from paramproof.proof.prove import Proof
from paramproof.record import Record
from paramproof.workers.jobs import Job, R
from paramproof.workers.pool import run_in_workers


def chosen_frameworks(names: Sequence[str]) -> tuple[list[Framework], list[Framework]]:
    """Return the named frameworks, or all: the installed ones, and the others.

    Raises ``ValueError`` if a named framework is not installed, or if no framework is.
    """
    chosen = [framework(name) for name in dict.fromkeys(names)] or list(frameworks().values())
    installed = [one for one in chosen if not one.missing]
    absent = [one for one in chosen if one.missing]
    if absent and names:
        raise ValueError(f"not installed: {'; '.join(map(how_to_get, absent))}")
    if not installed:
        raise ValueError(
            "no framework is installed: 'paramproof frameworks' lists how to install them"
        )
    return installed, absent


def run_in_frameworks(names: Sequence[str], job: Job[R]) -> tuple[list[R], list[Framework]]:
    """Run a job in the named frameworks, or in all, and show its progress.

    Return its records, and the frameworks that are not installed. Raises the same errors as
    ``chosen_frameworks``.
    """
    installed, absent = chosen_frameworks(names)
    with shown_progress(installed) as take:
        return run_in_workers(installed, job, take), absent


def how_to_get(chosen: Framework) -> str:
    """Return a framework's name, and the command that installs it."""
    return f"{chosen.name} ({chosen.how_to_get})"


def record_data(records: Sequence[Record], **about: int) -> dict[str, Any]:
    """Return the records as data for JSON, with ``about`` and the versions of the frameworks."""
    return {
        **about,
        "versions": {name: chosen.versions() for name, chosen in frameworks().items()},
        "results": [record.as_json() for record in records],
    }


def broken(record: Result | Proof) -> str:
    """Return the line that reports a framework whose worker died."""
    return f"{record.framework} is installed but broken: {record.reason}"
