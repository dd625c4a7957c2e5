"""Processes that end when their parent does.

``Child`` starts a module, and both communicate in lines of JSON: requests go to the child's
standard input, and its answers come from its standard output. The input stays open as a lifeline:
when it is closed, the child exits at once. That works however the parent ended, SIGKILL included,
and on every system. A process of ``multiprocessing`` does the same by ``end_with_parent``.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from queue import SimpleQueue
from typing import Any, Self

CHUNK = 1 << 16


class Child:
    """A process that runs ``python -m MODULE ARGUMENTS``, and is killed at the end of the context.

    It can import the same modules as this process, and gets ``environment`` in addition to this
    process's variables. With ``keeps_errors``, ``errors`` returns its standard error.
    """

    def __init__(
        self,
        module: str,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
        keeps_errors: bool = False,
    ) -> None:
        as_text = partial(tempfile.TemporaryFile, "w+", encoding="utf-8", errors="replace")
        self._errors = as_text() if keeps_errors else None
        path = os.pathsep.join(map(os.path.abspath, sys.path))
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", module, *arguments],
            env={**os.environ, "PYTHONPATH": path, **(environment or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            encoding="utf-8",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        with suppress(OSError), self._process:
            pass
        if self._errors:
            self._errors.close()

    def ask(self, request: Any) -> None:
        """Send ``request``, which is lost if the child has ended."""
        assert self._process.stdin is not None
        # On Windows, writing to a pipe without a reader is an invalid argument.
        with suppress(OSError):
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()

    def answers(self) -> Iterator[Any]:
        """Yield the child's answers until it ends, without an incomplete last line."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.endswith("\n"):
                yield json.loads(line)

    def wait(self) -> int:
        return self._process.wait()

    def errors(self) -> str:
        if not self._errors:
            return ""
        self._errors.seek(0)
        return self._errors.read()

    def kill(self) -> None:
        self._process.kill()

    @contextmanager
    def time_limit(self, seconds: float) -> Iterator[threading.Event]:
        """Kill the child after ``seconds`` in this context; the event is then set."""
        late = threading.Event()

        def end() -> None:
            late.set()
            self.kill()

        timer = threading.Timer(seconds, end)
        timer.start()
        try:
            yield late
        finally:
            timer.cancel()


class Parent:
    """The parent, as seen from the child: it sends requests and receives answers.

    Create it once, before anything else runs. From then on, standard input is empty, printed text
    goes to standard error, the parent alone receives Ctrl-C, and this process ends when it does.
    """

    def __init__(self) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self._requests: SimpleQueue[bytes] = SimpleQueue()
        source = os.dup(0)
        self._lines = os.fdopen(os.dup(1), "w", encoding="utf-8")
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        threading.Thread(target=self._listen, args=(source,), daemon=True).start()

    def request(self) -> Any:
        return json.loads(self._requests.get())

    def tell(self, data: Any) -> None:
        print(json.dumps(data), file=self._lines, flush=True)

    def _listen(self, source: int) -> None:
        # A thread that waits in sys.stdin holds a lock that Python needs at exit, so read directly.
        rest = b""
        while chunk := os.read(source, CHUNK):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                self._requests.put(line)
        os._exit(1)


def end_with_parent() -> None:
    """End this process of ``multiprocessing`` when its parent ends."""
    # Imported here, since most commands have no such process.
    from multiprocessing import parent_process

    def wait() -> None:
        if parent := parent_process():
            parent.join()
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def how_it_ended(status: int) -> str:
    """Return in words how a process ended: with a status, or by a signal."""
    if status >= 0:
        return f"with status {status}"
    try:
        return f"by {signal.Signals(-status).name}"
    except ValueError:
        return f"by signal {-status}"
