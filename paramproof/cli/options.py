"""What commands read: the options that they share, and the models that users name."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from paramproof.builders.registry import frameworks
from paramproof.cli.output import JSON, STANDARD_STREAM, errors, remark, require_writable
from paramproof.formulas import FAMILIES
from paramproof.formulas.errors import MAX_SECONDS, InvalidInput
from paramproof.formulas.families import family_named
from paramproof.formulas.models import model_names
from paramproof.formulas.printing import legible

if TYPE_CHECKING:
    from paramproof.resolver import Model

DERIVES = "paramproof.derives"  # In a context: whether --derive is given.

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

class_name = click.option(
    "--class",
    "class_name",
    default="",
    metavar="CLASS",
    help="Read the configuration as this class of transformers.",
)

derive = click.option(
    "--derive",
    is_flag=True,
    expose_value=False,
    callback=lambda ctx, _, given: ctx.meta.update({DERIVES: given}),
    help="Derive a formula that paramproof does not have.",
)


def framework(verb: str) -> Callable[[Command], Command]:
    how = {"shell_complete": completing(frameworks)}
    return repeatable("--framework", "names", "NAME", f"{verb} only this framework", **how)


def family(verb: str) -> Callable[[Command], Command]:
    help_text = f"{verb} only these families, such as gpt,llama"

    def named(ctx: click.Context, param: click.Parameter, given: Sequence[str]) -> tuple[str, ...]:
        names = (name.strip() for names in given for name in names.split(","))
        return tuple(dict.fromkeys(family_named(name).name for name in names))

    how = {"callback": named, "shell_complete": completing(lambda: FAMILIES)}
    return repeatable("--family", "families", "NAMES", help_text, **how)


def as_json(what: str, *, is_alone: bool = False) -> Callable[[Command], Command]:
    """Return the option --json, which ``finish`` reads; if it ``is_alone``, no text is printed."""
    where = "to FILE or standard output."
    if not is_alone:
        where = "to FILE, or to standard output (-), with the text on standard error."

    def keep(ctx: click.Context, param: click.Parameter, path: Path | None) -> None:
        if path is None:
            return
        if str(path) in model_names() and not path.exists():
            named = f"--json {path}: {path} is a model name, not a file"
            raise ValueError(f"{named}: put --json last, or use --json -")
        require_writable(path)
        ctx.meta[JSON] = path, is_alone

    return click.option(
        "--json",
        is_flag=False,
        flag_value=STANDARD_STREAM,
        expose_value=False,
        callback=keep,
        type=click.Path(path_type=Path),
        metavar="[FILE]",
        help=f"Write {what} as JSON {where}",
    )


def seconds(
    flag: str, parameter: str, default: int | None, help_text: str
) -> Callable[[Command], Command]:
    def number(ctx: click.Context, param: click.Parameter, given: float | None) -> float | None:
        if given and math.isnan(given):
            raise InvalidInput("nan is not a number of seconds", key=flag)
        return given

    return click.option(
        flag,
        parameter,
        type=click.FloatRange(0, MAX_SECONDS, min_open=True),
        default=default,
        show_default=True,
        metavar="SECONDS",
        callback=number,
        help=help_text,
    )


def whole(flag: str, default: int, help_text: str) -> Callable[[Command], Command]:
    return click.option(
        flag, type=click.IntRange(0), default=default, show_default=True, help=help_text
    )


def repeatable(
    flag: str, parameter: str, metavar: str, help_text: str, **how: Any
) -> Callable[[Command], Command]:
    return click.option(
        flag, parameter, multiple=True, metavar=metavar, help=f"{help_text} (repeatable).", **how
    )


def require_together(together: Mapping[str, Collection[str]]) -> set[str]:
    """Return the options that were given. Each in the table allows only those that it has there."""
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


def resolving(text: str, class_name: str = "", *, weighs: bool = False) -> Model:
    """Return the model that ``text`` names, and print notes on how it was read.

    Raises ``FormulaError`` if the two derivations of its family differ.
    """
    from paramproof.resolver import resolve  # Options and numbers need none of it.

    derives = click.get_current_context().meta.get(DERIVES, False)
    with deriving_progress() as note:
        model = resolve(text, class_name, note, derives=derives, weighs=weighs)
    for line in model.remarks():
        remark(f"{model.title}: {line}")
    if family := model.architecture.family:
        from paramproof.verify.agreement import require_agreement

        require_agreement([family])
    return model


def resolving_all(texts: Sequence[str], class_name: str = "") -> list[Model]:
    require_one_input(texts)
    return [resolving(text, class_name) for text in texts]


def require_one_input(texts: Sequence[str]) -> None:
    if list(texts).count(STANDARD_STREAM) > 1:
        raise ValueError(f"{STANDARD_STREAM} is standard input, which can be read only once")


@contextmanager
def deriving_progress() -> Iterator[Callable[[str], None]]:
    """Show the progress of a derivation on standard error, once it has sent a note."""
    with ExitStack() as stack:
        status = cache(lambda: stack.enter_context(errors.status("starting a process")))
        yield lambda line: status().update(legible(line))
