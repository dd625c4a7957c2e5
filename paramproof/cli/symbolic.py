"""``paramproof count --symbolic``: where a count comes from, in letters."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table

from paramproof.algebra.terms import Term, collected, latex_sum, sizes_as_symbols, terms, written
from paramproof.cli.tables import PLAIN
from paramproof.formulas import Spec, closed_form, inventory


def symbolic_table(spec: Spec) -> Table:
    """A line for each term: what there is of it in letters, how often, and the number."""
    letters, numbers = sizes_as_symbols(spec), spec.letters()
    counts = [term.times * term.each for term in terms(numbers)]
    table = Table(**PLAIN)
    table.add_column("component", no_wrap=True)
    table.add_column("each", overflow="fold")
    table.add_column("", no_wrap=True)
    table.add_column("total", justify="right", no_wrap=True)
    for term, count in zip(terms(letters), counts, strict=True):
        times = "" if term.times == 1 else f"× {written(term.times)}"
        table.add_row(escape(term.path), _each(term), times, f"{int(count):,}")
    table.add_section()
    whole = written(collected(inventory(letters).total(), letters))
    table.add_row("total", whole, "", f"{int(sum(counts)):,}")
    table.add_row("closed form", written(closed_form(letters)), "", f"{closed_form(numbers):,}")
    return table


def sizes_line(spec: Spec) -> str:
    """What the letters are: ``L = 12, H = 768, …``."""
    pairs = zip(sizes_as_symbols(spec)._asdict().items(), spec.letters(), strict=True)
    return ", ".join(f"{name} = {size}" for (name, symbol), size in pairs if str(symbol) == name)


def latex_of(spec: Spec) -> str:
    """The same sum as LaTeX, up to the closed form."""
    letters = sizes_as_symbols(spec)
    return latex_sum(terms(letters), closed_form(letters))


def _each(term: Term) -> str:
    """What one has, or why there is nothing to count."""
    if term.each != 0:
        return written(term.each)
    tied = [tensor.tied_to for tensor in term.tensors if tensor.tied_to]
    return f"0: tied to {tied[0]}" if tied else "0: not trainable"
