"""``paramproof count --active``: total and active as a table."""

from __future__ import annotations

from rich.table import Table

from paramproof.cli.tables import PLAIN, RIGHT
from paramproof.counting.active import Counts
from paramproof.counting.conventions import UNDECIDED


def active_table(counts: Counts) -> Table:
    """Return a line for each convention: total, active and its share."""
    table = Table("convention", **PLAIN)
    for heading in ("total", "active", "share"):
        table.add_column(heading, justify=RIGHT, no_wrap=True)
    for name, one in counts.items():
        if one is None:
            table.add_row(name, UNDECIDED, "", "")
            continue
        share = f"{100 * one.active / one.total:.2f} %" if one.total else ""
        table.add_row(name, f"{one.total:,}", f"{one.active:,}", share)
    return table
