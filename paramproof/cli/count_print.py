"""Print the answers of ``paramproof count``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from paramproof.cli.output import console, say
from paramproof.formulas.conventions import CONVENTIONS, MEBI, as_named, count, in_units
from paramproof.formulas.expression import expression
from paramproof.formulas.printing import legible
from paramproof.resolver import LiveModel, Model
from paramproof.views.active import (
    active_in_letters,
    active_table,
    routing,
    shown_first,
    total_and_active,
    verdict_line,
)
from paramproof.views.conventions import as_counted, conventions_table, with_storage
from paramproof.views.dtypes import BITS, bytes_text
from paramproof.views.formula import (
    Lettered,
    holds_where,
    in_letters,
    latex_of,
    letters_in,
    letters_table,
    terms_table,
)
from paramproof.views.terminal import print_lines, print_table
from paramproof.views.tree import tree_table

TIED = "tied tensors counted once"
COUNTED = f"trainable parameters, {TIED}"


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
    buffers: bool
    class_name: str

    @property
    def are_of_one_model(self) -> bool:
        """Whether each model has an answer of its own; otherwise they are printed side by side."""
        return bool(self.conventions or self.every or self.symbolic or self.active or self.latex)


def print_model(model: Model | LiveModel, chosen: CountOptions) -> None:
    """Print one model as the options say: its tree, a number, the conventions or the formula."""
    if chosen.latex:
        say(latex_of(_lettered(_with_formula(model), chosen.conventions)))
        return
    named, first = model.inventory(), ""
    number = int(count(named, *with_storage(chosen.conventions)))
    if chosen.active:
        first, number = _print_active(_with_formula(model), chosen.symbolic)
    elif chosen.symbolic:
        model = _with_formula(model)
        names = ", ".join(with_storage(chosen.conventions))
        what = f"parameters in letters, {names}"
        _title(model, what if chosen.conventions else f"trainable parameters in letters, {TIED}")
        _print_terms(_lettered(model, chosen.conventions), model)
    elif chosen.every:
        _title(model, "every convention; those after `listed` count trainable parameters")
        print_table(console, conventions_table(named))
    elif chosen.conventions and not chosen.depth:
        _print_count(model, number, chosen.conventions)
    elif chosen.conventions:
        _title(model, ", ".join(with_storage(chosen.conventions)))
        print_table(
            console, tree_table(as_counted(named, chosen.conventions), chosen.depth, chosen.dtype)
        )
    else:
        _title(model, COUNTED)
        print_table(console, tree_table(named, chosen.depth, chosen.dtype, model.beside_total()))
    if chosen.dtype or not first:
        print_lines(console, (f"{first}{line}" for line in _bytes(model, number, chosen.dtype)))
    print_lines(console, _origin(model, chosen))


def print_beside(models: Sequence[Model | LiveModel], chosen: CountOptions) -> None:
    """Print models side by side, with their differences from the first."""
    # One model, which is counted most often, needs no table of several.
    from paramproof.cli.beside_table import beside_tables

    console.print(COUNTED)
    for table in beside_tables(models, chosen.depth, chosen.dtype, console.width):
        print_table(console, table)
    for model in models:
        number = int(model.inventory().total())
        lines = (*model.beside_total(), *_bytes(model, number, chosen.dtype))
        said = (*lines, *_origin(model, chosen))
        print_lines(console, (f"{model.title}: {line}" for line in said))


def _with_formula(model: Model | LiveModel) -> Model:
    if isinstance(model, LiveModel):
        options = "--active, --symbolic and --latex"
        raise ValueError(f"{model.title} has weights, and no formula: {options} need a config.json")
    return model


def _title(model: Model | LiveModel, what: str) -> None:
    console.print(f"{model.title}: {what}", markup=False)


def _lettered(model: Model, conventions: Sequence[str]) -> Lettered:
    """Return a model in letters, with only what conventions count."""
    whole = in_letters(model)
    if not conventions:
        return whole
    return replace(whole, named=as_counted(whole.named, conventions), closed=None)


def _print_count(model: Model | LiveModel, number: int, conventions: Sequence[str]) -> None:
    """Print the count of a model under conventions, and the meaning of each."""
    chosen = with_storage(conventions)
    console.print(f"{model.title}, {', '.join(chosen)}: {number:,}", markup=False, highlight=False)
    console.print(f"{in_units(number)} × 10⁶, {in_units(number, MEBI)} × 2²⁰", highlight=False)
    console.print(f"rounded: {as_named(number)}, {as_named(number, 3)}")
    print_lines(console, (f"{name}: {CONVENTIONS[name].__doc__}" for name in chosen))


def _print_terms(counted: Lettered, model: Model, *notes: str) -> None:
    """Print the terms of a count, their letters, and where the formula holds."""
    table = terms_table(counted).only("component", "each", "times", "total")
    print_table(console, replace(table, notes=notes))
    if letters := letters_in(model, expression(counted.named.total())):
        print_table(console, letters_table(model.architecture, letters))
    print_lines(console, holds_where(model))


def _print_active(model: Model, symbolic: bool) -> tuple[str, int]:
    """Print total and active parameters, or the formula of these; return which come first."""
    counts = total_and_active(model)
    first, found = shown_first(counts)
    notes = (*verdict_line(model, counts), *routing(model))
    if symbolic:
        _title(model, f"active parameters per token in letters, {first}")
        _print_terms(active_in_letters(model, first), model, *notes)
    else:
        _title(model, f"total and active parameters, {TIED}")
        table = active_table(counts)
        print_table(console, replace(table, notes=(*notes, *table.notes)))
    return f"active, {first}: ", found.active if found else 0


def _bytes(model: Model | LiveModel, number: int, dtype: str) -> Iterator[str]:
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


def _origin(model: Model | LiveModel, chosen: CountOptions) -> Iterator[str]:
    yield from model.origin()
    if chosen.buffers and model.architecture:
        names = ", ".join(map(legible, model.architecture.buffers)) or "none"
        yield f"buffers, not counted: {names}"
