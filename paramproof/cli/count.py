"""``paramproof count``: print a model as a tree, a number, a formula or JSON.

Options choose a form of the answer, and a form says which others it can be combined with. Whatever
the form, an answer is a title, a table or a number, and lines on what it rests on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click

from paramproof.cli.options import (
    INSTEAD,
    MODELS,
    class_option,
    completing,
    derive_option,
    json_option,
    require_together,
)
from paramproof.cli.output import (
    complain,
    console,
    require_writable,
    say,
    show,
    write_file,
    write_json,
)
from paramproof.cli.resolving import (
    require_families,
    require_one_input,
    resolving,
    resolving_all,
)
from paramproof.formulas import Inventory
from paramproof.formulas.conventions import CONVENTIONS, MEBI, as_named, count, in_units
from paramproof.formulas.expression import Expression, expression
from paramproof.formulas.printing import legible
from paramproof.json_form import document
from paramproof.resolver import Model
from paramproof.views.conventions import (
    DEFAULT,
    active_in_letters,
    active_table,
    as_counted,
    conventions_table,
    routing,
    shown_first,
    total_and_active,
    verdict_line,
    with_storage,
)
from paramproof.views.counted import count_data
from paramproof.views.dtypes import BITS, bytes_text, require_dtype
from paramproof.views.formula import (
    holds_where,
    latex_sum,
    letters_in,
    letters_table,
    terms_table,
)
from paramproof.views.tree import tree_table

TIED = "tied tensors counted once"
COUNTED = f"trainable parameters, {TIED}"

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
    require_together(FORMS)
    chosen = SimpleNamespace(**options)
    chosen.dtype = require_dtype(chosen.dtype) if chosen.dtype else ""
    if chosen.resume and not chosen.lines_file:
        raise ValueError("--resume needs --jsonl")
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
    in_letters = chosen.symbolic or chosen.active or chosen.latex
    found = _resolved(models, chosen.class_name, weighs=not in_letters)
    if chosen.json_file and found:
        how: dict[str, Any] = {"depth": chosen.depth, "dtype": chosen.dtype}
        how |= {"active": chosen.active, "under": chosen.conventions}
        body = {"models": [count_data(model, **how) for model in found]}
        write_json(chosen.json_file, document("counts", body))
    elif len(found) > 1 and not (in_letters or chosen.conventions or chosen.every):
        _print_beside(found, chosen)
    else:
        for one in found:
            _print_model(one, chosen)
    if len(found) < len(models):
        raise SystemExit(2)


def _resolved(models: Sequence[str], class_name: str, weighs: bool) -> list[Model]:
    """Return the models that can be counted; of several, print the errors of all others."""
    require_one_input(models)
    found = []
    for model in models:
        try:
            found.append(resolving(model, class_name, weighs=weighs))
        except ValueError as error:
            if len(models) == 1:
                raise
            complain(error)
    require_families(one.architecture for one in found)
    return found


def _write_page(file: Path, models: Sequence[str], chosen: SimpleNamespace) -> None:
    from paramproof.pages.document import model_file

    if len(models) > 1 or len(chosen.conventions) > 1:
        raise ValueError("--html writes the page of one model, with at most one --under")
    require_writable(file, "--html")
    (under,) = chosen.conventions or (DEFAULT,)
    (model,) = resolving_all(models, chosen.class_name)
    write_file(file, model_file(model, under, chosen.dtype), "--html")


def _print_model(model: Model, chosen: SimpleNamespace) -> None:
    if chosen.latex:
        letters, closed = _in_letters(model, chosen.conventions)
        say(latex_sum(letters, closed or letters.total()))
        return
    named, first, conventions = model.inventory(), "", with_storage(chosen.conventions)
    number = int(count(named, *conventions))
    under = ", ".join(conventions) if chosen.conventions else ""
    if chosen.active:
        first, number = _print_active(model, chosen.symbolic)
    elif chosen.symbolic:
        what = "parameters" if under else "trainable parameters"
        show(console, [f"{model.title}: {what} in letters, {under or TIED}"])
        _print_terms(model, *_in_letters(model, chosen.conventions))
    elif chosen.every:
        what = "every convention; those after `listed` count trainable parameters"
        show(console, [f"{model.title}: {what}", conventions_table(named)])
    elif under and not chosen.depth:
        units = f"{in_units(number)} × 10⁶, {in_units(number, MEBI)} × 2²⁰"
        rounded = f"rounded: {as_named(number)}, {as_named(number, 3)}"
        told = (f"{name}: {CONVENTIONS[name].__doc__}" for name in conventions)
        show(console, (f"{model.title}, {under}: {number:,}", units, rounded, *told))
    else:
        counted = as_counted(named, conventions) if under else named
        beside = () if under else model.beside_total()
        table = tree_table(counted, chosen.depth, chosen.dtype, beside)
        show(console, [f"{model.title}: {under or COUNTED}", table])
    if chosen.dtype or not first:
        show(console, (f"{first}{line}" for line in _bytes(model, number, chosen.dtype)))
    show(console, _origin(model, chosen))


def _print_beside(models: Sequence[Model], chosen: SimpleNamespace) -> None:
    # One model, which is counted most often, needs no table of several.
    from paramproof.cli.side_by_side import tables_side_by_side

    tables = tables_side_by_side(models, chosen.depth, chosen.dtype, console.width)
    show(console, [COUNTED, *tables])
    for model in models:
        number = int(model.inventory().total())
        lines = (*model.beside_total(), *_bytes(model, number, chosen.dtype))
        said = (*lines, *_origin(model, chosen))
        show(console, (f"{model.title}: {line}" for line in said))


def _in_letters(model: Model, conventions: Sequence[str]) -> tuple[Inventory, Expression | None]:
    """Return what conventions count, and the closed form of all if it is written apart."""
    one = model.architecture
    if conventions:
        return as_counted(one.inventory(), conventions), None
    return one.inventory(), one.formula if one.family else None


def _print_terms(
    model: Model, counted: Inventory, closed: Expression | None = None, notes: Sequence[str] = ()
) -> None:
    table = terms_table(counted, model.sizes, closed).only("component", "each", "times", "total")
    show(console, [replace(table, notes=tuple(notes))])
    if letters := letters_in(model, expression(counted.total())):
        show(console, [letters_table(model.architecture, letters)])
    show(console, holds_where(model))


def _print_active(model: Model, symbolic: bool) -> tuple[str, int]:
    """Print total and active parameters, or the formula of these; return which come first."""
    counts = total_and_active(model)
    first, found = shown_first(counts)
    notes = (*verdict_line(model, counts), *routing(model))
    if symbolic:
        show(console, [f"{model.title}: active parameters per token in letters, {first}"])
        _print_terms(model, active_in_letters(model, first), notes=notes)
    else:
        table = active_table(counts)
        table = replace(table, notes=(*notes, *table.notes))
        show(console, [f"{model.title}: total and active parameters, {TIED}", table])
    return f"active, {first}: ", found.active if found else 0


def _bytes(model: Model, number: int, dtype: str) -> Iterator[str]:
    """Yield the bytes of parameters at ``dtype``, or at the types that a configuration names."""
    if dtype:
        yield bytes_text(number, dtype)
    elif read := model.reading:
        if read.dtype in BITS:
            what = "bytes before quantization" if read.quantized else "bytes at the file's dtype"
            yield f"{what}: {bytes_text(number, read.dtype)}"
        if read.stored:
            size = bytes_text(number, read.stored)
            yield f"bytes if every weight is quantized, without scales: {size}"


def _origin(model: Model, chosen: SimpleNamespace) -> Iterator[str]:
    yield from model.origin()
    if chosen.buffers and model.has_formula:
        names = ", ".join(map(legible, model.architecture.buffers)) or "none"
        yield f"buffers, not counted: {names}"
