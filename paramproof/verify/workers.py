"""Run a job for every framework, each in a process of its own.

Environment variables, peak memory and crashes stay in the worker, and nothing changes in the
calling process. A worker sends its records, how far it is and, before it calls code of the user's,
how long that may take (``Limit``). So whoever ends or hangs a worker is named in one line: the
framework, whose last record is then ``broken``, or the user's code, which is refused.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, NamedTuple, Self, TypeAlias, TypeVar

from paramproof.builders.protocol import Builder
from paramproof.builders.registry import Framework, framework
from paramproof.child_process import Process, Tell, messages

R = TypeVar("R", bound="Record")


@dataclass(frozen=True, slots=True)
class Record:
    """A result about ``framework``, made of plain data."""

    framework: str

    @classmethod
    def broken(cls, framework: Framework, reason: str) -> Self:
        """Return the record for a worker that died."""
        raise NotImplementedError

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Job(Generic[R]):
    """A function to call in a worker, to which it is sent pickled.

    It takes the framework, its builder and ``tell``; it yields ``record``s, and tells ``Steps``.
    """

    function: Callable[..., Iterator[R]]
    record: type[R]


class Steps(NamedTuple):
    """A message: so many steps of a job are ``done``, of those ``due``, or None if nobody knows.

    A step is a record, or what the job counts.
    """

    done: int = 0
    due: int | None = 1


OnProgress: TypeAlias = Callable[[str, str, Steps], None]
"""Takes the name of a framework, the state of its worker in words, and its steps."""


def nobody(message: Any) -> None:
    """Tell a message to nobody, in a job that runs in the calling process."""


def run_in_workers(
    frameworks: Sequence[Framework],
    job: Job[R],
    on_progress: OnProgress = lambda framework, state, steps: None,
) -> Iterator[R]:
    """Run ``job`` in a worker for each of ``frameworks``; yield the records as they come.

    One worker runs per processor, slow frameworks first. If a worker dies, hangs, or sends fewer or
    more records than it said, its last record is ``broken``. Raises ``Refused`` for a mistake in
    the user's code, and ends all workers.
    """
    ordered = sorted(frameworks, key=lambda framework: not framework.slow)
    with closing(messages(_Worker(one, job, on_progress) for one in ordered)) as heard:
        for worker, message in heard:
            yield from worker.take(message)


class _Worker(Process, Generic[R]):
    def __init__(self, framework: Framework, job: Job[R], on_progress: OnProgress) -> None:
        self.framework, self.record, self.on_progress = framework, job.record, on_progress
        self.steps = Steps(0, None)
        on_progress(framework.name, "importing", Steps())
        work = partial(_work, job.function, framework.name)
        super().__init__(work, environment=framework.environment)

    def take(self, message: Any) -> Iterator[R]:
        """Yield the record in a message, if any."""
        if isinstance(message, Steps):
            self._move(message)
        elif isinstance(message, self.record):
            if self.steps.due is None:
                self._move(Steps(self.steps.done + 1, None))
            yield message
        elif message is None:
            yield from self._ended()

    def _move(self, steps: Steps) -> None:
        self.steps = steps
        state = f"{steps.done}" if steps.due is None else f"{steps.done} of {steps.due}"
        self.on_progress(self.framework.name, state, steps)

    def _ended(self) -> Iterator[R]:
        name, (done, due) = self.framework.name, self.steps
        if self.is_done and done == (due or done):
            self.on_progress(name, "done", Steps(1))
            return
        self.on_progress(name, "broken", Steps())
        number = f"{done} of {due} results" if due else f"{done} results"
        reason = self.last_words or f"the worker {self.how} after {number}"
        yield self.record.broken(self.framework, reason)


def _work(function: Callable[..., Iterator[Record]], name: str, tell: Tell) -> None:
    chosen = framework(name)
    for record in function(chosen, load_builder(chosen), tell=tell):
        tell(record)


def load_builder(chosen: Framework) -> Builder:
    """Load the framework's builder, in a process that serves no other framework."""
    builder = chosen.load()
    # A full garbage collection visits every live object. The hundreds of thousands that the import
    # of a framework creates are never freed, so the collector can skip them.
    gc.collect()
    gc.freeze()
    return builder


def peak_memory() -> int:
    """Return the peak resident memory of this process in bytes; 0 on Windows.

    On Linux the figure comes from /proc, since ``ru_maxrss`` starts at the parent's size there.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_bytes().splitlines():
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) * 1024
    try:
        import resource
    except ImportError:
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
