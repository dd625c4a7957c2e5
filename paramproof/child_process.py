"""Run functions in processes of their own, which end when this one does.

A function may ``tell`` messages to the parent; what it returns is its last one. All are pickled:
the function goes to the process's standard input, and messages come from its standard output. The
input stays open as a lifeline: when it is closed, the process exits at once. That works
however this process ended, SIGKILL included, and on every system. ``multiprocessing`` would import
the main module again, which may be a user's script; its forks end by ``end_with_parent``.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing, suppress
from itertools import islice
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, BinaryIO, NamedTuple, TypeVar

from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.printing import MAX_ERROR_SHOWN, legible

TICK = 0.2
"""Seconds between two looks at the clock; a limit may be exceeded by as much."""

SILENCE = 3600
"""Seconds after which a process that tells nothing is ended."""

PROGRAM = "from paramproof.child_process import main; main()"

TO_PARENT: list[BinaryIO] = []
"""Where a process writes messages to the process that started it; empty in any other process."""


def tell(message: Any) -> None:
    """Send a message to the process that started this one, if ``Process`` did."""
    for answers in TO_PARENT:
        answers.write(pickle.dumps(message))
        answers.flush()


class Refused(InvalidInput):
    """Raised, with one line, if code of the user's cannot be called, or ends badly."""


class Limit(NamedTuple):
    """A message: for ``seconds`` from now on, the user's code may run.

    If the time is up, the error is ``late``. If the process ends, it is ``ended``, how, ``where``.
    """

    seconds: float
    late: str
    ended: str
    where: str = ""


NO_LIMIT = Limit(0, "", "")
"""The message that our own code runs, which is ended after SILENCE."""


class Returned(NamedTuple):
    value: Any


class Process:
    """A process that runs ``job()``, and can import the same modules as this one."""

    def __init__(
        self,
        job: Callable[[], Any],
        limit: Limit = NO_LIMIT,
        *,
        environment: Mapping[str, str] = {},
        prints: bool = False,
    ) -> None:
        self.limit = limit
        self.is_done = self._is_late = False
        self.how = self.last_words = ""
        self._heard = time.monotonic()
        # Its standard error goes where this process's does, or is kept for its last words.
        self._errors = None if prints else tempfile.TemporaryFile()  # noqa: SIM115
        path = os.pathsep.join(map(os.path.abspath, sys.path))
        self._process = subprocess.Popen(
            [sys.executable, "-uPc", PROGRAM],
            env={**os.environ, "PYTHONPATH": path, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
        )
        assert self._process.stdin is not None
        # It may have ended. On Windows, a pipe without a reader is then an invalid argument.
        with suppress(OSError):
            self._process.stdin.write(pickle.dumps(pickle.dumps(job)))
            self._process.stdin.flush()

    def listen(self, news: SimpleQueue[tuple[Any, Any]]) -> None:
        assert self._process.stdout is not None
        # The last message may be cut short, and the parent closes the pipe when it ends a process.
        with suppress(EOFError, OSError, ValueError, pickle.UnpicklingError):
            while True:
                news.put((self, pickle.load(self._process.stdout)))
        news.put((self, None))

    def hear(self, message: Any) -> None:
        if isinstance(message, Limit):
            self.limit = message
        if isinstance(message, Limit) or not self.limit.late:
            self._heard = time.monotonic()
        self.is_done |= isinstance(message, Returned)
        if isinstance(message, Exception):
            raise message
        if message is None:
            self._note_end()

    def look_at_clock(self) -> None:
        if time.monotonic() - self._heard > (self.limit.seconds or SILENCE):
            self._is_late = True
            self._process.kill()

    def _note_end(self) -> None:
        status = self._process.wait()
        self.is_done &= not status
        self.how = f"ended {how_it_ended(status)}"
        if self._is_late:
            self.how = f"said nothing for {SILENCE:g} seconds"
        if self._errors and status > 0:
            self._errors.seek(0)
            self.last_words = last_line(self._errors.read().decode("utf-8", "replace"))
        self.end()
        if self.limit.late:
            ended = f"{self.limit.ended} {how_it_ended(status)}{self.limit.where}"
            raise Refused(self.limit.late if self._is_late else ended)

    def end(self) -> None:
        self._process.kill()
        with suppress(OSError), self._process:
            pass
        if self._errors:
            self._errors.close()


P = TypeVar("P", bound=Process)


def messages(processes: Iterable[P]) -> Generator[tuple[P, Any]]:
    """Yield each process with what it tells, and with None when it has ended.

    The next one starts, as it is made, when a processor is free. All end with the iterator.
    """
    waiting = iter(processes)
    running: list[P] = []
    news: SimpleQueue[tuple[P, Any]] = SimpleQueue()
    try:
        while True:
            for process in islice(waiting, (os.cpu_count() or 1) - len(running)):
                running.append(process)
                Thread(target=process.listen, args=(news,), daemon=True).start()
            if not running:
                return
            with suppress(Empty):
                process, message = news.get(timeout=TICK)
                process.hear(message)
                if message is None:
                    running.remove(process)
                if not isinstance(message, Limit):
                    yield process, message
            for process in running:
                process.look_at_clock()
    finally:
        for process in running:
            process.end()


def call(
    job: Callable[[], Any],
    limit: Limit = NO_LIMIT,
    note: Callable[[Any], None] = lambda message: None,
    *,
    prints: bool = False,
) -> Any:
    """Return what ``job`` does, called in a process; ``note`` takes what it tells."""
    process = Process(job, limit, prints=prints)
    with closing(messages([process])) as heard:
        for _, message in heard:
            if isinstance(message, Returned):
                return message.value
            if message is not None:
                note(message)
    raise RuntimeError(process.last_words or f"the process {process.how}")


def main() -> None:
    """Run the parent's job, with an empty standard input; printed text goes to standard error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    source = os.fdopen(os.dup(0), "rb")
    TO_PARENT.append(os.fdopen(os.dup(1), "wb"))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    job = pickle.load(source)

    def end_with_input() -> None:
        # A thread that waits in a file object holds a lock that Python needs at exit.
        os.read(source.fileno(), 1)
        os._exit(1)

    Thread(target=end_with_input, daemon=True).start()
    try:
        tell(Returned(pickle.loads(job)()))
    except Refused as error:
        tell(error)


def end_with_parent() -> None:
    """End this process of ``multiprocessing`` when its parent ends."""
    # Imported here, since most commands have no such process.
    from multiprocessing import parent_process

    def wait() -> None:
        if parent := parent_process():
            parent.join()
            os._exit(1)

    Thread(target=wait, daemon=True).start()


def how_it_ended(status: int) -> str:
    if status >= 0:
        return f"with status {status}"
    try:
        return f"by {signal.Signals(-status).name}"
    except ValueError:
        return f"by signal {-status}"


def last_line(errors: str) -> str:
    """Return the last line of a traceback, which names the error."""
    lines = [line for line in errors.splitlines() if line.strip()]
    return legible(lines[-1].strip(), MAX_ERROR_SHOWN) if lines else ""
