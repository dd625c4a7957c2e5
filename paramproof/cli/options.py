"""The options that commands share, and the names that a shell completes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import click
from click.shell_completion import CompletionItem

from paramproof.builders.registry import frameworks
from paramproof.cli.output import STANDARD_OUTPUT, WHERE, require_writable
from paramproof.formulas import FAMILIES
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.families import family_named
from paramproof.formulas.models import model_names

MAX_SECONDS = 10**9
"""The longest time limit: some systems have no timer for a longer one."""

INSTEAD = "to FILE or standard output, in place of what else is printed."
"""How the help of --json goes on where JSON is all there is."""

Completer: TypeAlias = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]
Command = TypeVar("Command", bound=Callable[..., Any])


def completing(names: Callable[[], Iterable[str]], *, files: bool = False) -> Completer:
    """Return what completes the names that ``names`` returns; else files, if ``files`` is set."""

    def complete(
        ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        found = [CompletionItem(name) for name in names() if name.startswith(incomplete)]
        return found or [CompletionItem(incomplete, type="file")] * files

    return complete


MODELS = completing(model_names, files=True)


class_option = click.option(
    "--class",
    "class_name",
    default="",
    metavar="CLASS",
    help="Read the configuration as this class of transformers, not the one that it names.",
)
"""The option --class, whose parameter is ``class_name``."""


def model_option(said: str, *, required: bool = False) -> Callable[[Command], Command]:
    """Return the option --model of a command about one model, whose parameter is ``model``."""
    return click.option(
        "--model",
        metavar="MODEL",
        default="",
        required=required,
        shell_complete=MODELS,
        help=said,
    )


def models_option(what: str) -> Callable[[Command], Command]:
    """Return the option --model, whose parameter is ``models``."""
    said = f"{what} only this model: its name or a config.json"
    return _repeatable("--model", "models", "MODEL", said, shell_complete=MODELS)


def framework_option(what: str) -> Callable[[Command], Command]:
    """Return the option --framework; ``what`` is done with the framework, as help says it."""
    said = f"{what} only this framework"
    return _repeatable("--framework", "names", "NAME", said, shell_complete=completing(frameworks))


def family_option(what: str) -> Callable[[Command], Command]:
    """Return the option --family, names of families with commas between them."""
    said = f"{what} only these families, such as gpt,llama"
    how = {"callback": _families, "shell_complete": _complete_families}
    return _repeatable("--family", "families", "NAMES", said, **how)


def json_option(what: str, where: str = WHERE) -> Callable[[Command], Command]:
    """Return the option --json, with standard output where no FILE is given.

    ``what`` is written, as help says it. That it can be is known before the command runs.
    """
    return click.option(
        "--json",
        "json_file",
        is_flag=False,
        flag_value=STANDARD_OUTPUT,
        callback=_writable,
        metavar="[FILE]",
        shell_complete=completing(tuple, files=True),
        help=f"Write {what} as JSON {where}",
    )


def time_limit_option(seconds: int, said: str) -> Callable[[Command], Command]:
    """Return the option --time-limit, whose parameter is ``seconds``, as its default is."""
    return click.option(
        "--time-limit",
        "seconds",
        type=click.FloatRange(0, MAX_SECONDS, min_open=True),
        default=float(seconds),
        show_default=str(seconds),
        metavar="SECONDS",
        callback=_number,
        help=said,
    )


def _number(ctx: click.Context, param: click.Parameter, given: float) -> float:
    if math.isnan(given):
        raise InvalidInput("nan is not a number of seconds", key="--time-limit")
    return given


def _repeatable(
    flag: str, parameter: str, metavar: str, said: str, **how: Any
) -> Callable[[Command], Command]:
    """Return an option that may be given several times, as its help says after what is ``said``."""
    return click.option(
        flag, parameter, multiple=True, metavar=metavar, help=f"{said} (repeatable).", **how
    )


def _families(ctx: click.Context, param: click.Parameter, given: Sequence[str]) -> tuple[str, ...]:
    names = [name.strip() for names in given for name in names.split(",")]
    return tuple(dict.fromkeys(family_named(name).name for name in names))


def _complete_families(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    before, comma, last = incomplete.rpartition(",")
    found = (name for name in FAMILIES if name.startswith(last))
    return [CompletionItem(f"{before}{comma}{name}") for name in found]


def _writable(ctx: click.Context, param: click.Parameter, given: str | None) -> Path | None:
    if given is None:
        return None
    path = Path(given)
    if given in [*model_names()] and not path.exists():
        raise ValueError(f"--json {given}: a model, no file: put --json behind it, or --json -")
    require_writable(path)
    return path
