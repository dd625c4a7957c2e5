"""Tables in a terminal, laid out by rich.

A table that is too wide becomes narrower in this order: its texts are broken between words and
after the dots of names, the widest first; then its optional columns are left out; then names are
broken at hyphens and underscores, and last anywhere. If it is too wide even so, lines are longer
than the terminal: no number is ever broken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich import box
from rich.cells import cell_len, chop_cells
from rich.console import Console, JustifyMethod
from rich.markup import escape
from rich.table import Table as RichTable

from paramproof.tables.table import Column, Table

PLAIN: dict[str, Any] = {"box": box.SIMPLE_HEAD, "pad_edge": False, "padding": (0, 1, 0, 0)}
INDENT = "  "

MAX_WIDTH = 10**9
LONGEST_PIECE = 8
"""The longest piece that is not broken where there is no room for all pieces."""

BREAKS = re.compile(r"(?<=[./])(?=[^\s./\d])|(?<=[^\s\d./][./])(?=\d)|(?<=\s)(?=\S)")
"""Where a text may be broken: between words, and after a dot or slash that is in no number."""

FINE_BREAKS = re.compile(rf"{BREAKS.pattern}|(?<=[-_])(?=\w)")
"""Where it is broken if there is no room otherwise."""


def print_table(out: Console, table: Table) -> None:
    """Print a table and its notes."""
    whole, table = table, _fitting(table, out.width)
    columns = _columns(table)
    widths = fitting_widths(table, out.width)
    laid_out = RichTable(**PLAIN)
    heads, *rows = zip(*map(_broken, columns, widths), strict=True)
    for column, heading, width in zip(table.columns, heads, widths, strict=True):
        side: JustifyMethod = "right" if column.is_number else "left"
        laid_out.add_column(heading, width=width, justify=side, overflow="fold")
    for row, cells in zip(table.rows, rows, strict=True):
        if row.starts_section:
            laid_out.add_section()
        laid_out.add_row(*cells, style="bold" if row.is_bold else None)
    if _total(widths) > out.width:
        laid_out.width = _total(widths)
    out.print(laid_out, crop=False)
    if left_out := [one.heading for one in whole.columns if one not in table.columns]:
        print_lines(out, [f"no room in {out.width} columns for {' and '.join(left_out)}"])
    print_lines(out, table.notes)


def _fitting(table: Table, most: int) -> Table:
    """Return the table without as few of its optional columns as possible."""
    for one in (table, *table.narrower()):
        if _total([*map(_least_width, one.columns, _columns(one))]) <= most:
            break
    return one


def fitting_widths(table: Table, most: int) -> list[int]:
    """Return the width of each column, so that the table is at most ``most`` wide if it can be.

    The widest text is made narrower first. A column of numbers is as wide as its longest number.
    """
    columns = _columns(table)
    widths = [max(map(cell_len, texts)) for texts in columns]
    for breaks, longest in ((BREAKS, most), (FINE_BREAKS, most), (FINE_BREAKS, LONGEST_PIECE)):
        both = zip(table.columns, columns, strict=True)
        least = [_least_width(*one, breaks, longest) for one in both]
        while _total(widths) > most:
            wide = [i for i, width in enumerate(widths) if width > least[i]]
            if not wide:
                break
            widths[max(wide, key=lambda i: widths[i])] -= 1
    return widths


def _columns(table: Table) -> list[list[str]]:
    """Return the texts of each column, its heading first; those of the first are indented."""
    rows = [(row.level, table.written(row)) for row in table.rows]
    return [
        [column.heading, *(f"{INDENT * level * (not i)}{cells[i]}" for level, cells in rows)]
        for i, column in enumerate(table.columns)
    ]


def _least_width(
    column: Column, texts: Sequence[str], breaks: re.Pattern[str] = BREAKS, longest: int = MAX_WIDTH
) -> int:
    """Return the width of the longest piece of the texts, of which ``longest`` is enough."""
    heading, *cells = texts
    whole, broken = (cells, [heading]) if column.is_whole else ([], texts)
    pieces = ((_indent(text), one) for text in broken for one in breaks.split(text.strip(" ")))
    least = (indent + min(longest, cell_len(piece.rstrip(" "))) for indent, piece in pieces)
    return max([*least, *map(cell_len, whole)])


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip(" "))


def _broken(texts: Sequence[str], width: int) -> Iterator[str]:
    """Yield texts as markup, broken into lines of ``width``, all of them indented alike."""
    for text in texts:
        before = " " * _indent(text)
        lines = [before]
        for piece in _chopped(text.strip(" "), width - len(before)):
            if cell_len(lines[-1] + piece.rstrip(" ")) > width and lines[-1] != before:
                lines.append(before)
            lines[-1] += piece
        yield escape("\n".join(line.rstrip(" ") for line in lines))


def _chopped(text: str, width: int) -> Iterator[str]:
    """Yield the pieces of a text, those that are wider than ``width`` broken further."""
    for piece in BREAKS.split(text):
        fits = cell_len(piece.rstrip(" ")) <= width
        for part in [piece] if fits else FINE_BREAKS.split(piece):
            yield from [part] if fits or width < 1 else chop_cells(part, width)


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + 2 * len(widths)


def print_lines(out: Console, lines: Iterable[str]) -> None:
    """Print lines as they are; those wider than the terminal are wrapped."""
    for line in lines:
        out.print(line, markup=False, highlight=False)
