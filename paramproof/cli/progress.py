"""Progress bars on standard error while workers run; in a pipe there are none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.progress import BarColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from paramproof.builders.registry import Framework
from paramproof.cli.output import errors
from paramproof.verify.workers import OnProgress, Progress


@contextmanager
def shown_progress(installed: Sequence[Framework]) -> Iterator[OnProgress]:
    """Show the progress of each framework's worker; yield the function that receives it."""
    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[state]}")
    is_pipe = not errors.is_terminal or errors.is_dumb_terminal
    with Bars(*columns, TimeElapsedColumn(), console=errors, disable=is_pipe) as bars:
        tasks = {
            chosen.name: bars.add_task(chosen.name, start=False, total=1, state="waiting")
            for chosen in installed
        }
        yield lambda news: _move(bars, tasks[news.framework], news)


def _move(bars: Bars, task: TaskID, news: Progress) -> None:
    if news.state == "importing":
        bars.start_task(task)
    if news.state == "running":
        first = bars.tasks[task].total != news.of
        # A bar without a total moves back and forth.
        bars.tasks[task].total = news.of
        bars.update(task, completed=news.steps, state=str(news), refresh=first)
    elif news.state in ("done", "broken"):
        bars.update(task, total=1, completed=int(news.state == "done"), state=str(news))
        bars.stop_task(task)
    else:
        bars.update(task, state=str(news))
