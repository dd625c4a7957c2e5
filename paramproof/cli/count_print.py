"""Print the answers of ``paramproof count``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.markup import escape

from paramproof.algebra.terms import Lettered
from paramproof.cli.beside_table import beside_tables
from paramproof.cli.conventions import print_conventions, print_count
from paramproof.cli.output import console, say
from paramproof.counting.active import (
    active_in_letters,
    active_table,
    formulas,
    routing,
    total_and_active,
    verdict_line,
)
from paramproof.counting.dtypes import BITS, bytes_text
from paramproof.counting.letters import (
    holds_where,
    in_letters,
    latex_of,
    letters_in,
    letters_table,
    terms_table,
)
from paramproof.counting.tree import tree_table
from paramproof.formulas.expression import Expression, expression
from paramproof.resolver import Model
from paramproof.tables.terminal import print_lines, print_table


def print_count_or_formula(
    model: Model, conventions: Sequence[str], every: bool, latex: bool
) -> None:
    """Print a model's count under some or all conventions, or its formula, also as LaTeX."""
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
        _print_terms(in_letters(model), model)
    if model.architecture.spec is None:
        print_lines(console, model.origin())


def _print_terms(
    counted: Lettered, model: Model, formula: Expression | None = None, *notes: str
) -> None:
    """Print the terms of a count, their letters, and where the formula holds."""
    table = terms_table(counted).only("component", "each", "times", "total")
    print_table(console, replace(table, notes=notes))
    if letters := letters_in(model, formula):
        print_table(console, letters_table(model.architecture, letters))
    print_lines(console, holds_where(model))


def print_active(model: Model, symbolic: bool) -> None:
    """Print the total and active parameters of a model, or the formula of the active ones."""
    counts = total_and_active(model)
    verdict = (*model.origin(), *verdict_line(model, counts))
    if symbolic:
        active = active_in_letters(model)
        title = f"{model.title}: active parameters per token, in letters, tied tensors counted once"
        console.print(title, markup=False)
        whole = expression(active.named.total())
        _print_terms(active, model, whole, *routing(model), *formulas(counts))
        print_lines(console, verdict)
    else:
        title = f"{model.title}: total and active parameters, tied tensors counted once"
        console.print(title, markup=False)
        table = active_table(counts)
        notes = (*routing(model), *table.notes, *verdict)
        print_table(console, replace(table, notes=notes))


def print_tree(model: Model, depth: int | None, dtype: str) -> None:
    """Print a model as a tree, and the sources of its sizes and its formula."""
    title = f"{model.title}: trainable parameters, tied tensors counted once"
    console.print(title, markup=False)
    print_table(console, tree_table(model.inventory(), depth, dtype))
    print_lines(console, [*_bytes(model, dtype), *model.origin()])


def print_beside(resolved: Sequence[Model], depth: int | None, dtype: str) -> None:
    """Print models side by side, with their differences from the first."""
    console.print("trainable parameters, tied tensors counted once")
    for table in beside_tables(resolved, depth, dtype, console.width):
        print_table(console, table)
    for model in resolved:
        lines = (*_bytes(model, dtype), *model.origin())
        print_lines(console, (f"{model.title}: {line}" for line in lines))


def _bytes(model: Model, dtype: str) -> Iterator[str]:
    """Yield the bytes of a model at ``dtype``, or at the types that its configuration names."""
    total = model.inventory().total()
    if dtype:
        yield bytes_text(total, dtype)
    elif read := model.reading:
        if read.dtype in BITS:
            yield f"bytes at the file's dtype: {bytes_text(total, read.dtype)}"
        if read.stored:
            size = bytes_text(total, read.stored)
            yield f"bytes if every weight is quantized, without scales: {size}"
