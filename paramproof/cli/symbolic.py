"""The table of ``paramproof count --symbolic``: the terms of a count, in letters."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table

from paramproof.algebra.terms import Lettered, terms
from paramproof.cli.tables import PLAIN
from paramproof.counting.letters import each_text, times_text
from paramproof.formulas.expression import expression
from paramproof.formulas.notation import text
from paramproof.formulas.printing import legible
from paramproof.formulas.spec import Quantity


def symbolic_table(model: Lettered) -> Table:
    """Return a table with a line for each term: its formula, how often it occurs, its value."""
    table = Table(**PLAIN)
    table.add_column("component", overflow="fold", min_width=24)
    table.add_column("each", overflow="fold")
    table.add_column("", no_wrap=True)
    table.add_column("total", justify="right", no_wrap=True)
    for term in terms(model.named):
        number = _number(term.times * term.each, model)
        table.add_row(escape(legible(term.path)), each_text(term), times_text(term), number)
    table.add_section()
    whole = model.named.total()
    table.add_row("total", text(whole), "", _number(whole, model))
    if model.closed is not None:
        table.add_row("closed form", text(model.closed), "", _number(model.closed, model))
    return table


def _number(quantity: Quantity, model: Lettered) -> str:
    return f"{expression(quantity).evaluate(model.sizes):,}"
