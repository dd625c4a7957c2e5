"""Types, each in a process of its own, which may end, and takes no longer than it is given.

The process is a copy of this one, so that transformers is imported once, and what most of its
models import.
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

from paramproof.catalogue.files import read_type
from sweep.comparing import differences
from sweep.failure import NO_TIME, Failure, Reason
from sweep.finding import Finding, Kind
from sweep.kinds import Kinds
from sweep.one import OutOfTime
from sweep.refreshing import Refresh
from sweep.store import read
from sweep.understanding import understood

Found = dict[str, Any]
Work = Callable[[str, float, Found], None]

SPARE = 3
"""How much more of the processor's time than it is told a process may take before it is ended."""

LONGEST = 3600.0
"""Seconds after which a process that waits is ended."""

OVER = 1.5
"""How much more of the processor's time the class may take that is begun before it is over."""

SITE = re.compile(r"\S*site-packages/")


class _Child(NamedTuple):
    model_type: str
    process: BaseProcess
    result: Path
    started: float


def compared(model_type: str, seconds: float, found: Found) -> None:
    """Derive a type again: its ``differences`` from what is written, and what is ``held`` alone."""
    there: list[list[str]] = []
    held: list[str] = []
    found |= {"differences": there, "held": held}
    for one in differences(read_type(model_type), seconds, held):
        there.append(one.data)


def refreshed(model_type: str, seconds: float, found: Found) -> None:
    """Derive a type again: its ``entry`` with what is new, what is ``left``, and what is ``lost``.

    The ``summary`` says how many are proved.
    """
    data = read(model_type)
    assert data
    refresh = Refresh(data, seconds)
    refresh.run()
    found |= {"entry": refresh.data, "summary": refresh.summary}
    found |= {"left": refresh.left, "lost": refresh.lost}


def with_reads(model_type: str, seconds: float, found: Found) -> None:
    """Find what the classes of a type read: its ``entry`` with what is new."""
    data = read(model_type)
    assert data
    found["entry"] = understood(data)


def with_kinds(model_type: str, seconds: float, found: Found) -> None:
    """Find the lists whose kinds decide: the type's ``entry`` with variants that count them."""
    data = read(model_type)
    assert data
    kinds = Kinds(data, seconds)
    found["changed"] = kinds.run()
    found["failed"] |= kinds.failed
    found["entry"] = kinds.data


def with_biases(model_type: str, seconds: float, found: Found) -> None:
    """Add variants of the biases that the type's file has at one value: its ``entry`` with them."""
    data = read(model_type)
    assert data
    kinds = Kinds(data, seconds, count=False)
    found["changed"] = kinds.run()
    found["failed"] |= kinds.failed
    found["entry"] = kinds.data


def otherwise(found: Found) -> list[Finding]:
    """Return what ``compared`` has found, and why a type could not be derived again."""
    failed = (Finding(Kind.FAILED, one.why) for one in found["failed"].values())
    return [*map(Finding.read, found.get("differences", ())), *failed]


def in_children(
    names: Sequence[str], work: Work, seconds: float, at_a_time: int
) -> Iterator[tuple[str, Found, float]]:
    """Do the work for each type; yield what is found as it ends, and the seconds that it took.

    What could not be done is in ``failed``, by the type: a ``Failure``.
    """
    left, children = list(reversed(names)), dict[int, _Child]()
    with tempfile.TemporaryDirectory() as folder:
        while left or children:
            while left and len(children) < at_a_time:
                child = _begun(left.pop(), work, seconds, Path(folder))
                children[child.process.sentinel] = child
            oldest = min(child.started for child in children.values())
            wait(list(children), oldest + LONGEST - time.monotonic())
            for sentinel, child in list(children.items()):
                took = time.monotonic() - child.started
                if child.process.is_alive():
                    if took < LONGEST:
                        continue
                    child.process.kill()
                child.process.join()
                del children[sentinel]
                yield child.model_type, _result(child, seconds), took


def _begun(model_type: str, work: Work, seconds: float, folder: Path) -> _Child:
    result = folder / f"{model_type}.json"
    process = multiprocessing.get_context("fork").Process(
        target=_run, args=(work, model_type, seconds, result)
    )
    process.start()
    return _Child(model_type, process, result, time.monotonic())


def _result(child: _Child, seconds: float) -> Found:
    status = child.process.exitcode
    if status in (-signal.SIGKILL, -signal.SIGXCPU):
        why = f"not derived within {seconds * SPARE:g} seconds"
        return {"failed": {child.model_type: Failure(Reason.NO_TIME, why)}}
    if not child.result.exists():
        why = f"the process ended with status {status}"
        return {"failed": {child.model_type: Failure(Reason.ERROR, why)}}
    found: Found = json.loads(child.result.read_text("utf-8"))
    return {**found, "failed": {name: Failure.read(one) for name, one in found["failed"].items()}}


def _out_of_time(*_: object) -> None:
    raise OutOfTime


def _run(work: Work, model_type: str, seconds: float, result: Path) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Thousands of models are made and thrown away; of what was there before nothing will be.
    gc.freeze()
    gc.set_threshold(200_000)
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    found: Found = {"failed": {}}
    signal.signal(signal.SIGPROF, _out_of_time)
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds * SPARE), int(seconds * SPARE) + 1))
    # Again and again: what is raised while something is deleted is lost.
    signal.setitimer(signal.ITIMER_PROF, seconds * OVER, seconds / 4)
    try:
        work(model_type, seconds, found)
    except BaseException as error:  # Anybody's constructor may raise anything.
        signal.setitimer(signal.ITIMER_PROF, 0)
        failure = NO_TIME if isinstance(error, OutOfTime) else Failure.of(error)
        found["failed"] = {model_type: failure, **found["failed"]}
    failed = {name: _cut(failure).data for name, failure in found["failed"].items()}
    result.write_text(json.dumps({**found, "failed": failed}), "utf-8")
    os._exit(0)


def _cut(failure: Failure) -> Failure:
    """Return a failure in one line without the paths of this machine."""
    return failure._replace(why=SITE.sub("", " ".join(failure.why.split()))[:400])
