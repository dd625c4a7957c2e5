"""Run a job in every framework, each in a worker process of its own.

Environment variables, peak memory and crashes stay in the worker, and nothing changes in the
calling process.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import partial
from threading import Lock
from typing import Any

from paramproof.builders.registry import Framework
from paramproof.child_process import Child, how_it_ended
from paramproof.formulas.printing import legible
from paramproof.sources.reference import MAX_ERROR_SHOWN
from paramproof.workers.jobs import Job, R, written
from paramproof.workers.progress import OnProgress, Progress

WORKER = "paramproof.workers.worker"


class Workers:
    """The worker processes; after ``end``, no new one starts."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._children: list[Child] | None = []

    def start(self, framework: Framework, module: str = WORKER) -> AbstractContextManager[Child]:
        """Start a worker of ``framework``; raise ``RuntimeError`` after ``end``."""
        with self._lock:
            if self._children is None:
                raise RuntimeError("the workers have been ended")
            variables = framework.environment
            child = Child(module, framework.name, environment=variables, keeps_errors=True)
            self._children.append(child)
            return child

    def end(self) -> None:
        """Kill every worker."""
        with self._lock:
            children, self._children = self._children or [], None
        for child in children:
            child.kill()


def run_in_workers(
    frameworks: Sequence[Framework],
    job: Job[R],
    on_progress: OnProgress = lambda progress: None,
) -> list[R]:
    """Run ``job`` in a worker for each of ``frameworks``; return the records in that order.

    One worker runs per processor, slow frameworks first. ``on_progress`` is called first for every
    framework, as waiting, and then from several threads. If a worker dies or sends fewer or more
    records than were due, its last record is ``broken``.
    """
    workers = Workers()
    for framework in frameworks:
        on_progress(Progress(framework.name, "waiting"))

    def collect(framework: Framework) -> list[R]:
        return _records(framework, job, workers, on_progress)

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        try:
            started = sorted(frameworks, key=lambda framework: not framework.slow)
            futures = {framework.name: pool.submit(collect, framework) for framework in started}
            return [found for chosen in frameworks for found in futures[chosen.name].result()]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            workers.end()


def _records(
    framework: Framework, job: Job[R], workers: Workers, on_progress: OnProgress
) -> list[R]:
    record: Any = job.record
    came: list[R] = []
    done: int | None = None
    steps: tuple[int, int | None] | None = None
    news = partial(Progress, framework.name)
    on_progress(news("importing"))
    with workers.start(framework) as worker:
        worker.ask(written(job))
        for answer in worker.answers():
            if "done" in answer:
                done = answer["done"]
            elif "steps" in answer:
                steps = answer["steps"]
            elif "record" in answer:
                came.append(record.from_json(answer["record"]))
            # Progress counts the job's own steps or, without any, its records.
            on_progress(news("running", *(steps or (len(came), job.due(came)))))
        status, last_words = ended(worker)
    due = job.due(came)
    if status or done != len(came) or due not in (None, done):
        came.append(record.broken(framework, last_words or _how_far(status, len(came), due)))
        on_progress(news("broken"))
    else:
        on_progress(news("done"))
    return came


def ended(worker: Child) -> tuple[int, str]:
    """Wait for a worker to end; return its status and the last line of its error, or ""."""
    status = worker.wait()
    return status, last_line(worker.errors()) if status > 0 else ""


def last_line(errors: str) -> str:
    """Return the last line of a traceback, which names the error."""
    lines = [line for line in errors.splitlines() if line.strip()]
    return legible(lines[-1].strip(), MAX_ERROR_SHOWN) if lines else ""


def _how_far(status: int, came: int, due: int | None) -> str:
    """Return how the process ended, and how many results it had sent."""
    number = f"{came} results, before it was done" if due is None else f"{came} of {due} results"
    return f"the worker ended {how_it_ended(status)} after {number}"
