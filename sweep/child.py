"""A type derived in a process of its own, which may end, and takes no longer than it is given.

The process is a copy of this one, so that transformers is imported once.
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
import warnings
from pathlib import Path
from typing import Any

import transformers

from paramproof.sources.reference import in_one_line
from sweep.one import OutOfTime, Sweep

SPARE = 3
"""How much more of the processor's time than it is told a process may take before it is ended."""

LONGEST = 3600.0
"""Seconds after which a process that waits is ended."""

OVER = 1.5
"""How much more of the processor's time the class may take that is begun before it is over."""

SITE = re.compile(r"\S*site-packages/")


def in_a_child(model_type: str, seconds: float) -> dict[str, Any]:
    """Derive a type; return its ``entry`` if there is one, and what ``failed`` by its name."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder, "result.json")
        process = multiprocessing.get_context("fork").Process(
            target=_derive, args=(model_type, seconds, result)
        )
        process.start()
        process.join(LONGEST)
        if process.is_alive():
            process.kill()
            process.join()
        if process.exitcode in (-signal.SIGKILL, -signal.SIGXCPU):
            return {"failed": {model_type: f"not derived within {seconds * SPARE:g} seconds"}}
        if not result.exists():
            return {"failed": {model_type: f"the process ended with status {process.exitcode}"}}
        found: dict[str, Any] = json.loads(result.read_text("utf-8"))
        return found


def _out_of_time(*_: object) -> None:
    raise OutOfTime


def _derive(model_type: str, seconds: float, result: Path) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Thousands of models are made and thrown away; of what was there before nothing will be.
    gc.freeze()
    gc.set_threshold(200_000)
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    found: dict[str, Any] = {"failed": {}}
    signal.signal(signal.SIGPROF, _out_of_time)
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds * SPARE), int(seconds * SPARE) + 1))
    # Again and again: what is raised while something is deleted is lost.
    signal.setitimer(signal.ITIMER_PROF, seconds * OVER, seconds / 4)
    try:
        sweep = Sweep(model_type, lambda _: None, seconds)
        found["failed"] = sweep.failed
        found["entry"] = sweep.run()
    except BaseException as error:  # Anybody's constructor may raise anything.
        found["failed"] = {model_type: in_one_line(error), **found["failed"]}
    found["failed"] = {
        name: SITE.sub("", " ".join(why.split()))[:400] for name, why in found["failed"].items()
    }
    result.write_text(json.dumps(found), "utf-8")
    os._exit(0)
