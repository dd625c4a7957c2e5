"""Lay out a table as text in aligned columns, and fold a line to fit a width."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

Cells: TypeAlias = tuple[str, ...]

GAP = "  "

# A line ends after a space or a sign between two names, but never inside a number like 1,024.
_PIECE = re.compile(r".+?(?:[ ./_]|[-,(](?=[a-z*])|$)", re.DOTALL)


def aligned(table: Sequence[Cells]) -> list[str]:
    """Return the lines of a table with aligned columns, one for each row."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [GAP.join(map(str.ljust, row, widths)).rstrip() for row in table]


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
