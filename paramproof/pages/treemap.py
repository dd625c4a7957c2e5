"""Where the cells of a picture lie: area is parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Box(NamedTuple):
    """A rectangle: its left upper corner, its width and its height."""

    x: float
    y: float
    width: float
    height: float

    def split(self, sizes: Sequence[int], *, across: bool) -> Iterator[Box]:
        """Yield a box for each size, one beside the other, or one below the other."""
        x, y, whole, before = self.x, self.y, sum(sizes), 0
        for size in sizes:
            part, start = size / whole, before / whole
            if across:
                yield Box(x + start * self.width, y, part * self.width, self.height)
            else:
                yield Box(x, y + start * self.height, self.width, part * self.height)
            before += size


def squarified(sizes: Sequence[int], box: Box) -> Iterator[Box]:
    """Yield for each size, the largest first, a box of such an area; together they are ``box``.

    Rows are laid along the shorter side, and one ends where another cell would make it longer and
    thinner: M. Bruls, K. Huizing and J. J. van Wijk, "Squarified Treemaps", 2000.
    """
    while sizes:
        whole, number = sum(sizes), 1
        while number < len(sizes) and (
            _thinnest(sizes[: number + 1], whole, box) <= _thinnest(sizes[:number], whole, box)
        ):
            number += 1
        row, sizes = sizes[:number], sizes[number:]
        across = box.width >= box.height
        strip, box = box.split((sum(row), sum(sizes)), across=across)
        yield from strip.split(row, across=not across)


def _thinnest(row: Sequence[int], whole: int, box: Box) -> float:
    """Return the longest side by the shortest of any cell, where a row has these sizes."""
    side = min(box.width, box.height)
    thick = sum(row) / whole * box.width * box.height / side
    ratios = [size / sum(row) * side / thick for size in (row[0], row[-1])]
    return max(*ratios, *(1 / ratio for ratio in ratios))
