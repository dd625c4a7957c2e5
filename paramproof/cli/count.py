"""``paramproof count``: models as trees, under a convention, in letters, or as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from paramproof.cli.count_print import print_active, print_beside, print_otherwise, print_tree
from paramproof.cli.options import INSTEAD, MODELS, class_option, completing, json_option
from paramproof.cli.output import complain, require_writable, write_file, write_json
from paramproof.cli.resolving import require_families, require_one_input, resolving, resolving_all
from paramproof.counting.conventions import DEFAULT
from paramproof.counting.count_data import count_data
from paramproof.counting.dtypes import BITS, require_dtype
from paramproof.formulas.conventions import CONVENTIONS
from paramproof.json_form import document
from paramproof.resolver import AnyModel


@dataclass(frozen=True, slots=True, kw_only=True)
class CountOptions:
    """The options of ``paramproof count``."""

    depth: int | None
    dtype: str
    json_file: Path | None
    conventions: Sequence[str]
    every: bool
    symbolic: bool
    active: bool
    html_file: Path | None
    latex: bool
    lines_file: str | None
    resume: bool
    class_name: str

    def require_one_kind(self) -> None:
        """Raise ``ValueError`` for options that ask for different kinds of answers."""
        in_numbers = bool(self.conventions or self.every)
        in_letters = self.symbolic or self.latex
        of_tree = bool(self.depth or self.dtype or self.json_file)
        if in_numbers + in_letters + of_tree > 1 and not self.html_file:
            raise ValueError(
                "--depth, --dtype and --json are about the tree, --under and --all-conventions "
                "count in numbers, --symbolic and --latex in letters: give options of one kind"
            )
        if self.active and (in_numbers or self.latex or self.depth or self.dtype):
            raise ValueError("--active goes only with --symbolic or --json")
        if self.resume and not self.lines_file:
            raise ValueError("--resume goes only with --jsonl")

    def require_page(self, models: Sequence[str]) -> None:
        """Raise ``ValueError`` for options that a model's page does not go with."""
        other = self.depth or self.json_file or self.every or self.symbolic or self.latex
        if other or self.active or len(models) > 1 or len(self.conventions) > 1:
            raise ValueError(
                "--html is the page of one model: it goes with --dtype and one --under"
            )


@click.command("count", short_help="Count the parameters of models.")
@click.argument("models", metavar="[MODEL...]", nargs=-1, shell_complete=MODELS)
@click.option("--depth", type=click.IntRange(1), help="Print only this many levels of the tree.")
@click.option(
    "--dtype",
    metavar="DTYPE",
    default="",
    shell_complete=completing(lambda: BITS),
    help=f"Also print the bytes at this dtype: {', '.join(BITS)}.",
)
@json_option("everything: components, tensors, every convention", where=INSTEAD)
@click.option(
    "--under",
    "conventions",
    multiple=True,
    metavar="NAME",
    shell_complete=completing(lambda: CONVENTIONS),
    help="Count under this convention, such as without-embeddings (repeatable).",
)
@click.option(
    "--all-conventions", "every", is_flag=True, help="Count under every convention, as a table."
)
@click.option(
    "--symbolic", is_flag=True, help="Print the count in letters: its terms and the closed form."
)
@click.option(
    "--active",
    is_flag=True,
    help="Print total and active parameters, those used per token by a mixture of experts.",
)
@click.option(
    "--html",
    "html_file",
    type=Path,
    metavar="FILE",
    help="Write the model's page to FILE, which needs no other file and no network.",
)
@click.option("--latex", is_flag=True, help="Print the same terms as LaTeX (amsmath, align*).")
@click.option(
    "--jsonl",
    "lines_file",
    metavar="FILE",
    help="Count every configuration in FILE, one a line (- is standard input), as JSON lines.",
)
@click.option(
    "--resume", is_flag=True, help="With --jsonl and --json FILE: go on after the lines in FILE."
)
@class_option
def count_command(models: Sequence[str], **options: Any) -> None:
    """Print the tree of each MODEL: shapes, parameters, subtotals and shares.

    \b
    MODEL is one of
      a model's name                  bert-base (`paramproof models` lists them)
      a config.json, or - for one on standard input, or its JSON
      a model type or class of Hugging Face transformers   qwen3, Qwen3ForCausalLM
      MODULE:FUNCTION                 a function of yours that makes a model

    No framework is needed for what the catalogue has; anything else is derived where transformers
    is installed. Several models are printed side by side, with their differences to the first.

    With --under, print one number instead, and what it counts; several conventions apply together.
    """
    dtype = options.pop("dtype")
    asked = CountOptions(**options, dtype=require_dtype(dtype) if dtype else "")
    asked.require_one_kind()
    if asked.lines_file:
        if models:
            raise ValueError("--jsonl takes no MODEL: the configurations are in its FILE")
        # Pools of processes take time to import, and one model needs none.
        from paramproof.cli.count_lines import write_lines

        raise SystemExit(write_lines(asked.lines_file, asked.json_file, resume=asked.resume))
    if not models:
        raise click.UsageError("give a MODEL: a name, a config.json, or a model type")
    if asked.html_file:
        _write_page(asked.html_file, models, asked)
        return
    resolved, refused = _resolved(models, asked.class_name)
    _answer(resolved, asked)
    if refused:
        raise SystemExit(2)


def _answer(models: Sequence[AnyModel], asked: CountOptions) -> None:
    if asked.json_file:
        _write_json(asked.json_file, models, asked)
    elif asked.active:
        for model in models:
            print_active(model, asked.symbolic)
    elif asked.conventions or asked.every or asked.symbolic or asked.latex:
        for model in models:
            print_otherwise(model, asked.conventions, asked.every, asked.latex)
    elif len(models) == 1:
        print_tree(models[0], asked.depth, asked.dtype)
    else:
        print_beside(models, asked.depth, asked.dtype)


def _resolved(models: Sequence[str], class_name: str) -> tuple[list[AnyModel], bool]:
    """Return the models that can be counted, and whether others were refused on standard error.

    Raises ``ValueError`` where one model is asked for, or none can be counted.
    """
    require_one_input(models)
    found: list[AnyModel] = []
    refused: list[ValueError] = []
    for model in models:
        try:
            found.append(resolving(model, class_name))
        except ValueError as error:
            refused.append(error)
    for problem in refused[:-1] if not found else refused:
        complain(problem)
    if not found:
        raise refused[-1]
    require_families(found)
    return found, bool(refused)


def _write_json(file: Path, models: Sequence[AnyModel], asked: CountOptions) -> None:
    how: dict[str, Any] = {"depth": asked.depth, "dtype": asked.dtype, "active": asked.active}
    body = {"models": [count_data(model, model.inventory(), **how) for model in models]}
    write_json(file, document("counts", body))


def _write_page(file: Path, models: Sequence[str], asked: CountOptions) -> None:
    from paramproof.pages.document import model_file
    from paramproof.pages.model import DTYPE

    asked.require_page(models)
    require_writable(file, "--html")
    (under,) = asked.conventions or (DEFAULT,)
    (model,) = resolving_all(models, asked.class_name)
    write_file(file, model_file(model, under, asked.dtype or DTYPE), "--html")
