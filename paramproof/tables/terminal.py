"""Tables in a terminal, laid out by rich."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from paramproof.tables.table import Column, Fold, Table, TableRow

PLAIN: dict[str, Any] = {"box": box.SIMPLE_HEAD, "pad_edge": False, "padding": (0, 1, 0, 0)}
INDENT = "  "

NARROWEST = 6
"""The least width of a column of names."""

LONGEST_WORD = 11
"""The longest word that is not broken in a column of sentences."""

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
            # No number is broken, but its heading may be.
            **FOLDS["anywhere" if column.is_number else column.fold],
        )
    for row in table.rows:
        if row.starts_section:
            laid_out.add_section()
        first, *others = map(escape, _cells(table, row))
        laid_out.add_row(first, *others, style="bold" if row.is_bold else None)
    return laid_out


def print_table(out: Console, table: Table) -> None:
    """Print a table and its notes.

    If the terminal is too narrow for a table, its texts are folded or cut, and its numbers are not.
    If it is too narrow even so, lines are longer than it is wide.
    """
    laid_out = rich_table(table)
    widths = fitting_widths(table, out.width)
    for column, width in zip(laid_out.columns, widths, strict=True):
        column.width = width
    if _total(widths) > out.width:
        laid_out.width = _total(widths)
    out.print(laid_out, crop=False)
    print_lines(out, table.notes)


def fitting_widths(table: Table, most: int) -> list[int]:
    """Return the width of each column, so that the table is at most ``most`` wide if it can be.

    The widest text is made narrower first. A column of numbers is as wide as its longest number.
    """
    rows = [_cells(table, row) for row in table.rows]
    columns = [[row[i] for row in rows] for i in range(len(table.columns))]
    widths = [
        max(map(cell_len, [column.heading, *cells]))
        for column, cells in zip(table.columns, columns, strict=True)
    ]
    least = [*map(_least_width, table.columns, columns)]
    while _total(widths) > most:
        wide = [i for i, width in enumerate(widths) if width > least[i]]
        if not wide:
            break
        place = max(wide, key=lambda i: widths[i])
        widths[place] -= 1
    return widths


def _longest_word(words: Sequence[str]) -> int:
    """Return the width of the longest word that must not be broken, 0 if there are none."""
    return min(max(map(cell_len, words), default=0), LONGEST_WORD)


def _least_width(column: Column, cells: Sequence[str]) -> int:
    longest = max(map(cell_len, cells), default=0)
    heading = [] if column.fold == "anywhere" else column.heading.split()
    least = max(column.width or 0, _longest_word(heading))
    if column.is_number:
        return max(least, longest)
    sentences = [cell.split() for cell in cells if " " in cell.strip()]
    return max(least, min(longest, max([NARROWEST, *map(_longest_word, sentences)])))


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + 2 * len(widths)


def _cells(table: Table, row: TableRow) -> list[str]:
    first, *others = table.written(row)
    return [f"{INDENT * row.level}{first}", *others]


def print_lines(out: Console, lines: Iterable[str]) -> None:
    """Print lines as they are; those wider than the terminal are wrapped."""
    for line in lines:
        out.print(line, markup=False, highlight=False)
