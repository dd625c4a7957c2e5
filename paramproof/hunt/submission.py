"""Submit tasks to SLURM through submitit, each as a job."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paramproof.formulas.installation import install_command
from paramproof.hunt.local import run_locally
from paramproof.hunt.tasks import Task

WARNING = 30
"""Seconds before the end of a job's time at which it is requeued; it has nothing to save."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A partition of SLURM, the minutes for each task, and the tasks in each array job."""

    partition: str | None
    minutes: int
    array: int


@dataclass(frozen=True)
class Element:
    """A task as a job, which submitit pickles and calls on a node."""

    task: Task
    folder: str

    def __call__(self) -> str:
        """Run the task; return why it has no result, or ""."""
        lost = run_locally([self.task], Path(self.folder), processes=1, tries=1)
        return lost.get(self.task.name, "")

    def checkpoint(self) -> Any:
        """Return what submitit calls when the job is requeued: the same task."""
        from submitit.helpers import DelayedSubmission

        return DelayedSubmission(self)


def executor(folder: Path, cluster: Cluster) -> Any:
    """Return the executor that submits jobs and keeps their files in ``folder``.

    Raises ``ValueError``, in one line, if submitit or SLURM is missing.
    """
    try:
        from submitit import SlurmExecutor
    except ImportError:
        needed = install_command("slurm")
        raise ValueError(f"--on slurm needs submitit, which is not installed: {needed}") from None
    try:
        slurm = SlurmExecutor(folder)
    except RuntimeError as error:
        raise ValueError("--on slurm: this machine does not have srun") from error
    slurm.update_parameters(
        job_name="paramproof-hunt",
        time=cluster.minutes,
        array_parallelism=cluster.array,
        signal_delay_s=WARNING,
        # Requeue the jobs of a node that fails, whatever the cluster's default.
        additional_parameters={"requeue": True},
        **({"partition": cluster.partition} if cluster.partition else {}),
    )
    return slurm
