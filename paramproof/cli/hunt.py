"""``paramproof hunt``: check random models, configurations and the catalogue, at scale."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from paramproof.builders.registry import Framework, framework
from paramproof.catalogue.names import transformers_entries
from paramproof.checks.model import require_agreement
from paramproof.cli.hunt_options import SLURM, hunt_options, require_together
from paramproof.cli.hunt_table import print_summary
from paramproof.cli.output import tables_beside, write_json
from paramproof.cli.progress import shown_progress
from paramproof.cli.workers import chosen_frameworks, how_to_get
from paramproof.formulas import FAMILIES
from paramproof.hunt.execution import in_checkout
from paramproof.hunt.files import is_complete, lost_file, write_lost
from paramproof.hunt.folder import held
from paramproof.hunt.local import TRIES, run_locally
from paramproof.hunt.slurm import run_on_slurm
from paramproof.hunt.submission import Cluster
from paramproof.hunt.summary import Summary, as_json, summary_of
from paramproof.hunt.tasks import CATALOGUE, MODELS, Task, ask, blocks
from paramproof.json_form import document

BUILDER = "transformers"
"""The framework that builds the model types of the catalogue."""


@click.command("hunt", short_help="Check many random models, on one or many machines.")
@hunt_options
@click.pass_context
def hunt_command(ctx: click.Context, /, folder: Path, json_file: Path | None, **given: Any) -> None:
    """Check random models in tasks, each a block of models of one framework and family.

    A task gives the same result wherever it runs, and writes it to a file of its own. To continue,
    run the same command again: it does only the tasks that are missing or damaged. The models are
    those that paramproof verify draws at the task's seed. At the end, a summary counts the tasks
    requested, done and lost, and the models that differ. The exit status is 1 if any task is lost
    or any model differs.

    Checking formulas of model types needs a checkout of paramproof, and transformers.
    """
    require_together(ctx)
    if given["summary"]:
        _end(summary_of(given["summary"]), json_file)
    installed, absent = _frameworks(**given)
    tasks = _tasks(installed, **given)
    with held(folder):
        ask(folder, tasks)
        waiting = [task for task in tasks if not is_complete(folder, task.name)]
        for task in waiting:
            lost_file(folder, task.name).unlink(missing_ok=True)
        for name, reason in _do(waiting, folder, **given).items():
            write_lost(folder, name, f"{reason} (tried {TRIES} times)")
    _end(summary_of([folder]), json_file, absent)


def _frameworks(
    check: str, names: Sequence[str], **_: Any
) -> tuple[list[Framework], list[Framework]]:
    """Return the frameworks in which to check, and those that are not installed."""
    if check == MODELS:
        return chosen_frameworks(names)
    if not in_checkout():
        raise ValueError(f"--check {check} needs a checkout of paramproof, which has sweep/")
    return chosen_frameworks([BUILDER])


def _tasks(
    installed: Sequence[Framework],
    check: str,
    families: Sequence[str],
    types: Sequence[str],
    examples: int,
    block: int,
    seed: int,
    **_: Any,
) -> list[Task]:
    """Return the tasks that the options request."""
    if check == MODELS:
        subjects = tuple(families or FAMILIES)
        require_agreement(subjects)
    else:
        subjects = tuple(types or transformers_entries())
    number = 1 if check == CATALOGUE else examples
    return [
        task
        for chosen in installed
        for subject in subjects
        for task in blocks(check, chosen.name, subject, number, block, seed)
    ]


def _do(
    tasks: Sequence[Task],
    folder: Path,
    on: str,
    jobs: int | None,
    partition: str | None,
    minutes: int,
    array: int,
    **_: Any,
) -> dict[str, str]:
    """Run the tasks, here or on a cluster; return the reason for each task that is lost."""
    names = dict.fromkeys(task.framework for task in tasks)
    with shown_progress([framework(name) for name in names]) as take:
        if on == SLURM:
            return run_on_slurm(tasks, folder, Cluster(partition, minutes, array), take)
        return run_locally(tasks, folder, jobs or os.cpu_count() or 1, take)


def _end(found: Summary, json_file: Path | None, absent: Sequence[Framework] = ()) -> NoReturn:
    if json_file:
        write_json(json_file, document("hunt", as_json(found)))
    out = tables_beside(json_file)
    print_summary(out, found)
    for chosen in absent:
        out.print(f"not installed, so not checked: {how_to_get(chosen)}", markup=False)
    raise SystemExit(1 if found.failed else 0)
