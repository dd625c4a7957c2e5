"""``paramproof count --symbolic``: where a count comes from, in letters."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table

from paramproof.algebra.symbols import size_letters, sizes_as_symbols
from paramproof.algebra.terms import Term, latex_sum, terms
from paramproof.cli.tables import PLAIN
from paramproof.formulas import Spec, closed_form, inventory
from paramproof.formulas.notation import text


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
        times = "" if term.times == 1 else f"× {text(term.times)}"
        table.add_row(escape(term.path), _each(term), times, f"{int(count):,}")
    table.add_section()
    whole = text(inventory(letters).total())
    table.add_row("total", whole, "", f"{int(sum(counts)):,}")
    table.add_row("closed form", text(closed_form(letters)), "", f"{closed_form(numbers):,}")
    return table


def sizes_line(spec: Spec) -> str:
    """What the letters are: ``L = 12, H = 768, …``."""
    letters = spec.letters()
    sizes = ((name, getattr(letters, name)) for name in size_letters(type(letters)))
    return ", ".join(f"{name} = {size}" for name, size in sizes)


def latex_of(spec: Spec) -> str:
    """The same sum as LaTeX, up to the closed form."""
    letters = sizes_as_symbols(spec)
    return latex_sum(terms(letters), closed_form(letters))


def _each(term: Term) -> str:
    """What one has, or why there is nothing to count."""
    if term.each != 0:
        return text(term.each)
    tied = [tensor.tied_to for tensor in term.tensors if tensor.tied_to]
    return f"0: tied to {tied[0]}" if tied else "0: not trainable"
