"""Lay out the boxes of a treemap, whose areas are numbers of parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from squarify import normalize_sizes, squarify

LEAST = 1
"""The smallest area that is drawn, since a smaller one could not be seen."""


class Box(NamedTuple):
    """A rectangle: its upper left corner, its width and its height."""

    x: float
    y: float
    width: float
    height: float


def squarified(sizes: Sequence[int], box: Box) -> Iterator[Box]:
    """Yield a box for each size, the largest first; their areas are proportional and fill ``box``.

    The boxes of sizes too small to be seen come last, and are empty.
    """
    areas = normalize_sizes(sizes, box.width, box.height) if sizes else []
    seen = [area for area in areas if area >= LEAST]
    for one in squarify(seen, box.x, box.y, box.width, box.height):
        yield Box(one["x"], one["y"], one["dx"], one["dy"])
    for _ in areas[len(seen) :]:
        yield Box(box.x, box.y, 0, 0)
