"""Tasks as array jobs of SLURM, by submitit: the same worker does them, on whichever node.

A job is a task. Its file tells that it is done, and SLURM's queue that a job is gone without one;
accounting is not needed. At SLURM's warning, before the time is over or the job is preempted, it
is queued again; of a node that fails SLURM sees to that. In either case the task begins anew.
"""

from __future__ import annotations

import subprocess
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from typing import Any

from paramproof.formulas.printing import MAX_NOTE_SHOWN, legible
from paramproof.hunt.files import is_complete
from paramproof.hunt.local import TRIES
from paramproof.hunt.submission import Cluster, Element, executor
from paramproof.hunt.tasks import Task
from paramproof.workers.pool import last_line
from paramproof.workers.progress import OnProgress, Progress

LOGS = "slurm"
"""The folder of what jobs write beside their results, in that of the hunt."""

OFTEN, SELDOM = 2.0, 30.0
"""The least and most seconds between two looks at the queue."""

PATIENCE = 30
"""In between they are the time that has gone by, divided by this."""

UNSEEN = 3
"""Looks at which a job is over, before its file is given up: what a node wrote may come late."""

UNANSWERED = 60
"""Looks that SLURM may leave without an answer, one after the other."""

OVER = (
    "BOOT_FAIL",
    "CANCELLED",
    "COMPLETED",
    "DEADLINE",
    "FAILED",
    "NODE_FAIL",
    "OUT_OF_MEMORY",
    "TIMEOUT",
)
"""The states of a job that is not queued again."""


def run_on_slurm(
    tasks: Sequence[Task],
    folder: Path,
    cluster: Cluster,
    on_progress: OnProgress = lambda progress: None,
) -> dict[str, str]:
    """Do tasks on a cluster whose nodes share ``folder``; return why those are lost that are.

    What has no result when its job is over is submitted again, after all others, ``TRIES`` times
    in all. However this ends, no job is left.

    Raises ``ValueError``, in one line, where submitit or SLURM is not there, or refuses the jobs.
    """
    if not tasks:
        return {}
    jobs = _Jobs(tasks, folder.resolve(), cluster, on_progress)
    for _ in range(TRIES):
        try:
            jobs.submit(tasks)
            jobs.wait()
        finally:
            jobs.cancel()
        tasks = [task for task in tasks if task.name in jobs.lost]
    return {task.name: jobs.lost[task.name] for task in tasks}


class _Jobs:
    """The jobs of tasks, by the ids that SLURM gave them, and what became of them."""

    def __init__(
        self, tasks: Sequence[Task], folder: Path, cluster: Cluster, on_progress: OnProgress
    ) -> None:
        self.lost: dict[str, str] = {}
        self._folder, self._cluster, self._on_progress = folder, cluster, on_progress
        self._executor = executor(folder / LOGS, cluster)
        self._running: dict[str, tuple[Task, Any]] = {}
        self._over: Counter[str] = Counter()
        self._due: Counter[str] = Counter()
        self._done: Counter[str] = Counter()
        for task in tasks:
            self._due[task.framework] += task.number

    def submit(self, tasks: Sequence[Task]) -> None:
        """Submit tasks, as many in an array as it may have."""
        self.lost.clear()
        for start in range(0, len(tasks), self._cluster.array):
            some = tasks[start : start + self._cluster.array]
            elements = [Element(task, str(self._folder)) for task in some]
            try:
                # What sbatch says is in the error, too.
                with redirect_stderr(StringIO()):
                    jobs = self._executor.submit_array(elements)
            except Exception as error:
                raise ValueError(f"--on slurm: {' '.join(str(error).split())}") from error
            self._running |= {job.job_id: (t, job) for t, job in zip(some, jobs, strict=True)}

    def wait(self) -> None:
        """Wait until each job is over, and its task done or lost."""
        unanswered, started = 0, time.monotonic()
        while self._running:
            time.sleep(min(SELDOM, max(OFTEN, (time.monotonic() - started) / PATIENCE)))
            states = queued()
            unanswered = 0 if states is not None else unanswered + 1
            if unanswered > UNANSWERED:
                raise ValueError("--on slurm: squeue gives no answer; the same command goes on")
            for number, (task, job) in [*self._running.items()]:
                if is_complete(self._folder, task.name):
                    self._done[task.framework] += task.number
                    del self._running[number]
                elif states is not None and states.get(number, "gone") in (*OVER, "gone"):
                    self._seen_over(number, states.get(number, "gone"), task, job)
            self._tell()

    def cancel(self) -> None:
        """Cancel the jobs that are not over, as where this process is ended."""
        if self._running:
            subprocess.run(["scancel", *self._running], check=False, capture_output=True)

    def _seen_over(self, number: str, state: str, task: Task, job: Any) -> None:
        self._over[number] += 1
        if self._over[number] >= UNSEEN:
            self.lost[task.name] = f"job {number}: {_why(job, state)}"
            del self._running[number]

    def _tell(self) -> None:
        for name, due in self._due.items():
            self._on_progress(Progress(name, "running", self._done[name], due))


def queued() -> Mapping[str, str] | None:
    """Return the state of each of the user's jobs that SLURM knows, None where it does not say."""
    asked = ["squeue", "--me", "--noheader", "--array", "--states=all", "--format=%i|%T"]
    try:
        said = subprocess.run(asked, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    pairs = (line.partition("|") for line in said.stdout.split())
    return {number: state for number, _, state in pairs}


def _why(job: Any, state: str) -> str:
    """Return why a job that is over has no result: what it said, or how it ended."""
    from submitit.core.utils import pickle_load

    if job.paths.result_pickle.exists():
        # The reason that the worker gave, or the traceback of what went wrong around it.
        _, said = pickle_load(job.paths.result_pickle)
        return last_line(said) or "it is done, and its file is not there"
    said = last_line(job.stderr() or "")
    return legible(f"{state.lower()}: {said}" if said else state.lower(), MAX_NOTE_SHOWN)
