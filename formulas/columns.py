"""Lay out tables as text in aligned columns, and fold cells to fit a width."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import TypeAlias

Cells: TypeAlias = tuple[str, ...]

GAP = "  "
NARROWEST = 8
"""The minimum width of a column in characters, whatever the width of the table."""

# A line ends after a space or a sign between two names, but never inside a number like 1,024.
_PIECE = re.compile(r".+?(?:[ ./_]|[-,(](?=[a-z*])|$)", re.DOTALL)


def aligned(table: Sequence[Cells], width: int | None = None) -> list[str]:
    """Return the lines of a table with aligned columns, as ``row_lines`` folds them."""
    return [line for lines in row_lines(table, width) for line in lines]


def row_lines(table: Sequence[Cells], width: int | None = None) -> list[list[str]]:
    """Return the lines of each row of a table.

    A row is one line, unless the table is wider than ``width``: the widest columns are then made
    narrower, and their cells are folded.
    """
    widths = fitting([max(map(len, column)) for column in zip(*table, strict=True)], width)
    return [_lines(row, widths) for row in table]


def fitting(widths: Sequence[int], width: int | None) -> list[int]:
    """Return the column ``widths``, with the widest reduced until all fit into ``width``."""
    fitted = list(widths)
    room = None if width is None else width - len(GAP) * (len(fitted) - 1)
    while room is not None and sum(fitted) > room and max(fitted) > NARROWEST:
        fitted[fitted.index(max(fitted))] -= 1
    return fitted


def folded(text: str, width: int) -> list[str]:
    """Return ``text`` as lines of at most ``width``, split after spaces and the signs of paths."""
    lines = [""]
    for piece in _PIECE.findall(text):
        if len(lines[-1]) + len(piece.rstrip()) > width and lines[-1]:
            lines.append("")
        lines[-1] += piece
        while len(lines[-1].rstrip()) > width:
            lines[-1:] = [lines[-1][:width], lines[-1][width:]]
    return [line.rstrip() for line in lines]


def _lines(row: Cells, widths: Sequence[int]) -> list[str]:
    columns = [folded(cell, width) for cell, width in zip(row, widths, strict=True)]
    lines = zip_longest(*columns, fillvalue="")
    return [GAP.join(map(str.ljust, line, widths)).rstrip() for line in lines]
