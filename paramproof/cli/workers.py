"""Run a job in a worker for every framework, with a bar for each if standard error is a terminal.

In a pipe, nothing is shown but the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from paramproof.builders.registry import Framework, framework, frameworks
from paramproof.cli.output import errors
from paramproof.verify.workers import Job, R, Record, Steps, run_in_workers


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


def records_of(installed: Sequence[Framework], job: Job[R]) -> Iterator[R]:
    """Yield the records of a job as they come, and show its progress meanwhile."""
    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[state]}")
    is_pipe = not errors.is_terminal or errors.is_dumb_terminal
    with Progress(*columns, TimeElapsedColumn(), console=errors, disable=is_pipe) as bars:
        tasks = {
            chosen.name: bars.add_task(chosen.name, start=False, total=1, state="waiting")
            for chosen in installed
        }

        def show(name: str, state: str, steps: Steps) -> None:
            task = tasks[name]
            if state == "importing":
                bars.start_task(task)
            first = bars.tasks[task].total != steps.due
            # A bar without a total moves back and forth.
            bars.tasks[task].total = steps.due
            bars.update(task, completed=steps.done, state=state, refresh=first)
            if state == "broken":
                bars.stop_task(task)

        yield from run_in_workers(installed, job, show)


def run_in_frameworks(names: Sequence[str], job: Job[R]) -> tuple[list[R], list[Framework]]:
    """Return a job's records, by framework, and the frameworks that are not installed."""
    installed, absent = chosen_frameworks(names)
    order = [one.name for one in installed]
    found = sorted(records_of(installed, job), key=lambda one: order.index(one.framework))
    return found, absent


def how_to_get(chosen: Framework) -> str:
    return f"{chosen.name} ({chosen.how_to_get})"


def versions() -> dict[str, Any]:
    return {name: chosen.versions() for name, chosen in frameworks().items()}


def record_data(records: Sequence[Record], **about: int) -> dict[str, Any]:
    """Return the records as data for JSON, with ``about`` and the versions of the frameworks."""
    return {**about, "versions": versions(), "results": [one.as_json() for one in records]}
