"""Run a job for every framework, each in a process of its own.

Environment variables, peak memory and crashes stay in the worker, and nothing changes in the
calling process. A worker sends its records, how far it is and, before it calls code of the user's,
what it calls and how long that may take. So whoever ends or hangs a worker is named in one line:
the framework, whose last record is then ``broken``, or the user's code, which is refused.
"""

from __future__ import annotations

import os
import pickle
import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Generic, NamedTuple, Self, TypeAlias, TypeVar

from paramproof.builders.registry import Framework
from paramproof.child_process import Child, how_it_ended
from paramproof.formulas.printing import legible
from paramproof.sources.reference import MAX_ERROR_SHOWN

R = TypeVar("R", bound="Record")

TICK = 0.2
"""Seconds between two looks at the clock; a limit may be exceeded by as much."""

SILENCE = 3600
"""Seconds after which a worker that sends nothing is ended."""


class FormulaRefused(ValueError):
    """Raised, with one line, if a formula cannot be called or does not return a count."""


@dataclass(frozen=True, slots=True)
class Record:
    """A result about ``framework``, made of dicts, tuples and scalars."""

    framework: str

    @property
    def failed(self) -> bool:
        """Whether this result contradicts the formula, or the framework broke."""
        return False

    @classmethod
    def broken(cls, framework: Framework, reason: str) -> Self:
        """Return the record for a worker that died; without a framework, the mistake is ours."""
        raise RuntimeError(reason)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Return the record that ``as_json`` wrote; JSON has lists where a record has tuples."""
        fields: Any = {k: tuple(v) if isinstance(v, list) else v for k, v in data.items()}
        return cls(**fields)


@dataclass(frozen=True, slots=True)
class Job(Generic[R]):
    """A function to call in a worker, to which it is sent pickled.

    It takes the framework, its builder and, as ``link``, the worker's; it yields ``record``s.
    """

    function: Callable[..., Iterator[R]]
    record: type[R]


class Progress(NamedTuple):
    """The progress of a worker: its ``state`` in words, and ``done`` of ``due`` steps.

    A step is a record, or what the job counts. ``due`` is None if nobody knows.
    """

    framework: str
    state: str
    done: int = 0
    due: int | None = 1


OnProgress: TypeAlias = Callable[[Progress], None]


def run_in_workers(
    frameworks: Sequence[Framework],
    job: Job[R],
    on_progress: OnProgress = lambda progress: None,
) -> Iterator[R]:
    """Run ``job`` in a worker for each of ``frameworks``; yield the records as they come.

    One worker runs per processor, slow frameworks first. If a worker dies, hangs, or sends fewer or
    more records than it said, its last record is ``broken``. Raises ``FormulaRefused`` for a
    mistake in the user's code, and ends all workers.
    """
    waiting = sorted(frameworks, key=lambda framework: not framework.slow)
    running: list[_Worker[R]] = []
    news: SimpleQueue[tuple[_Worker[R], Any]] = SimpleQueue()
    try:
        while waiting or running:
            while waiting and len(running) < (os.cpu_count() or 1):
                running.append(_Worker(waiting.pop(0), job, on_progress))
                Thread(target=running[-1].listen, args=(news,), daemon=True).start()
            try:
                worker, message = news.get(timeout=TICK)
            except Empty:
                pass
            else:
                yield from worker.take(message)
                if message is None:
                    running.remove(worker)
            for worker in running:
                worker.look_at_clock()
    finally:
        for worker in running:
            worker.child.__exit__()


class _Worker(Generic[R]):
    def __init__(self, framework: Framework, job: Job[R], on_progress: OnProgress) -> None:
        self.framework = framework
        self.job = job
        self.on_progress = on_progress
        self.came = self.steps = 0
        self.due: int | None = None
        self.is_done = self.is_late = False
        self.calling = self.where = ""
        self.limit: float = SILENCE
        self.heard = time.monotonic()
        self.on_progress(Progress(framework.name, "importing"))
        # Without a framework, all that is printed is what the user's code prints.
        self.child = Child(
            "paramproof.verify.worker",
            framework.name,
            environment=framework.environment,
            keeps_errors=bool(framework.name),
        )
        self.child.ask(b64encode(pickle.dumps(job.function)).decode())

    def listen(self, news: SimpleQueue[tuple[_Worker[R], Any]]) -> None:
        """Put each message in ``news``, and None when the process has ended."""
        # When the parent ends a worker, it closes the pipe.
        with suppress(OSError, ValueError):
            for message in self.child.answers():
                news.put((self, message))
        news.put((self, None))

    def look_at_clock(self) -> None:
        if time.monotonic() - self.heard > self.limit:
            self.is_late = True
            self.child.kill()

    def take(self, message: dict[str, Any] | None) -> Iterator[R]:
        """Yield the record in a message, if any. Raises ``FormulaRefused``."""
        self.heard = time.monotonic()
        match message:
            case None:
                yield from self._ended()
            case {"record": record}:
                self.came += 1
                if self.due is None:
                    self._moved(self.came, None)
                yield self.job.record.from_json(record)
            case {"steps": [done, due]}:
                self._moved(done, due)
            case {"done": number}:
                self.is_done = number == self.came
            case {"refused": reason}:
                raise FormulaRefused(reason)
            case {"calling": name, "where": where, "limit": limit}:
                self.calling, self.where, self.limit = name, where, limit or SILENCE

    def _moved(self, done: int, due: int | None) -> None:
        self.steps, self.due = done, due
        state = f"{done}" if due is None else f"{done} of {due}"
        self.on_progress(Progress(self.framework.name, state, done, due))

    def _ended(self) -> Iterator[R]:
        status = self.child.wait()
        last_words = last_line(self.child.errors()) if status > 0 else ""
        self.child.__exit__()
        if self.calling:
            how = f"does not return within {self.limit:g} seconds"
            ended = how if self.is_late else f"ended its process {how_it_ended(status)}"
            raise FormulaRefused(f"{self.calling} {ended} {self.where}")
        name, due = self.framework.name, self.due
        if not status and self.is_done and self.steps == (due or self.steps):
            self.on_progress(Progress(name, "done", 1))
            return
        self.on_progress(Progress(name, "broken"))
        how = f"the worker ended {how_it_ended(status)}"
        if self.is_late:
            how = f"the worker said nothing for {self.limit:g} seconds"
        number = f"{self.steps} of {due} results" if due else f"{self.steps} results"
        yield self.job.record.broken(self.framework, last_words or f"{how} after {number}")


def last_line(errors: str) -> str:
    """Return the last line of a traceback, which names the error."""
    lines = [line for line in errors.splitlines() if line.strip()]
    return legible(lines[-1].strip(), MAX_ERROR_SHOWN) if lines else ""
