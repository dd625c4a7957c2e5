"""What the commands share that run a worker for every framework."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from paramproof.builders.registry import Framework, framework, frameworks
from paramproof.checking.result import Result
from paramproof.cli.output import errors, write_file
from paramproof.proof.prove import Proof
from paramproof.record import Record


def chosen_frameworks(names: Sequence[str]) -> tuple[list[Framework], list[Framework]]:
    """Return the frameworks named, or all: those that are installed, and those that are not.

    Raises ``ValueError`` for one that was named and is not there.
    """
    asked = [framework(name) for name in dict.fromkeys(names)] or list(frameworks().values())
    there = [chosen for chosen in asked if not chosen.missing]
    absent = [chosen for chosen in asked if chosen.missing]
    if absent and (names or not there):
        raise ValueError(f"not installed: {'; '.join(map(how_to_get, absent))}")
    return there, absent


def how_to_get(chosen: Framework) -> str:
    """Return a framework's name, and the command that installs it."""
    return f"{chosen.name} ({chosen.how_to_get})"


@contextmanager
def progress_of(
    there: Sequence[Framework], total: int | None
) -> Iterator[Callable[[Record], None]]:
    """Show a bar for each framework on a terminal; yield what takes a worker's record."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    progress = Progress(
        *columns, TimeElapsedColumn(), console=errors, disable=not errors.is_terminal
    )
    with progress:
        tasks = {chosen.name: progress.add_task(chosen.name, total=total) for chosen in there}
        yield lambda record: progress.advance(tasks[record.framework])


def write_json(path: Path, records: Sequence[Record], **about: int) -> None:
    """Write every record, with the versions of what is installed, and ``about``."""
    data = {
        **about,
        "versions": {name: chosen.versions() for name, chosen in frameworks().items()},
        "results": [record.as_json() for record in records],
    }
    write_file(path, json.dumps(data, indent=1) + "\n")


def broken(record: Result | Proof) -> str:
    """Return the line on a framework whose worker died."""
    return f"{record.framework} is installed and broken: {record.reason}"
