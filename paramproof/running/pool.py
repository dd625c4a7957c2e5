"""Do a job in every framework, each in a worker process of its own.

A worker has its own environment variables, memory figure and crash. Nothing is set in the
process of whoever calls this.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from paramproof.builders.registry import Framework
from paramproof.formulas.printing import legible
from paramproof.running.jobs import Job, R, written
from paramproof.sources.reference import MAX_ERROR_SHOWN


def run_in_workers(
    frameworks: Sequence[Framework],
    job: Job[R],
    on_record: Callable[[R], None] = lambda record: None,
) -> list[R]:
    """Do ``job`` in a worker for each of ``frameworks``; return its records in their order.

    As many workers run at once as there are processors, slow frameworks first. ``on_record``
    is called from their threads as records come in. A worker that dies gives a last record
    that is ``broken``.
    """
    running: list[subprocess.Popen[str]] = []

    def collect(framework: Framework) -> list[R]:
        records = []
        for found in _records(framework, job, running):
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
    framework: Framework, job: Job[R], running: list[subprocess.Popen[str]]
) -> Iterator[R]:
    record: Any = job.record
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
                worker.stdin.write(json.dumps(written(job)))
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
        return legible(lines[-1].strip(), MAX_ERROR_SHOWN)
    return f"the worker ended with status {status}"
