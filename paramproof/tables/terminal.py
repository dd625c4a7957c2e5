"""Tables in a terminal, laid out by rich."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from paramproof.tables.table import Fold, Table

PLAIN: dict[str, Any] = {"box": box.SIMPLE_HEAD, "pad_edge": False, "padding": (0, 1, 0, 0)}
INDENT = "  "

FOLDS: dict[Fold, dict[str, Any]] = {
    "anywhere": {"overflow": "fold"},
    "between words": {},
    "never": {"no_wrap": True},
}


def rich_table(table: Table) -> RichTable:
    """Return a table without its notes, for a console to print."""
    laid_out = RichTable(**PLAIN)
    for column in table.columns:
        laid_out.add_column(
            escape(column.heading),
            justify="right" if column.is_number else "left",
            min_width=column.width,
            **FOLDS[column.fold],
        )
    for row in table.rows:
        if row.starts_section:
            laid_out.add_section()
        first, *others = map(escape, table.written(row))
        style = "bold" if row.is_bold else None
        laid_out.add_row(f"{INDENT * row.level}{first}", *others, style=style)
    return laid_out


def print_table(out: Console, table: Table) -> None:
    """Print a table and its notes."""
    out.print(rich_table(table))
    print_lines(out, table.notes)


def print_lines(out: Console, lines: Iterable[str]) -> None:
    """Print lines as they are; those wider than the terminal are wrapped."""
    for line in lines:
        out.print(line, markup=False, highlight=False)
