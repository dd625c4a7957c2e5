"""``paramproof count``: print a model as a tree, a number, a formula or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from paramproof.cli.count_print import (
    print_active,
    print_beside,
    print_count_or_formula,
    print_tree,
)
from paramproof.cli.options import (
    INSTEAD,
    MODELS,
    class_option,
    completing,
    derive_option,
    deriving,
    json_option,
)
from paramproof.cli.output import complain, require_writable, write_file, write_json
from paramproof.cli.resolving import require_families, require_one_input, resolving, resolving_all
from paramproof.counting.conventions import DEFAULT
from paramproof.counting.count_data import count_data
from paramproof.counting.dtypes import BITS, require_dtype
from paramproof.formulas.conventions import CONVENTIONS
from paramproof.json_form import document
from paramproof.resolver import Model


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
        """Raise ``ValueError`` if the options request different kinds of output."""
        in_numbers = bool(self.conventions or self.every)
        in_letters = self.symbolic or self.latex
        of_tree = bool(self.depth or self.dtype or self.json_file)
        if in_numbers + in_letters + of_tree > 1 and not self.html_file:
            raise ValueError(
                "options of different kinds cannot be combined: --depth, --dtype and --json are "
                "for the tree, --under and --all-conventions for numbers, --symbolic and --latex "
                "for the formula"
            )
        if self.active and (in_numbers or self.latex or self.depth or self.dtype):
            raise ValueError("--active can be combined only with --symbolic or --json")
        if self.resume and not self.lines_file:
            raise ValueError("--resume needs --jsonl")
        with_lines = in_numbers or in_letters or self.depth or self.dtype or self.active
        if self.lines_file and (with_lines or self.html_file or self.class_name or deriving()):
            raise ValueError("--jsonl can be combined only with --json and --resume")

    def require_page(self, models: Sequence[str]) -> None:
        """Raise ``ValueError`` for options that do not apply to the page of a model."""
        other = self.depth or self.json_file or self.every or self.symbolic or self.latex
        if other or self.active or len(models) > 1 or len(self.conventions) > 1:
            raise ValueError(
                "--html writes the page of one model: "
                "it can be combined only with --dtype and one --under"
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
@json_option("components, tensors and every convention", where=INSTEAD)
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
    "--symbolic", is_flag=True, help="Print the formula: its terms in letters and the closed form."
)
@click.option(
    "--active",
    is_flag=True,
    help="Print total and active parameters (those used per token in a mixture of experts).",
)
@click.option(
    "--html",
    "html_file",
    type=Path,
    metavar="FILE",
    help="Write the model's page to FILE: one HTML file that works offline.",
)
@click.option("--latex", is_flag=True, help="Print the formula as LaTeX (amsmath, align*).")
@click.option(
    "--jsonl",
    "lines_file",
    metavar="FILE",
    help="Count the configurations in FILE, one per line (- is standard input); print JSON lines.",
)
@click.option(
    "--resume", is_flag=True, help="With --jsonl and --json FILE: continue after the lines in FILE."
)
@class_option
@derive_option
def count_command(models: Sequence[str], **options: Any) -> None:
    """Print the tree of each MODEL: shapes, parameters, subtotals and shares.

    \b
    MODEL is one of
      a model name                    bert-base (`paramproof models` lists them)
      a config.json                   a path, - for standard input, or the JSON itself
      a model type or class of Hugging Face transformers   qwen3, Qwen3ForCausalLM
      MODULE:FUNCTION                 a function of yours that returns a model
      a derivation                    the file that `paramproof derive --json` wrote

    Counting needs no framework, except with --derive. Several models are printed side by side, with
    their differences from the first.

    With --under, print one number and what it counts. Several conventions can be combined.
    """
    dtype = options.pop("dtype")
    chosen = CountOptions(**options, dtype=require_dtype(dtype) if dtype else "")
    chosen.require_one_kind()
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
    _answer(resolved, chosen)
    if refused:
        raise SystemExit(2)


def _answer(models: Sequence[Model], chosen: CountOptions) -> None:
    if chosen.json_file:
        _write_json(chosen.json_file, models, chosen)
    elif chosen.active:
        for model in models:
            print_active(model, chosen.symbolic)
    elif chosen.conventions or chosen.every or chosen.symbolic or chosen.latex:
        for model in models:
            print_count_or_formula(model, chosen.conventions, chosen.every, chosen.latex)
    elif len(models) == 1:
        print_tree(models[0], chosen.depth, chosen.dtype)
    else:
        print_beside(models, chosen.depth, chosen.dtype)


def _resolved(models: Sequence[str], class_name: str) -> tuple[list[Model], bool]:
    """Return the models that can be counted, and whether any was refused.

    Errors for refused models go to standard error. Raises ``ValueError`` if none can be counted.
    """
    require_one_input(models)
    found: list[Model] = []
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
    require_families(model.architecture for model in found)
    return found, bool(refused)


def _write_json(file: Path, models: Sequence[Model], chosen: CountOptions) -> None:
    how: dict[str, Any] = {"depth": chosen.depth, "dtype": chosen.dtype, "active": chosen.active}
    body = {"models": [count_data(model, model.inventory(), **how) for model in models]}
    write_json(file, document("counts", body))


def _write_page(file: Path, models: Sequence[str], chosen: CountOptions) -> None:
    from paramproof.pages.document import model_file

    chosen.require_page(models)
    require_writable(file, "--html")
    (under,) = chosen.conventions or (DEFAULT,)
    (model,) = resolving_all(models, chosen.class_name)
    write_file(file, model_file(model, under, chosen.dtype), "--html")
