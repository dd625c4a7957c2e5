"""What is submitted to SLURM, by submitit: a task as a job, as the cluster is to have it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paramproof.formulas.installation import install_command
from paramproof.hunt.local import run_locally
from paramproof.hunt.tasks import Task

WARNING = 30
"""Seconds before the end of a job's time at which it is queued again; nothing has to be saved."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """What SLURM is asked for: a partition, minutes for a task, tasks in an array job."""

    partition: str | None
    minutes: int
    array: int


@dataclass(frozen=True)
class Element:
    """A task as a job: what submitit keeps in a file, and calls on a node."""

    task: Task
    folder: str

    def __call__(self) -> str:
        """Do the task; return why it has no result, or nothing."""
        lost = run_locally([self.task], Path(self.folder), processes=1, tries=1)
        return lost.get(self.task.name, "")

    def checkpoint(self) -> Any:
        """Return what is called when the job has been queued again: the same."""
        from submitit.helpers import DelayedSubmission

        return DelayedSubmission(self)


def executor(folder: Path, cluster: Cluster) -> Any:
    """Return what submits jobs, with their files in ``folder``.

    Raises ``ValueError``, in one line, where submitit or SLURM is not there.
    """
    try:
        from submitit import SlurmExecutor
    except ImportError:
        needed = install_command("slurm")
        raise ValueError(f"--on slurm needs submitit, which is not installed: {needed}") from None
    try:
        found = SlurmExecutor(folder)
    except RuntimeError as error:
        raise ValueError("--on slurm: there is no srun on this machine") from error
    found.update_parameters(
        job_name="paramproof-hunt",
        time=cluster.minutes,
        array_parallelism=cluster.array,
        signal_delay_s=WARNING,
        # A node that fails has its jobs queued again, whatever the cluster's own rule.
        additional_parameters={"requeue": True},
        **({"partition": cluster.partition} if cluster.partition else {}),
    )
    return found
