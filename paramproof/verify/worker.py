"""The worker process of one framework: ``python -m paramproof.verify.worker FRAMEWORK``.

The request is a job, a pickled function. The worker reports the steps that the job counts, each
record at once, and at the end the number of records, so that the parent can tell a job that is done
from one that was cut off. Without a FRAMEWORK, the job gets no builder.
"""

from __future__ import annotations

import gc
import pickle
import sys
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paramproof.builders.protocol import Builder
from paramproof.builders.registry import Framework, framework
from paramproof.child_process import Parent
from paramproof.sources.reference import in_one_line
from paramproof.verify.workers import FormulaRefused


@dataclass(frozen=True, slots=True)
class Link:
    """A job's way to send messages to the parent; by default, nobody listens.

    ``catches`` are the errors of a user's code: in a worker all, since no Ctrl-C reaches it.
    """

    tell: Callable[[dict[str, Any]], None] = lambda message: None
    catches: tuple[type[BaseException], ...] = (Exception, SystemExit)

    def steps(self, done: int, due: int | None) -> None:
        """Say how many steps are done, and of how many; None if nobody knows."""
        self.tell({"steps": [done, due]})

    @contextmanager
    def calling(self, name: str, where: str, seconds: float) -> Iterator[None]:
        """Say that the user's code is called in this context, for ``seconds`` at most.

        Raises ``FormulaRefused`` for anything that the code raises.
        """
        self.tell({"calling": name, "where": where, "limit": seconds})
        try:
            yield
        except FormulaRefused:
            raise
        except self.catches as error:
            raise FormulaRefused(f"{name} raised {in_one_line(error)} {where}") from error
        finally:
            self.tell({"calling": "", "where": "", "limit": 0})


NO_PARENT = Link()
"""The link of a job that runs in the calling process."""


def main() -> None:
    parent = Parent()
    job = pickle.loads(b64decode(parent.request()))
    chosen = framework(sys.argv[1]) if sys.argv[1] else None
    builder = load_builder(chosen) if chosen else None
    done = 0
    try:
        for record in job(chosen, builder, link=Link(parent.tell, (BaseException,))):
            parent.tell({"record": record.as_json()})
            done += 1
    except FormulaRefused as error:
        parent.tell({"refused": str(error)})
    parent.tell({"done": done})


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


if __name__ == "__main__":
    main()
