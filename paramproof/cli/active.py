"""The table of ``paramproof count --active``: total and active parameters."""

from __future__ import annotations

from rich.table import Table

from paramproof.cli.tables import PLAIN, RIGHT
from paramproof.counting.active import Counts
from paramproof.counting.conventions import UNDECIDED


def active_table(counts: Counts) -> Table:
    """Return a table with the total, the active parameters and their share, by convention."""
    table = Table("convention", **PLAIN)
    for heading in ("total", "active", "share"):
        table.add_column(heading, justify=RIGHT, no_wrap=True)
    for name, pair in counts.items():
        if pair is None:
            table.add_row(name, UNDECIDED, "", "")
            continue
        share = f"{100 * pair.active / pair.total:.2f} %" if pair.total else ""
        table.add_row(name, f"{pair.total:,}", f"{pair.active:,}", share)
    return table
