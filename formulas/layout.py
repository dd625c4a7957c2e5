"""What a framework says exists, and how its storage is laid out.

A framework may store a canonical tensor in another shape: transposed, with the heads
split off, several tensors concatenated, the layers stacked. How, it says by names from a
closed registry, and the shape it should then have is derived, never taken on trust: free
reshaping would let errors agree.

The patterns are einops' (an axis name each, a product in parentheses), from the canonical
tensor on the left to the stored one on the right; they can be executed in both directions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from paramproof.formulas.path import has_layer

LAYOUTS = {
    "transposed": "i o -> o i",
    "heads_out": "i (a k) -> i a k",
    "heads_in": "(a k) o -> a k o",
    "heads": "(a k) -> a k",
}
"""Name to pattern. Axes: i in, o out, a heads, k head size. No name: stored as it is."""

STACKED = "stacked"
"""The layout of a weight that holds every layer's tensor, on a new first axis."""


@dataclass(frozen=True, slots=True)
class Weight:
    """One stored array of a model: shared storage is one weight, whatever its names.

    ``path`` and ``shape`` are the framework's own. ``parts`` are the canonical tensors
    concatenated in it along their last axis, in order (q, k, v in torch's ``in_proj``);
    none, if the framework's file has no canonical name for it. ``aliases`` are further
    canonical names of the same storage (a tied decoder). ``layout`` lists what happened
    to the concatenation, in order; with ``stacked`` the parts have a ``*``.

    Raises ``ValueError`` for a layout that is not in the registry.
    """

    path: str
    shape: tuple[int, ...]
    trainable: bool
    parts: tuple[str, ...]
    layout: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        unknown = set(self.layout) - {*LAYOUTS, STACKED}
        if unknown:
            known = ", ".join([*LAYOUTS, STACKED])
            raise ValueError(f"{self.path}: no layout {sorted(unknown)}; there are {known}")
        if self.stacked != any(map(has_layer, self.parts)):
            raise ValueError(f"{self.path}: a weight is stacked where its parts have a *")

    @property
    def stacked(self) -> bool:
        """Whether this holds every layer's tensor, on its first axis."""
        return STACKED in self.layout

    @property
    def size(self) -> int:
        """Number of entries, the product of the shape."""
        return math.prod(self.shape)


def stored_shape(
    layout: Sequence[str], shapes: Sequence[tuple[int, ...]], *, head_size: int, layers: int
) -> tuple[int, ...]:
    """Shape in which canonical tensors of ``shapes`` are stored under ``layout``.

    Raises ``ValueError`` where the shapes do not fit each other or the layout.
    """
    rows = {shape[:-1] for shape in shapes}
    if len(rows) != 1:
        raise ValueError(f"shapes {list(shapes)} cannot be concatenated along the last axis")
    shape = (*rows.pop(), sum(shape[-1] for shape in shapes))
    for name in layout:
        if name != STACKED:
            shape = _rearranged(LAYOUTS[name], shape, head_size)
    return (layers, *shape) if STACKED in layout else shape


def _rearranged(pattern: str, shape: tuple[int, ...], head_size: int) -> tuple[int, ...]:
    left, right = (_axes(side) for side in pattern.split(" -> "))
    if len(left) != len(shape):
        raise ValueError(f"a tensor of shape {shape} has no layout {pattern!r}")
    sizes = {"k": head_size}
    for names, length in zip(left, shape, strict=True):
        known = math.prod(sizes.get(name, 1) for name in names)
        for name in names:
            sizes.setdefault(name, length // known)
        if math.prod(sizes[name] for name in names) != length:
            raise ValueError(f"{length} does not split into {pattern!r} at k={head_size}")
    return tuple(math.prod(sizes[name] for name in names) for names in right)


def _axes(side: str) -> list[list[str]]:
    """``"i (a k)"`` as ``[["i"], ["a", "k"]]``."""
    axes: list[list[str]] = []
    inside = False
    for token in side.replace("(", "( ").replace(")", " )").split():
        if token == "(":
            axes.append([])
        elif token != ")":
            if inside:
                axes[-1].append(token)
            else:
                axes.append([token])
        inside = token == "(" or (inside and token != ")")
    return axes
