"""``paramproof count``: models as trees, under a convention, in letters, or as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from rich.markup import escape

from paramproof.cli.active import active_table
from paramproof.cli.beside_table import beside_tables
from paramproof.cli.conventions import print_conventions, print_count
from paramproof.cli.count_table import count_table
from paramproof.cli.options import INSTEAD, MODELS, class_option, completing, json_option
from paramproof.cli.output import complain, console, require_writable, say, write_file
from paramproof.cli.resolving import (
    require_families,
    require_one_input,
    resolving,
    resolving_all,
)
from paramproof.cli.symbolic import symbolic_table
from paramproof.counting.active import (
    active_in_letters,
    formulas,
    meanings,
    routing,
    total_and_active,
    verdict_line,
)
from paramproof.counting.conventions import DEFAULT
from paramproof.counting.count_data import count_data
from paramproof.counting.dtypes import BITS, bytes_text, require_dtype
from paramproof.counting.letters import in_letters, latex_of, letters_of
from paramproof.counting.tree import ties
from paramproof.formulas.conventions import CONVENTIONS
from paramproof.formulas.expression import expression
from paramproof.json_form import document
from paramproof.pages.document import model_file
from paramproof.pages.model import DTYPE
from paramproof.resolver import AnyModel, DerivedModel


@click.command("count", short_help="Count the parameters of models.")
@click.argument("models", metavar="MODEL...", nargs=-1, required=True, shell_complete=MODELS)
@click.option("--depth", type=click.IntRange(1), help="Print so many levels of the tree only.")
@click.option(
    "--dtype",
    metavar="DTYPE",
    default="",
    shell_complete=completing(lambda: BITS),
    help=f"Print the bytes, too, at this dtype: {', '.join(BITS)}.",
)
@json_option("the tree, its tensors and its count under every convention", where=INSTEAD)
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
    help="Print what one token passes of a model with experts, beside the total.",
)
@click.option(
    "--html",
    "html_file",
    type=Path,
    metavar="FILE",
    help="Write the model's page to FILE, which needs no other file and no network.",
)
@click.option("--latex", is_flag=True, help="Print the same terms as LaTeX (amsmath, align*).")
@class_option
def count_command(
    models: Sequence[str],
    depth: int | None,
    dtype: str,
    json_file: Path | None,
    conventions: Sequence[str],
    every: bool,
    symbolic: bool,
    active: bool,
    html_file: Path | None,
    latex: bool,
    class_name: str,
) -> None:
    """Print the tree of MODEL: shapes, parameters, subtotals and shares.

    MODEL is a model's name, or a config.json: of Hugging Face (BERT, ERNIE, RoBERTa, GPT-2,
    LLaMA), Google's bert_config.json or Baidu's ernie_config.json; - reads one from standard
    input. Of any other model type or class of Hugging Face the formula is in the catalogue, or is
    derived where transformers is installed. Several are printed side by side, with their
    differences to the first.

    With --under, print one number instead, and say what it counts; several conventions apply
    together. With --active, print total and active parameters under three conventions; with
    --symbolic or --json too, in letters or as data.
    """
    of_tree = bool(depth or dtype or json_file)
    if html_file:
        other = bool(depth or json_file or every or symbolic or latex or active)
        _write_page(html_file, models, class_name, dtype, conventions, other)
        return
    _require_one_kind(bool(conventions or every), symbolic or latex, of_tree)
    if active and (conventions or every or latex or depth or dtype):
        raise ValueError("--active goes with --symbolic or --json, and with no other of these")
    if dtype:
        require_dtype(dtype)
    resolved, refused = _resolved(models, class_name)
    if json_file:
        models_data = [
            count_data(model, model.inventory(), depth=depth, dtype=dtype, active=active)
            for model in resolved
        ]
        data = document("counts", {"models": models_data})
        write_file(json_file, json.dumps(data, indent=1, ensure_ascii=False) + "\n")
    elif active:
        for model in resolved:
            _print_active(model, symbolic)
    elif conventions or every or symbolic or latex:
        for model in resolved:
            _print_otherwise(model, conventions, every, latex)
    elif len(resolved) == 1:
        _print_tree(resolved[0], depth, dtype)
    elif resolved:
        _print_beside(resolved, depth, dtype)
    if refused:
        raise SystemExit(2)


def _resolved(models: Sequence[str], class_name: str) -> tuple[list[AnyModel], bool]:
    """Return the models that can be counted, and whether others were refused on standard error.

    Raises ``ValueError`` where one model is asked for, or none can be counted.
    """
    require_one_input(models)
    found: list[AnyModel] = []
    errors: list[ValueError] = []
    for model in models:
        try:
            found.append(resolving(model, class_name))
        except ValueError as error:
            errors.append(error)
    if errors and not found:
        raise errors[0]
    for error in errors:
        complain(error)
    require_families(found)
    return found, bool(errors)


def _write_page(
    file: Path,
    models: Sequence[str],
    class_name: str,
    dtype: str,
    conventions: Sequence[str],
    other: bool,
) -> None:
    """Write a model's page; ``other`` says whether there are options that it does not go with."""
    if other or len(models) > 1 or len(conventions) > 1:
        raise ValueError("--html is the page of one model: it goes with --dtype and one --under")
    require_writable(file, "--html")
    require_dtype(dtype or DTYPE)
    (under,) = conventions or (DEFAULT,)
    (model,) = resolving_all(models, class_name)
    page = model_file(model, under, dtype or DTYPE)
    write_file(file, page, "--html")


