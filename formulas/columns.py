"""Columns of text, each row's cells under each other; folded where they are to fit a width."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import TypeAlias

Cells: TypeAlias = tuple[str, ...]

GAP = "  "
NARROWEST = 8
"""No column is made narrower than this, whatever the width."""

# A line ends behind a space or a sign between two names; never in a number, which has some, too.
_PIECE = re.compile(r".+?(?:[ ./_]|[-,(](?=[a-z*])|$)", re.DOTALL)


def aligned(table: Sequence[Cells], width: int | None = None) -> list[str]:
    """Return the lines of a table, its cells under each other; see ``row_lines``."""
    return [line for lines in row_lines(table, width) for line in lines]


def row_lines(table: Sequence[Cells], width: int | None = None) -> list[list[str]]:
    """Return the lines of each row of a table.

    A row is one line, unless ``width`` is less than the widest would have: then the widest
    columns are made narrower, and what they have is folded.
    """
    widths = fitting([max(map(len, column)) for column in zip(*table, strict=True)], width)
    return [_lines(row, widths) for row in table]


def fitting(widths: Sequence[int], width: int | None) -> list[int]:
    """Return ``widths`` of columns, the widest made narrower until all fit into ``width``."""
    fitted = list(widths)
    room = None if width is None else width - len(GAP) * (len(fitted) - 1)
    while room is not None and sum(fitted) > room and max(fitted) > NARROWEST:
        fitted[fitted.index(max(fitted))] -= 1
    return fitted


def folded(text: str, width: int) -> list[str]:
    """Return ``text`` in lines of at most ``width``, split behind spaces and signs of a path."""
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
