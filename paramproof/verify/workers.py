"""Call a function for every framework, each in a process of its own.

Environment variables, peak memory and crashes stay in the worker, and nothing changes in the
calling process. A worker sends its records, how many are due and, before it calls code of the
user's, how long that may take (``Limit``). So whoever ends or hangs a worker is named in one line:
the framework, whose last record is then ``broken``, or the user's code, which is refused.
"""

from __future__ import annotations

import gc
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeAlias, TypeVar

from paramproof.builders.protocol import Builder
from paramproof.builders.registry import Framework, framework
from paramproof.child_process import Process, messages, tell

R = TypeVar("R", bound="Record")

OnProgress: TypeAlias = Callable[[str, str, int, int | None], None]
"""Takes a framework's name, the state of its worker in words, its results, and how many are due."""


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


def run_in_workers(
    frameworks: Sequence[Framework],
    function: Callable[..., Iterator[R]],
    record: type[R],
    on_progress: OnProgress = lambda framework, state, done, due: None,
    **about: Any,
) -> Iterator[R]:
    """Call ``function`` in a worker for each of ``frameworks``; yield its records as they come.

    It is sent pickled, takes the framework, its builder, and what it is ``about``, and may tell how
    many records are due. One worker runs per processor, slow frameworks first. If a worker dies,
    hangs, or sends fewer or more records than it said, its last record is ``broken``. Raises
    ``Refused`` for a mistake in the user's code, and ends all workers.
    """
    called = partial(function, **about)
    chosen: dict[Process, Framework] = {}
    done, due = Counter[Process](), dict[Process, int]()

    def start() -> Iterator[Process]:
        for one in sorted(frameworks, key=lambda framework: not framework.slow):
            on_progress(one.name, "importing", 0, None)
            process = Process(partial(_work, called, one.name), environment=one.environment)
            chosen[process] = one
            yield process

    with closing(messages(start())) as heard:
        for process, message in heard:
            if isinstance(message, int):
                due[process] = message
            elif isinstance(message, record):
                done[process] += 1
                yield message
            elif message is not None:
                continue
            one = chosen[process]
            number = f"{done[process]}{f' of {due[process]}' if process in due else ''}"
            if message is not None:
                on_progress(one.name, number, done[process], due.get(process))
            elif process.is_done and due.get(process) in (None, done[process]):
                on_progress(one.name, "done", 1, 1)
            else:
                on_progress(one.name, "broken", 0, 1)
                reason = f"the worker {process.how} after {number} results"
                yield record.broken(one, process.last_words or reason)


def _work(function: Callable[..., Iterator[Record]], name: str) -> None:
    chosen = framework(name)
    for record in function(chosen, load_builder(chosen)):
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
    """Return the peak resident memory of this process in bytes; 0 on Windows."""
    status = Path("/proc/self/status")
    if status.exists():  # On Linux, ``ru_maxrss`` starts at the parent's size.
        for line in status.read_bytes().splitlines():
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) * 1024
    try:
        import resource
    except ImportError:
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
