"""Every framework, each in a worker process of its own, over specs or over every size.

A worker has its own environment variables, memory figure and crash. Nothing is set in the
process of whoever calls this.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, Self, TypeVar

from paramproof.builders.registry import Framework
from paramproof.checking.result import Result
from paramproof.differences.answer import Cell
from paramproof.formulas import FAMILIES, Spec
from paramproof.formulas.families import spec_fields
from paramproof.proof.prove import Proof


def verify(
    frameworks: Sequence[Framework],
    models: Mapping[str, Spec],
    *,
    examples: int,
    seed: int,
    families: Sequence[str] = tuple(FAMILIES),
    formula: str = "",
    on_result: Callable[[Result], None] = lambda result: None,
) -> list[Result]:
    """Results in the order of ``frameworks``: named models first, then random specs.

    There are ``examples`` of these of each of the ``families`` that a framework can express.
    ``formula`` names a stranger's, MODULE:FUNCTION, to be held in place of this project's.

    As many workers run at once as there are processors. ``on_result`` is called from their
    threads as results come in. A worker that dies gives a last result that is ``broken``.
    """
    job = {
        "models": {name: spec_fields(spec) for name, spec in models.items()},
        "examples": examples,
        "families": list(families),
        "seed": seed,
        "formula": formula,
    }
    return in_workers(frameworks, job, Result, on_result)


def prove_all(
    frameworks: Sequence[Framework], on_proof: Callable[[Proof], None] = lambda proof: None
) -> list[Proof]:
    """A proof for each of ``frameworks``, in their order; otherwise as ``verify``."""
    return in_workers(frameworks, {"prove": True}, Proof, on_proof)


def all_differences(
    frameworks: Sequence[Framework], on_cell: Callable[[Cell], None] = lambda cell: None
) -> list[Cell]:
    """Every cell of each of ``frameworks``, in their order; otherwise as ``verify``."""
    return in_workers(frameworks, {"differences": True}, Cell, on_cell)


class Record(Protocol):
    """What a worker writes, a line of JSON each."""

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The record in ``data``."""
        ...

    @classmethod
    def broken(cls, framework: Framework, reason: str) -> Self:
        """The record of a worker that died."""
        ...


R = TypeVar("R", bound=Record)


def in_workers(
    frameworks: Sequence[Framework],
    job: dict[str, Any],
    record: type[R],
    on_record: Callable[[R], None],
) -> list[R]:
    """The records of ``job`` from every framework's worker. Slow frameworks start first."""
    running: list[subprocess.Popen[str]] = []

    def collect(framework: Framework) -> list[R]:
        records = []
        for found in _records(framework, json.dumps(job), record, running):
            on_record(found)
            records.append(found)
        return records

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        try:
            started = sorted(frameworks, key=lambda framework: not framework.slow)
            futures = {framework.name: pool.submit(collect, framework) for framework in started}
            return [found for chosen in frameworks for found in futures[chosen.name].result()]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in running:
                worker.kill()


def _records(
    framework: Framework, job: str, record: type[R], running: list[subprocess.Popen[str]]
) -> Iterator[R]:
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        worker = subprocess.Popen(
            [sys.executable, "-P", "-m", "paramproof.running.worker", framework.name],
            env=_environment(framework),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            encoding="utf-8",
        )
        running.append(worker)
        with worker:
            assert worker.stdin is not None
            assert worker.stdout is not None
            try:
                worker.stdin.write(job)
                worker.stdin.close()
            except BrokenPipeError:
                pass  # It died before reading; its exit status says so below.
            for line in worker.stdout:
                yield record.from_json(json.loads(line))
        if worker.returncode:
            errors.seek(0)
            yield record.broken(framework, _last_words(errors.read(), worker.returncode))


def _environment(framework: Framework) -> dict[str, str]:
    """The worker's variables: ours, the framework's, and the modules that we see."""
    path = os.pathsep.join(map(os.path.abspath, sys.path))
    return {**os.environ, "PYTHONPATH": path, **framework.environment}


def _last_words(errors: str, status: int) -> str:
    """The line of a traceback that names the error, or how the process ended."""
    lines = [line for line in errors.splitlines() if line.strip()]
    if status > 0 and lines:
        return lines[-1].strip()
    return f"the worker ended with status {status}"
