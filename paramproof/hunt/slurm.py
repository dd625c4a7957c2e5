"""Run tasks as array jobs of SLURM, through submitit, in the same worker as on one machine.

Each job is one task. A complete file means that the task is done; a job that left SLURM's queue
and wrote no complete file has failed. Accounting is not needed. submitit requeues a job when SLURM
warns it, before its time is over or it is preempted. SLURM itself requeues it if its node fails. In
both cases the task starts again.
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
"""The folder for the logs of jobs, inside the folder of the hunt."""

OFTEN, SELDOM = 2.0, 30.0
"""The shortest and longest time between two queries of the queue, in seconds."""

PATIENCE = 30
"""Between these bounds, the interval is the elapsed time divided by this number."""

UNSEEN = 3
"""How many queries must find a job over before its file counts as missing: files may be late."""

UNANSWERED = 60
"""How many queries in a row SLURM may leave unanswered."""

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
"""The states of a job that SLURM does not requeue."""


def run_on_slurm(
    tasks: Sequence[Task],
    folder: Path,
    cluster: Cluster,
    on_progress: OnProgress = lambda progress: None,
) -> dict[str, str]:
    """Run tasks on a cluster whose nodes share ``folder``; return the lost tasks, with reasons.

    A task without a result when its job is over is submitted again, after all others, up to
    ``TRIES`` times in all. No job is left when this returns or raises.

    Raises ``ValueError``, in one line, if submitit or SLURM is missing, or SLURM refuses the jobs.
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
    """The jobs that run, by SLURM's ids, and the tasks that are done or lost."""

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
        """Submit tasks in arrays of the largest size allowed."""
        self.lost.clear()
        for start in range(0, len(tasks), self._cluster.array):
            some = tasks[start : start + self._cluster.array]
            elements = [Element(task, str(self._folder)) for task in some]
            try:
                # The error repeats what sbatch prints.
                with redirect_stderr(StringIO()):
                    jobs = self._executor.submit_array(elements)
            except Exception as error:  # submitit has no class for its errors.
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
                raise ValueError(
                    "--on slurm: squeue does not answer; run the same command again to continue"
                )
            for number, (task, job) in [*self._running.items()]:
                if is_complete(self._folder, task.name):
                    self._done[task.framework] += task.number
                    del self._running[number]
                elif states is not None and states.get(number, "gone") in (*OVER, "gone"):
                    self._seen_over(number, states.get(number, "gone"), task, job)
            self._tell()

    def cancel(self) -> None:
        """Cancel the jobs that are not over."""
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
    """Return the state of each of the user's jobs that SLURM knows, or None without an answer."""
    command = ["squeue", "--me", "--noheader", "--array", "--states=all", "--format=%i|%T"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    pairs = (line.partition("|") for line in done.stdout.split())
    return {number: state for number, _, state in pairs}


def _why(job: Any, state: str) -> str:
    """Return why a job that is over has no result: its own message, or its state."""
    from submitit.core.utils import pickle_load

    if job.paths.result_pickle.exists():
        # The worker's reason, or the traceback of an error outside it.
        _, said = pickle_load(job.paths.result_pickle)
        return last_line(said) or "the job is done, but its file is missing"
    said = last_line(job.stderr() or "")
    return legible(f"{state.lower()}: {said}" if said else state.lower(), MAX_NOTE_SHOWN)
