"""A pool of processes, one for each model type, with a time limit.

Each process is a fork of this one, so that transformers, and what most of its models import, is
imported once.
"""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import re
import resource
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NamedTuple

import transformers
import transformers.generation.utils
import transformers.image_processing_utils
import transformers.masking_utils
import transformers.models.auto.tokenization_auto
import transformers.processing_utils

from paramproof.child_process import end_with_parent
from paramproof.sources.reference import in_one_line

Result = dict[str, Any]
Work = Callable[[str, float, Result], None]

HARD_LIMIT = 3
"""The CPU time at which the kernel kills a process, as a multiple of its budget."""

MAX_WAIT = 3600.0
"""The seconds after which a process that waits for something is killed."""

SOFT_LIMIT = 1.5
"""The CPU time at which a process stops its current class, as a multiple of its budget."""

SITE_PACKAGES = re.compile(r"\S*site-packages/")


class OutOfTime(BaseException):
    """The time of a process is over; no constructor raises this."""


class _Child(NamedTuple):
    model_type: str
    process: BaseProcess
    result: Path
    started: float


def run_in_processes(
    names: Sequence[str], work: Work, seconds: float
) -> Iterator[tuple[str, Result, float]]:
    """Run a job for each type, and yield its result and duration as it ends.

    ``failed`` in a result says why a type, or a class of it, could not be processed.
    """
    fork = multiprocessing.get_context("fork")
    left, children = list(reversed(names)), dict[int, _Child]()
    with tempfile.TemporaryDirectory() as folder:
        while left or children:
            while left and len(children) < len(os.sched_getaffinity(0)):
                name = left.pop()
                result = Path(folder, f"{name}.json")
                process = fork.Process(target=_run, args=(work, name, seconds, result))
                process.start()
                children[process.sentinel] = _Child(name, process, result, time.monotonic())
            oldest = min(child.started for child in children.values())
            wait(list(children), oldest + MAX_WAIT - time.monotonic())
            for sentinel, child in list(children.items()):
                took = time.monotonic() - child.started
                if child.process.is_alive():
                    if took < MAX_WAIT:
                        continue
                    child.process.kill()
                child.process.join()
                del children[sentinel]
                yield child.model_type, _read_result(child, seconds), took


def _read_result(child: _Child, seconds: float) -> Result:
    if child.result.exists():
        return dict(json.loads(child.result.read_text("utf-8")))
    status = child.process.exitcode
    why = f"the process ended with status {status}"
    if status in (-signal.SIGKILL, -signal.SIGXCPU):
        why = f"it took more than {seconds * HARD_LIMIT:g} seconds"
    return {"failed": {child.model_type: why}}


def _raise_out_of_time(*_: object) -> None:
    raise OutOfTime("no time was left")


def _run(work: Work, model_type: str, seconds: float, result: Path) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    end_with_parent()
    # The process builds and drops thousands of models, but keeps everything from before the fork.
    gc.freeze()
    gc.set_threshold(200_000)
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    warnings.simplefilter("ignore")
    # A class that refuses something gives an answer here, which needs no message.
    transformers.logging.set_verbosity(transformers.logging.CRITICAL)
    data: Result = {"failed": {}}
    signal.signal(signal.SIGPROF, _raise_out_of_time)
    resource.setrlimit(
        resource.RLIMIT_CPU, (int(seconds * HARD_LIMIT), int(seconds * HARD_LIMIT) + 1)
    )
    # The timer repeats, since Python drops an exception that is raised in a destructor.
    signal.setitimer(signal.ITIMER_PROF, seconds * SOFT_LIMIT, seconds / 4)
    try:
        work(model_type, seconds, data)
    except BaseException as error:  # Report any error, including OutOfTime, to the parent.
        signal.setitimer(signal.ITIMER_PROF, 0)
        data["failed"] = {model_type: reason(error), **data["failed"]}
    result.write_text(json.dumps(data), "utf-8")
    os._exit(0)


def reason(error: BaseException) -> str:
    """Return an error on one line, without the paths of this machine."""
    return SITE_PACKAGES.sub("", in_one_line(error))[:400]
