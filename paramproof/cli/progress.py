"""Progress while workers run, on standard error: bars, or in a pipe a line every few seconds."""

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
from paramproof.verify.workers import OnProgress, Progress

INTERVAL = 10.0
"""Seconds between two lines in a pipe; a shorter run prints none."""


@contextmanager
def shown_progress(installed: Sequence[Framework]) -> Iterator[OnProgress]:
    """Show the progress of each framework's worker; yield the function that receives it."""
    on_terminal = errors.is_terminal and not errors.is_dumb_terminal
    with _bars(installed) if on_terminal else _lines(installed) as take:
        yield take


@contextmanager
def _bars(installed: Sequence[Framework]) -> Iterator[OnProgress]:
    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[state]}")
    with Bars(*columns, TimeElapsedColumn(), console=errors) as bars:
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


@contextmanager
def _lines(installed: Sequence[Framework]) -> Iterator[OnProgress]:
    latest = {chosen.name: Progress(chosen.name, "waiting") for chosen in installed}
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
    """Write to standard error, and ignore a failure.

    The buffer is bypassed: text that could not be written would fail again at exit.
    """
    with suppress(OSError):
        os.write(sys.stderr.fileno(), line.encode(sys.stderr.encoding, "replace"))
