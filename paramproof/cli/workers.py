"""Call a function in a worker for every framework, with a bar for each in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from paramproof.builders.registry import framework, frameworks
from paramproof.cli.output import errors
from paramproof.verify.workers import R, run_in_workers


def records_of(
    names: Sequence[str], function: Callable[..., Iterator[R]], record: type[R], **about: Any
) -> Iterator[R]:
    """Yield records in the named frameworks, or in all installed ones, and show the progress."""
    chosen = [framework(name) for name in dict.fromkeys(names)] or list(frameworks().values())
    installed = [one for one in chosen if not one.missing]
    if names and len(installed) < len(chosen):
        absent = (f"{one.name} ({one.how_to_get})" for one in chosen if one.missing)
        raise ValueError(f"not installed: {'; '.join(absent)}")
    if not installed:
        how = "'paramproof frameworks' lists how to install them"
        raise ValueError(f"no framework is installed: {how}")
    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[state]}")
    is_pipe = not errors.is_terminal or errors.is_dumb_terminal
    with Progress(*columns, TimeElapsedColumn(), console=errors, disable=is_pipe) as bars:
        tasks = {
            chosen.name: bars.add_task(chosen.name, start=False, total=None, state="waiting")
            for chosen in installed
        }

        def show(name: str, state: str, done: int, due: int | None) -> None:
            task = tasks[name]
            if state == "importing":
                bars.start_task(task)
            # A bar without a total moves back and forth.
            bars.update(task, completed=done, total=due, state=state, refresh=not done)
            if state == "broken":
                bars.stop_task(task)

        yield from run_in_workers(installed, function, record, show, **about)


def run_in_frameworks(
    names: Sequence[str], function: Callable[..., Iterator[R]], record: type[R], **about: Any
) -> list[R]:
    found = records_of(names, function, record, **about)
    order = [framework(name).name for name in names] or [*frameworks()]
    return sorted(found, key=lambda one: order.index(one.framework))
