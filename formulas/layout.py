"""The weights of a framework's model, and the layouts in which they store canonical tensors.

A framework may store a canonical tensor in another shape: transposed, with split heads, several
tensors concatenated, or the layers stacked. Its file declares this with names from a closed
registry, and the expected shape is computed from them. Free reshaping could hide errors.

The patterns are those of einops (one name per axis, a product in parentheses), with the canonical
tensor on the left and the stored one on the right. They can be executed in both directions.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from paramproof.formulas.path import has_layer

LAYOUTS = {
    "transposed": "i o -> o i",
    "heads_out": "i (a k) -> i a k",
    "heads_in": "(a k) o -> a k o",
    "heads": "(a k) -> a k",
}
"""Layouts by name, as patterns. Axes: i in, o out, a heads, k head size."""

STACKED = "stacked"
"""The layout of a weight that stacks the tensors of all layers on a new first axis."""


@dataclass(frozen=True, slots=True)
class Weight:
    """One stored array of a model. Shared storage is one weight, whatever its names.

    ``path`` and ``shape`` are the framework's own. ``parts`` are the canonical tensors that the
    array concatenates along their last axis, in order (q, k, v in torch's ``in_proj``); it is empty
    if the array has no canonical name. ``aliases`` are further names of the same storage (a tied
    decoder), canonical if there are ``parts``. ``layout`` lists the rearrangements after the
    concatenation, in order. If it has ``stacked``, the parts have a ``*``.

    Raises ``ValueError`` for an unknown layout, and if only one of ``stacked`` and ``*`` is given.
    """

    path: str
    shape: tuple[int, ...]
    trainable: bool
    parts: tuple[str, ...] = ()
    layout: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if unknown := set(self.layout) - {*LAYOUTS, STACKED}:
            known = ", ".join([*LAYOUTS, STACKED])
            raise ValueError(f"{self.path}: unknown layouts {sorted(unknown)}; known are {known}")
        if self.stacked != any(map(has_layer, self.parts)):
            problem = "a weight is stacked if, and only if, its parts have a *"
            raise ValueError(f"{self.path}: {problem}")

    @property
    def stacked(self) -> bool:
        return STACKED in self.layout

    @property
    def size(self) -> int:
        return math.prod(self.shape)


def stored_shape(
    layout: Sequence[str], shapes: Sequence[tuple[int, ...]], *, head_size: int, layers: int
) -> tuple[int, ...]:
    """Return the shape in which ``layout`` stores canonical tensors of ``shapes``."""
    rows = {shape[:-1] for shape in shapes}
    if len(rows) != 1:
        raise ValueError(f"shapes {list(shapes)} cannot be concatenated along the last axis")
    shape = (*rows.pop(), sum(shape[-1] for shape in shapes))
    for name in layout:
        if name != STACKED:
            shape = _rearranged(LAYOUTS[name], shape, head_size)
    return (layers, *shape) if STACKED in layout else shape


def _rearranged(pattern: str, shape: tuple[int, ...], head_size: int) -> tuple[int, ...]:
    sides = (re.findall(r"\(.*?\)|\w+", side) for side in pattern.split(" -> "))
    left, right = ([axis.strip("()").split() for axis in side] for side in sides)
    if len(left) != len(shape):
        raise ValueError(f"a tensor of shape {shape} does not fit the layout {pattern!r}")
    sizes = {"k": head_size}
    for names, length in zip(left, shape, strict=True):
        known = math.prod(sizes.get(name, 1) for name in names)
        for name in names:
            sizes.setdefault(name, length // known)
        if math.prod(sizes[name] for name in names) != length:
            raise ValueError(f"{length} does not split into {pattern!r} at k={head_size}")
    return tuple(math.prod(sizes[name] for name in names) for names in right)
