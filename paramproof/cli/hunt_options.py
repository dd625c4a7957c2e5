"""The options of ``paramproof hunt``, and which of them can be combined."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from paramproof.catalogue.names import transformers_entries
from paramproof.cli.options import (
    Command,
    completing,
    family_option,
    framework_option,
    json_option,
)
from paramproof.formulas.errors import no_such
from paramproof.hunt.tasks import CATALOGUE, CHECKS, MODELS, POINTS

HERE, SLURM = "here", "slurm"

ABOUT: dict[str, tuple[str, tuple[str, ...]]] = {
    "names": ("check", (MODELS,)),
    "families": ("check", (MODELS,)),
    "types": ("check", (POINTS, CATALOGUE)),
    "examples": ("check", (MODELS, POINTS)),
    "seed": ("check", (MODELS, POINTS)),
    "block": ("check", (MODELS, POINTS)),
    "jobs": ("on", (HERE,)),
    "partition": ("on", (SLURM,)),
    "minutes": ("on", (SLURM,)),
    "array": ("on", (SLURM,)),
}
"""Options that apply only to some values of another option."""


def _types(ctx: click.Context, param: click.Parameter, given: Sequence[str]) -> tuple[str, ...]:
    known = transformers_entries()
    for name in given:
        if name not in known:
            raise no_such("model type with a formula", name, known)
    return tuple(dict.fromkeys(given))


def _positive(flag: str, default: int | None, help_text: str, parameter: str = "") -> Any:
    """Return the option ``flag``, an integer of at least 1."""
    names = (flag, parameter) if parameter else (flag,)
    how: dict[str, Any] = {"default": default, "show_default": True} if default else {}
    return click.option(*names, type=click.IntRange(1), help=help_text, **how)


def _choice(flag: str, values: Sequence[str], help_text: str) -> Any:
    """Return the option ``flag``, one of ``values``, the first by default."""
    choice = click.Choice(values)
    return click.option(flag, type=choice, default=values[0], show_default=True, help=help_text)


OPTIONS = (
    _choice("--check", [*CHECKS], "; ".join(f"{name}: {what}" for name, what in CHECKS.items())),
    framework_option("Check"),
    family_option("Check"),
    click.option(
        "--type",
        "types",
        metavar="TYPE",
        multiple=True,
        callback=_types,
        shell_complete=completing(transformers_entries),
        help="Check only this model type of transformers (repeatable).",
    ),
    _positive("--examples", 1000, "Number of random models of each family or type."),
    click.option(
        "--seed",
        type=click.IntRange(0),
        default=0,
        show_default=True,
        help="Seed of the first task; each next task uses the next seed.",
    ),
    _positive("--block", 250, "Number of random models in a task."),
    click.option(
        "--folder",
        type=Path,
        default=Path("hunt"),
        show_default=True,
        help="Folder of the results; tasks whose results are complete are not run again.",
    ),
    _choice("--on", [HERE, SLURM], "Run on this machine, or as SLURM array jobs."),
    _positive("--jobs", None, "Processes on this machine. Default: one for each processor."),
    click.option("--partition", metavar="NAME", help="SLURM partition. Default: the cluster's."),
    _positive("--time", 60, "Time limit of a task on SLURM, in minutes.", "minutes"),
    _positive("--array", 256, "Maximum number of tasks in a SLURM array job."),
    click.option(
        "--summary",
        metavar="PATH",
        type=Path,
        multiple=True,
        help="Check nothing; summarize this folder or file of results (repeatable).",
    ),
    json_option("the summary"),
)


def hunt_options(command: Command) -> Command:
    """Add the options of a hunt to ``command``."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def require_together(ctx: click.Context) -> None:
    """Check that the given options can be combined.

    Raises ``ValueError``, in one line, for an option that would have no effect.
    """
    flags = {param.name: param.opts[0] for param in ctx.command.params}
    given = [
        name for name in ctx.params if ctx.get_parameter_source(name) is not ParameterSource.DEFAULT
    ]
    for name in given:
        if "summary" in given and name not in ("summary", "json_file"):
            raise ValueError(f"--summary checks nothing: leave out {flags[name]}")
        other, values = ABOUT.get(name, (name, (ctx.params[name],)))
        if ctx.params[other] not in values:
            wanted = " or ".join(f"{flags[other]} {value}" for value in values)
            raise ValueError(f"{flags[name]} applies only to {wanted}")
