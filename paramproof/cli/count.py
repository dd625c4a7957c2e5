"""``paramproof count``: print a model as a tree, a number, a formula or JSON.

Options choose a form of the answer, and a form says which others it can be combined with. Whatever
the form, an answer is a title, a table or a number, and lines on what it rests on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click

from paramproof.bytes import BITS, bytes_of, bytes_text, require_dtype
from paramproof.cli import following, options
from paramproof.cli.output import CommandAnswer, Unwrapped, complain, require_writable, write_file
from paramproof.formulas import Inventory
from paramproof.formulas.conventions import CONVENTIONS, MEBI, as_named, count, in_units
from paramproof.formulas.expression import BUILT_IN, Expression, expression
from paramproof.formulas.path import LAYER, beginnings, leaf
from paramproof.formulas.printing import legible
from paramproof.json_form import document
from paramproof.resolver import Model
from paramproof.tables import Column, Table, TableRow, numbers, signed_or_zero
from paramproof.views import conventions, formula
from paramproof.views.counted import count_data
from paramproof.views.terminal import UNBOUNDED
from paramproof.views.tree import TreeRow, depth_within, tree, tree_table

TIED = "tied tensors counted once"
COUNTED = f"trainable parameters, {TIED}"

COMPONENT = 24  # The least width of names of components side by side; longer ones are folded.
GAP = 2  # The width of the space between two columns.

ANY = {"--class", "--derive", "--dtype", "--json", "--buffers"}
FORMS = {
    "--jsonl": {"--json", "--resume"},
    "--html": {"--under", "--class", "--derive", "--dtype"},
    "--latex": {"--symbolic", "--under", "--class", "--derive"},
    "--all-conventions": ANY,
    "--symbolic": {"--latex", "--under", "--active", *ANY},
    "--active": {"--symbolic", *ANY},
    **following.FORMS,
}
"""The options that choose a form of the answer; without any, the tree takes all others."""


@click.command("count", short_help="Count the parameters of models.")
@click.argument("models", metavar="[MODEL...]", nargs=-1, shell_complete=options.MODELS)
@click.option("--depth", type=click.IntRange(1), metavar="N", help="Print N levels of the tree.")
@click.option(
    "--under",
    multiple=True,
    metavar="NAME",
    shell_complete=options.completing(lambda: CONVENTIONS),
    help="Count under this convention; under all of several at once.",
)
@click.option("--all-conventions", "every", is_flag=True, help="Count under every convention.")
@click.option(
    "--dtype",
    metavar="DTYPE",
    default="",
    shell_complete=options.completing(lambda: BITS),
    help="Print bytes, too, such as at bfloat16.",
)
@options.as_json("everything", is_alone=True)
@click.option("--symbolic", is_flag=True, help="Print the formula: its terms, in letters.")
@click.option("--active", is_flag=True, help="Print the parameters used per token (experts).")
@options.class_name
@options.derive
@following.options
@click.option("--buffers", is_flag=True, help="List buffers, too, which no count includes.")
@click.option("--latex", is_flag=True, help="Print the formula as LaTeX.")
@click.option(
    "--html", "html_file", type=Path, metavar="FILE", help="Write the page of the model to FILE."
)
@click.option(
    "--jsonl", "lines_file", metavar="FILE", help="Count each line of FILE (-: standard input)."
)
@click.option("--resume", is_flag=True, help="Continue the file of --json (with --jsonl).")
def count_command(models: Sequence[str], **given: Any) -> CommandAnswer | None:
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
    options.require_together(FORMS)
    chosen = SimpleNamespace(**given)
    chosen.dtype = require_dtype(chosen.dtype) if chosen.dtype else ""
    if chosen.resume and not chosen.lines_file:
        raise ValueError("--resume needs --jsonl")
    if chosen.lines_file:
        if models:
            raise ValueError("--jsonl reads configurations from its FILE: leave out MODEL")
        # Pools of processes take time to import, and one model needs none.
        from paramproof.cli.count_lines import write_lines

        raise SystemExit(write_lines(chosen.lines_file, resume=chosen.resume))
    if not models:
        raise click.UsageError("give a MODEL: a name, a config.json, or a model type")
    if chosen.html_file:
        _write_page(models, chosen)
        return None
    in_letters = chosen.symbolic or chosen.active or chosen.latex
    has_other_form = following.is_asked(chosen) or in_letters or chosen.under or chosen.every
    found = _resolved(models, chosen.class_name, weighs=not in_letters)
    is_beside = len(found) > 1 and not has_other_form

    def parts(width: int | None) -> Iterator[Table | str]:
        if not is_beside:
            yield from chain.from_iterable(_parts(one, chosen) for one in found)
            return
        yield COUNTED
        yield from _tables_beside(found, chosen.depth, chosen.dtype, width or UNBOUNDED)
        for model in found:
            number = int(model.inventory().total())
            lines = (*model.beside_total(), *_bytes(model, number, chosen.dtype))
            yield from (f"{model.title}: {line}" for line in (*lines, *_origin(model, chosen)))

    def counts() -> Mapping[str, Any]:
        how: dict[str, Any] = {"depth": chosen.depth, "dtype": chosen.dtype}
        how |= {"active": chosen.active, "under": chosen.under}
        asked = (following.answers(model, chosen) for model in found)
        data = [{name: answer.data for name, answer in one.items()} for one in asked]
        counted = [count_data(model, **how) | own for model, own in zip(found, data, strict=True)]
        return document("counts", {"models": counted})

    return CommandAnswer(parts, counts, 2 if len(found) < len(models) else 0)


def _write_page(models: Sequence[str], chosen: SimpleNamespace) -> None:
    from paramproof.pages.document import model_file

    if len(models) > 1 or len(chosen.under) > 1:
        raise ValueError("--html writes the page of one model, with at most one --under")
    require_writable(chosen.html_file, "--html")
    (under,) = chosen.under or (conventions.DEFAULT,)
    page = model_file(options.resolving(models[0], chosen.class_name), under, chosen.dtype)
    write_file(chosen.html_file, page, "--html")


def _resolved(models: Sequence[str], class_name: str, weighs: bool) -> list[Model]:
    """Return the models that can be counted; of several, print the errors of all others."""
    options.require_one_input(models)
    found = []
    for model in models:
        try:
            found.append(options.resolving(model, class_name, weighs=weighs))
        except ValueError as error:
            if len(models) == 1:
                raise
            complain(error)
    if not found:
        raise SystemExit(2)
    return found


def _parts(model: Model, chosen: SimpleNamespace) -> Iterator[Table | str]:
    if chosen.latex:
        letters, closed = _in_letters(model, chosen.under)
        yield Unwrapped(formula.latex_sum(letters, closed or letters.total()))
        return
    if asked := following.answers(model, chosen):
        for answer in asked.values():
            yield f"{model.title}: {answer.heading}"
            yield answer.table
            yield from answer.lines
        yield from _origin(model, chosen)
        return
    named, first, names = model.inventory(), "", conventions.with_storage(chosen.under)
    number = int(count(named, *names))
    under = ", ".join(names) if chosen.under else ""
    if chosen.active:
        counts = conventions.total_and_active(model)
        form, found = conventions.shown_first(counts)
        first, number = f"active, {form}: ", found.active if found else 0
        notes = (*conventions.verdict_line(model, counts), *conventions.routing(model))
        if chosen.symbolic:
            yield f"{model.title}: active parameters per token in letters, {form}"
            yield from _terms(model, conventions.active_in_letters(model, form), notes=notes)
        else:
            yield f"{model.title}: total and active parameters, {TIED}"
            table = conventions.active_table(counts)
            yield replace(table, notes=(*notes, *table.notes))
    elif chosen.symbolic:
        what = "parameters" if under else "trainable parameters"
        yield f"{model.title}: {what} in letters, {under or TIED}"
        yield from _terms(model, *_in_letters(model, chosen.under))
    elif chosen.every:
        what = "every convention; those after `listed` count trainable parameters"
        yield f"{model.title}: {what}"
        yield conventions.conventions_table(named)
    elif under and not chosen.depth:
        yield f"{model.title}, {under}: {number:,}"
        yield f"{in_units(number)} × 10⁶, {in_units(number, MEBI)} × 2²⁰"
        yield f"rounded: {as_named(number)}, {as_named(number, 3)}"
        yield from (f"{name}: {CONVENTIONS[name].__doc__}" for name in names)
    else:
        counted = conventions.as_counted(named, names) if under else named
        yield f"{model.title}: {under or COUNTED}"
        yield tree_table(counted, chosen.depth, chosen.dtype, () if under else model.beside_total())
    if chosen.dtype or not first:
        yield from (f"{first}{line}" for line in _bytes(model, number, chosen.dtype))
    yield from _origin(model, chosen)


def _in_letters(model: Model, under: Sequence[str]) -> tuple[Inventory, Expression | None]:
    """Return what conventions count, and the closed form of all if it is written apart."""
    one = model.architecture
    if under:
        return conventions.as_counted(one.inventory(), under), None
    return one.inventory(), one.formula if one.family else None


def _terms(
    model: Model, counted: Inventory, closed: Expression | None = None, notes: Sequence[str] = ()
) -> Iterator[Table | str]:
    table = formula.terms_table(counted, model.sizes, closed)
    yield replace(table.only("component", "each", "times", "total"), notes=tuple(notes))
    if letters := formula.letters_in(model, expression(counted.total())):
        yield formula.letters_table(model.architecture, letters)
    yield from formula.holds_where(model)


def _bytes(model: Model, number: int, dtype: str) -> Iterator[str]:
    """Yield the bytes of parameters at ``dtype``, or at the types that a configuration names."""
    if dtype:
        yield bytes_text(number, dtype)
    elif (read := model.reading) and read.dtype in BITS:
        what = "bytes before quantization" if read.quantized else "bytes at the file's dtype"
        yield f"{what}: {bytes_text(number, read.dtype)}"


def _origin(model: Model, chosen: SimpleNamespace) -> Iterator[str]:
    yield from model.origin()
    if chosen.buffers and model.has_formula:
        names = ", ".join(map(legible, model.architecture.buffers)) or "none"
        yield f"buffers, not counted: {names}"


def _tables_beside(
    models: Sequence[Model], depth: int | None, dtype: str, width: int
) -> Iterator[Table]:
    """Yield tables that compare the first model with as many of the others as fit in ``width``."""
    # One model, which is counted most often, needs no difference.
    from paramproof.views.difference import paired

    inventories = paired([one.architecture for one in models])
    trees = [list(tree(named, depth)) for named in inventories]
    shown = None if depth else min(filter(None, map(depth_within, trees)), default=None)
    cut = f"shown to --depth {shown}, of {max(map(len, trees)):,} rows"
    columns = [Column("component", "0"), numbers(models[0].title, "1", absent="-")]
    for number, model in enumerate(models[1:], 1):
        columns.append(numbers(model.title, f"{2 * number}", absent="-"))
        columns.append(numbers("− first", f"{2 * number + 1}", signed_or_zero, absent="-"))
    totals = [{"total": named.total()} for named in inventories]
    if dtype:
        totals = [{**one, f"bytes, {dtype}": bytes_of(one["total"], dtype)} for one in totals]
    sizes = []
    for model in models:  # By letter, or by field if no family defines the letter.
        fields = formula.letters_in(model, model.architecture.formula).items()
        sizes.append({k if k in BUILT_IN else field: model.sizes[k] for k, field in fields})
    rows = [
        *_rows(sizes, are_sizes=True),
        *_rows([_nodes(nodes, shown) for nodes in trees]),
        *_rows(totals),
    ]
    table = Table.of(columns, rows, [cut] if shown else [])
    widths = [GAP + max(map(len, cells)) for cells in zip(*map(table.written, rows), strict=True)]
    start = 2
    while start < len(columns):
        needed = accumulate(map(sum, zip(widths[start::2], widths[start + 1 :: 2], strict=True)))
        fitting = sum(one <= width - COMPONENT - widths[1] for one in needed) or 1
        end = start + 2 * fitting
        part = table.only("0", "1", *map(str, range(start, end)))
        if fitting == 1:
            last = replace(part.columns[-1], heading="difference")
            part = replace(part, columns=(*part.columns[:-1], last))
        yield part
        start = end


def _nodes(rows: Sequence[TreeRow], depth: int | None) -> Mapping[str, int]:
    """Return the parameters of each component down to ``depth``, kinds of layers added up."""
    found: Counter[str] = Counter()
    for node in rows:
        # A single layer has no row of its own: the row of its stack has the total of all layers.
        if leaf(node.path) != LAYER and (depth is None or node.depth <= depth):
            found[node.path] += node.total
    return found


def _rows(models: Sequence[Mapping[str, int]], *, are_sizes: bool = False) -> Iterator[TableRow]:
    """Yield rows of numbers by name: each model's, and its difference from the first."""
    from paramproof.views.difference import merged_paths

    names = dict.fromkeys(merged_paths(models))
    for place, name in enumerate(names):
        first, *others = (one.get(name) for one in models)
        cells = [first]
        for other in others:
            is_none = (first is None, other is None)
            absent = any(is_none) if are_sizes else all(is_none)
            cells += [other, None if absent else (other or 0) - (first or 0)]
        level = sum(one in names for one in beginnings(name)) - 1
        label = legible(leaf(name) if level else name)
        yield TableRow((label, *cells), level, starts_section=not place)
