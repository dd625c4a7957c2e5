"""The arrays that a model may store: each tensor of an inventory in all its possible forms.

A model may store a tensor as it is, transposed, or with its heads on an axis of their own. It may
fuse queries, keys and values in one array, and likewise the gate and up projections of a
feed-forward, and it may stack all layers in one array. Axes of length 1 do not count.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from paramproof.formulas import Inventory, Tensor
from paramproof.formulas.path import has_layer, in_braces
from paramproof.formulas.report import Shape
from paramproof.formulas.spec.protocols import head_size_of

Fused: TypeAlias = tuple[str, ...]
"""The names of parts that are stored in one array; the first represents them all."""

QKV: Fused = ("query", "key", "value")
GATE_UP: Fused = ("gate", "up")


@dataclass(frozen=True, slots=True)
class Unit:
    """One array of a model, with one or several canonical tensors, whose shape is in ``forms``."""

    path: str
    shape: Shape
    forms: frozenset[Shape]

    @property
    def size(self) -> int:
        """Number of entries, the product of the shape."""
        return math.prod(self.shape)


def fusible(named: Inventory) -> list[Fused]:
    """Return the groups of parts of a model that it may fuse."""
    paths = [tensor.path for tensor in named]
    return [parts for parts in (QKV, GATE_UP) if any(_part_of(path, parts) for path in paths)]


def fused_units(named: Inventory, fused: tuple[Fused, ...], stacked: bool) -> Iterator[Unit]:
    """Yield every trainable tensor that is not tied, in one unit each, parts ``fused`` in one."""
    head_size = head_size_of(named.letters)
    widths = {tensor.path: tensor.shape[-1] for tensor in named}
    for tensor in named:
        # A model need not store tensors that are not trained, but may.
        if not tensor.present or tensor.tied_to or not tensor.trainable:
            continue
        path, shape, forms = _stored_alone(tensor, head_size)
        parts = next((parts for parts in fused if _part_of(path, parts)), ())
        if parts:
            if not _part_of(path, parts[:1]):
                continue
            own = [widths[_renamed(path, parts[0], part)] for part in parts]
            path = _renamed(path, parts[0], in_braces(parts))
            forms = _fused_forms(shape[:-1], own, head_size if parts == QKV else 0)
            shape = (*shape[:-1], sum(own))
        layers = tensor.repeat
        if not has_layer(path):
            yield _unit(path, shape, forms)
        elif stacked and layers:
            yield _unit(path, (layers, *shape), [(layers, *form) for form in forms])
        else:
            yield from (_unit(path, shape, forms) for _ in range(layers))


def copies(tensor: Tensor) -> int:
    """Return how often a derived model has a tensor of its own, trainable and not tied."""
    has_own = tensor.trainable and not tensor.tied_to and tensor.size
    return tensor.repeat if has_own else 0


def unit_of(tensor: Tensor) -> Unit:
    """Return the unit of a tensor that may be transposed."""
    return _unit(tensor.path, tensor.shape, [tensor.shape, tensor.shape[::-1]])


def without_ones(shape: Shape) -> Shape:
    """Return ``shape`` without its axes of length 1, which do not count."""
    return tuple(length for length in shape if length != 1)


def _unit(path: str, shape: Shape, forms: list[Shape]) -> Unit:
    return Unit(path, shape, frozenset(map(without_ones, forms)))


def _attends(path: str) -> bool:
    """Return whether this is a kernel or bias of an attention, cross-attention included."""
    return path.split(".")[-3:][0].endswith("attention")


def _part_of(path: str, parts: Fused) -> bool:
    inside = _attends(path) or path.split(".")[-3:][0] == "feed_forward"
    return inside and path.split(".")[-2] in parts


def _renamed(path: str, part: str, other: str) -> str:
    component, _, leaf = path.rpartition(f".{part}.")
    return f"{component}.{other}.{leaf}"


def _stored_alone(tensor: Tensor, head_size: int) -> tuple[str, Shape, list[Shape]]:
    """Return the forms of one tensor: as it is, transposed, or with heads: (in, A, K), (A, K)."""
    shape = tensor.shape
    forms = [shape, shape[::-1]]
    if _attends(tensor.path) and ".output." in tensor.path:
        forms += [(*_split(shape[0], head_size), shape[-1])] if len(shape) == 2 else []
    elif _attends(tensor.path):
        forms += [(*shape[:-1], *_split(shape[-1], head_size))]
    return tensor.path, shape, forms


def _fused_forms(rows: Shape, widths: list[int], head_size: int) -> list[Shape]:
    """Return the forms of fused parts: side by side or, if equally wide, on an axis of their own.

    With a ``head_size`` the parts belong to an attention, which may have its heads on an axis of
    their own.
    """
    whole, parts, width = sum(widths), len(widths), widths[0]
    forms = [(*rows, whole), (whole, *rows)]
    if len({*widths}) == 1:
        forms += [(parts, *rows, width), (*rows, parts, width), (parts, width, *rows)]
    if head_size:
        forms += [(*rows, *_split(whole, head_size))]
    if head_size and len({*widths}) == 1:
        heads = _split(width, head_size)
        forms += [
            (parts, *rows, *heads),
            (parts, *heads, *rows),
            (*rows, parts, *heads),
            (*rows, heads[0], parts * heads[1]),
        ]
    return forms


def _split(width: int, head_size: int) -> Shape:
    return width // head_size, head_size
