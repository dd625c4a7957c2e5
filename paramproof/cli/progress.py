"""What is said while workers run, always on standard error: bars, or in a pipe a line at times."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Event, Thread

from rich.progress import BarColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from paramproof.builders.registry import Framework
from paramproof.cli.output import errors
from paramproof.workers.progress import OnProgress, Progress

INTERVAL = 10.0
"""Seconds between two lines in a pipe; a run that is over sooner says nothing."""


@contextmanager
def shown_progress(there: Sequence[Framework]) -> Iterator[OnProgress]:
    """Show how far the worker of each framework is; yield what takes the news."""
    on_terminal = errors.is_terminal and not errors.is_dumb_terminal
    with _bars(there) if on_terminal else _lines(there) as take:
        yield take


@contextmanager
def _bars(there: Sequence[Framework]) -> Iterator[OnProgress]:
    """A bar for each framework: its state, and the time since it started."""
    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[state]}")
    with Bars(*columns, TimeElapsedColumn(), console=errors) as bars:
        tasks = {
            chosen.name: bars.add_task(chosen.name, start=False, total=1, state="waiting")
            for chosen in there
        }
        yield lambda news: _move(bars, tasks[news.framework], news)


def _move(bars: Bars, task: TaskID, news: Progress) -> None:
    if news.state == "importing":
        bars.start_task(task)
    if news.state == "running":
        first = bars.tasks[task].total != news.of
        # A bar without a total moves to and fro.
        bars.tasks[task].total = news.of
        bars.update(task, completed=news.steps, state=str(news), refresh=first)
    elif news.state in ("done", "broken"):
        bars.update(task, total=1, completed=int(news.state == "done"), state=str(news))
        bars.stop_task(task)
    else:
        bars.update(task, state=str(news))


@contextmanager
def _lines(there: Sequence[Framework]) -> Iterator[OnProgress]:
    """A line on all frameworks, every INTERVAL seconds."""
    latest = {chosen.name: Progress(chosen.name, "waiting") for chosen in there}
    over = Event()
    start = time.monotonic()

    def speak() -> None:
        while not over.wait(INTERVAL):
            seconds = time.monotonic() - start
            states = ", ".join(f"{name} {news}" for name, news in [*latest.items()])
            _tell(f"paramproof: {seconds:.0f} s: {states}\n")

    def take(news: Progress) -> None:
        latest[news.framework] = news

    speaker = Thread(target=speak, daemon=True)
    # Without a standard error, print would write to standard output.
    if sys.stderr:
        speaker.start()
    try:
        yield take
    finally:
        over.set()
        if sys.stderr:
            speaker.join()


def _tell(line: str) -> None:
    """Write to standard error, or to nobody.

    Not through its buffer: what could not be written would be tried again at exit, and fail.
    """
    with suppress(OSError):
        os.write(sys.stderr.fileno(), line.encode(sys.stderr.encoding, "replace"))
