"""The options that commands share, and the names that a shell completes."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from paramproof.builders.registry import frameworks
from paramproof.cli.output import STANDARD_OUTPUT, WHERE, require_writable
from paramproof.formulas import FAMILIES
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.families import family_named
from paramproof.formulas.models import model_names

MAX_SECONDS = 10**9
"""The longest time limit: some systems have no timer for a longer one."""

INSTEAD = "to FILE or standard output."
"""The end of the help of --json, for commands that then print no text."""

Completer: TypeAlias = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]
Command = TypeVar("Command", bound=Callable[..., Any])


def completing(names: Callable[[], Iterable[str]], *, files: bool = False) -> Completer:
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
    help="Read the configuration as this class of transformers.",
)
"""The option --class, whose parameter is ``class_name``."""

DERIVES = "paramproof.derives"

derive_option = click.option(
    "--derive",
    is_flag=True,
    expose_value=False,
    callback=lambda ctx, _, given: ctx.meta.update({DERIVES: given}),
    help="Derive a formula that paramproof does not have.",
)


def deriving() -> bool:
    context = click.get_current_context(silent=True)
    return bool(context and context.meta.get(DERIVES))


def models_option(verb: str) -> Callable[[Command], Command]:
    help_text = f"{verb} only this model: its name or a config.json"
    return _repeatable("--model", "models", "MODEL", help_text, shell_complete=MODELS)


def framework_option(verb: str) -> Callable[[Command], Command]:
    how = {"shell_complete": completing(frameworks)}
    return _repeatable("--framework", "names", "NAME", f"{verb} only this framework", **how)


def family_option(verb: str) -> Callable[[Command], Command]:
    help_text = f"{verb} only these families, such as gpt,llama"
    how = {"callback": _families, "shell_complete": _complete_families}
    return _repeatable("--family", "families", "NAMES", help_text, **how)


def json_option(what: str, where: str = WHERE) -> Callable[[Command], Command]:
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


def time_limit_option(seconds: int, help_text: str) -> Callable[[Command], Command]:
    return click.option(
        "--time-limit",
        "seconds",
        type=click.FloatRange(0, MAX_SECONDS, min_open=True),
        default=seconds,
        show_default=True,
        metavar="SECONDS",
        callback=_number,
        help=help_text,
    )


def _number(ctx: click.Context, param: click.Parameter, given: float) -> float:
    if math.isnan(given):
        raise InvalidInput("nan is not a number of seconds", key="--time-limit")
    return given


def _repeatable(
    flag: str, parameter: str, metavar: str, help_text: str, **how: Any
) -> Callable[[Command], Command]:
    return click.option(
        flag, parameter, multiple=True, metavar=metavar, help=f"{help_text} (repeatable).", **how
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


def require_together(together: Mapping[str, Collection[str]]) -> set[str]:
    """Return the options that were given, each in the table with no others than it has there.

    Raises ``ValueError``, in one line that names two options.
    """
    ctx = click.get_current_context()
    options = (one for one in ctx.command.params if isinstance(one, click.Option))
    written = ParameterSource.COMMANDLINE
    given = [one.opts[0] for one in options if ctx.get_parameter_source(one.name or "") is written]
    for option in (one for one in together if one in given):
        for other in given:
            if other != option and other not in together[option]:
                *known, last = sorted({*together[option]} - {option})
                takes = f"{', '.join(known)} and {last}".removeprefix(" and ")
                raise ValueError(f"{option} cannot be combined with {other}, only with {takes}")
    return {*given}


def _writable(ctx: click.Context, param: click.Parameter, given: str | None) -> Path | None:
    if given is None:
        return None
    path = Path(given)
    if given in [*model_names()] and not path.exists():
        raise ValueError(
            f"--json {given}: {given} is a model name, not a file: put --json last, or use --json -"
        )
    require_writable(path)
    return path