def _require_one_kind(*kinds: bool) -> None:
    if sum(kinds) > 1:
        raise ValueError(
            "--depth, --dtype and --json are about the tree, --under and --all-conventions count "
            "in numbers, --symbolic and --latex in letters: give options of one kind"
        )


def _print_otherwise(model: AnyModel, conventions: Sequence[str], every: bool, latex: bool) -> None:
    name = escape(model.title)
    if latex:
        say(latex_of(in_letters(model)))
        return
    if every:
        print_conventions(name, model.inventory())
    elif conventions:
        print_count(name, model.inventory(), conventions)
    else:
        title = f"{model.title}: trainable parameters in letters, tied tensors counted once"
        console.print(title, markup=False)
        console.print(symbolic_table(in_letters(model)))
        for line in letters_of(model):
            console.print(line, markup=False, highlight=False)
    if isinstance(model, DerivedModel):
        for line in model.origin():
            console.print(line, markup=False, highlight=False)


def _print_active(model: AnyModel, symbolic: bool) -> None:
    counts = total_and_active(model)
    if symbolic:
        of_token = active_in_letters(model)
        title = f"{model.title}: what one token passes, in letters, tied tensors counted once"
        table = symbolic_table(of_token)
        lines = [*formulas(counts), *letters_of(model, expression(of_token.named.total()))]
    else:
        title = f"{model.title}: total and active parameters, tied tensors counted once"
        table, lines = active_table(counts), [*meanings()]
    console.print(title, markup=False)
    console.print(table)
    for line in [*routing(model), *lines, *model.origin(), *verdict_line(model, counts)]:
        console.print(line, markup=False, highlight=False)


def _print_tree(model: AnyModel, depth: int | None, dtype: str) -> None:
    title = f"{model.title}: trainable parameters, tied tensors counted once"
    console.print(title, markup=False)
    named = model.inventory()
    console.print(count_table(named, depth, dtype))
    for tie in ties(named):
        console.print(f"tied: {tie}", markup=False)
    for line in [*_bytes(model, dtype), *model.origin()]:
        console.print(line, markup=False)


def _print_beside(resolved: Sequence[AnyModel], depth: int | None, dtype: str) -> None:
    console.print("trainable parameters, tied tensors counted once")
    for table in beside_tables(resolved, depth, dtype, console.width):
        console.print(table)
    for model in resolved:
        for line in [*_bytes(model, dtype), *model.origin()]:
            console.print(f"{model.title}: {line}", markup=False)


def _bytes(model: AnyModel, dtype: str) -> Iterator[str]:
    """Yield the bytes of a model at ``dtype``, or else at what its own configuration names."""
    total = model.inventory().total()
    if dtype:
        yield bytes_text(total, dtype)
    elif read := model.reading:
        if read.dtype in BITS:
            yield f"bytes as the file has it: {bytes_text(total, read.dtype)}"
        if read.stored:
            yield f"bytes if every weight is quantized, without scales: {bytes_text(total, read.stored)}"
