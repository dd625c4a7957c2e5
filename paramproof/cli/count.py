"""``paramproof count``: print a model as a tree, a number, a formula or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import click
from click.core import ParameterSource

from paramproof.cli.count_print import CountOptions, print_beside, print_model
from paramproof.cli.options import (
    INSTEAD,
    MODELS,
    class_option,
    completing,
    derive_option,
    json_option,
)
from paramproof.cli.output import complain, require_writable, write_file, write_json
from paramproof.cli.resolving import countable, require_families, require_one_input, resolving_all
from paramproof.formulas.conventions import CONVENTIONS
from paramproof.json_form import document
from paramproof.resolver import LiveModel, Model
from paramproof.views.conventions import DEFAULT
from paramproof.views.counted import count_data
from paramproof.views.dtypes import BITS, require_dtype

Counted: TypeAlias = Model | LiveModel

ANY = {"--class", "--derive", "--dtype", "--json", "--buffers"}
FORMS = {
    "--jsonl": {"--json", "--resume"},
    "--html": {"--under", "--class", "--derive", "--dtype"},
    "--latex": {"--symbolic", "--under", "--class", "--derive"},
    "--all-conventions": ANY,
    "--symbolic": {"--latex", "--under", "--active", *ANY},
    "--active": {"--symbolic", *ANY},
}
"""The options that choose a form of the answer, with those that each can be combined with.

The tree is the form without any of them, and takes all others.
"""


def _require_one_form(given: Sequence[str]) -> None:
    """Raise ``ValueError`` unless each form in ``given`` can be combined with the others."""
    for form in (one for one in FORMS if one in given):
        for other in given:
            if other != form and other not in FORMS[form]:
                known = sorted(FORMS[form])
                takes = f"{', '.join(known[:-1])} and {known[-1]}"
                raise ValueError(f"{form} cannot be combined with {other}, only with {takes}")
    if "--resume" in given and "--jsonl" not in given:
        raise ValueError("--resume needs --jsonl")


@click.command("count", short_help="Count the parameters of models.")
@click.argument("models", metavar="[MODEL...]", nargs=-1, shell_complete=MODELS)
@click.option("--depth", type=click.IntRange(1), metavar="N", help="Print N levels of the tree.")
@click.option(
    "--under",
    "conventions",
    multiple=True,
    metavar="NAME",
    shell_complete=completing(lambda: CONVENTIONS),
    help="Count under this convention; under all of several at once.",
)
@click.option("--all-conventions", "every", is_flag=True, help="Count under every convention.")
@click.option(
    "--dtype",
    metavar="DTYPE",
    default="",
    shell_complete=completing(lambda: BITS),
    help="Print bytes, too, such as at bfloat16.",
)
@json_option("everything", where=INSTEAD)
@click.option("--symbolic", is_flag=True, help="Print the formula: its terms, in letters.")
@click.option("--active", is_flag=True, help="Print the parameters used per token (experts).")
@class_option
@derive_option
@click.option("--buffers", is_flag=True, help="List buffers, too, which no count includes.")
@click.option("--latex", is_flag=True, help="Print the formula as LaTeX.")
@click.option(
    "--html", "html_file", type=Path, metavar="FILE", help="Write the page of the model to FILE."
)
@click.option(
    "--jsonl", "lines_file", metavar="FILE", help="Count each line of FILE (-: standard input)."
)
@click.option("--resume", is_flag=True, help="Continue the file of --json (with --jsonl).")
def count_command(models: Sequence[str], **options: Any) -> None:
    """Print the tree of each MODEL: shapes, parameters, subtotals and shares.

    \b
    MODEL is one of
      a model name         bert-base, Qwen/Qwen3-8B (see `paramproof models`)
      a config.json        a path, its directory, - (standard input), or the JSON
      a file with weights  model.safetensors, or the index of several such files
      a type or class      qwen3, Qwen3ForCausalLM, of transformers
      MODULE:FUNCTION      a function of yours that returns a model
      a derivation         the file that `paramproof derive --json` wrote

    Counting needs no framework, but deriving does. Several models are printed side by side.
    """
    ctx = click.get_current_context()
    given = (one for one in ctx.command.params if one.name and one.name != "models")
    _require_one_form(
        [
            one.opts[0]
            for one in given
            if ctx.get_parameter_source(one.name) is ParameterSource.COMMANDLINE
        ]
    )
    dtype = options.pop("dtype")
    chosen = CountOptions(**options, dtype=require_dtype(dtype) if dtype else "")
    if chosen.lines_file:
        if models:
            raise ValueError("--jsonl reads configurations from its FILE: leave out MODEL")
        # Pools of processes take time to import, and one model needs none.
        from paramproof.cli.count_lines import write_lines

        raise SystemExit(write_lines(chosen.lines_file, chosen.json_file, resume=chosen.resume))
    if not models:
        raise click.UsageError("give a MODEL: a name, a config.json, or a model type")
    if chosen.html_file:
        _write_page(chosen.html_file, models, chosen)
        return
    resolved, refused = _resolved(models, chosen.class_name)
    if chosen.json_file:
        _write_json(chosen.json_file, resolved, chosen)
    elif len(resolved) > 1 and not chosen.are_of_one_model:
        print_beside(resolved, chosen)
    else:
        for model in resolved:
            print_model(model, chosen)
    if refused:
        raise SystemExit(2)


def _resolved(models: Sequence[str], class_name: str) -> tuple[list[Counted], bool]:
    """Return the models that can be counted, and whether any was refused.

    Errors for refused models go to standard error. Raises ``ValueError`` if none can be counted.
    """
    require_one_input(models)
    found: list[Counted] = []
    refused: list[ValueError] = []
    for model in models:
        try:
            found.append(countable(model, class_name))
        except ValueError as error:
            refused.append(error)
    for problem in refused[:-1] if not found else refused:
        complain(problem)
    if not found:
        raise refused[-1]
    require_families(one.architecture for one in found if one.architecture)
    return found, bool(refused)


def _write_json(file: Path, models: Sequence[Counted], chosen: CountOptions) -> None:
    how: dict[str, Any] = {"depth": chosen.depth, "dtype": chosen.dtype, "active": chosen.active}
    how["under"] = chosen.conventions
    body = {"models": [count_data(model, model.inventory(), **how) for model in models]}
    write_json(file, document("counts", body))


def _write_page(file: Path, models: Sequence[str], chosen: CountOptions) -> None:
    from paramproof.pages.document import model_file

    if len(models) > 1 or len(chosen.conventions) > 1:
        raise ValueError("--html writes the page of one model, with at most one --under")
    require_writable(file, "--html")
    (under,) = chosen.conventions or (DEFAULT,)
    (model,) = resolving_all(models, chosen.class_name)
    write_file(file, model_file(model, under, chosen.dtype), "--html")
