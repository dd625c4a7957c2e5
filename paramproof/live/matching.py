"""Find which weight of a live model is which canonical tensor, as far as shapes can tell.

A tensor may be stored in any of a closed list of forms: as it is, transposed, with its heads
split off; the three projections of attention fused in one; all layers stacked in one. Axes
of length 1 do not count. Whether a model fuses or stacks is decided for the whole of it:
whichever leaves the least over. Two tensors of one shape look alike, so a report
names all that could be meant.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from paramproof.formulas import Spec, Tensor, inventory
from paramproof.formulas.path import has_layer
from paramproof.formulas.report import Shape
from paramproof.formulas.spec.protocols import head_size_of
from paramproof.live.readers import LiveWeight

QKV = ("query", "key", "value")


@dataclass(frozen=True, slots=True)
class Unit:
    """Canonical tensors that are stored as one array, in one of ``forms``."""

    path: str
    shape: Shape
    forms: frozenset[Shape]

    @property
    def size(self) -> int:
        """Number of entries, the product of the shape."""
        return math.prod(self.shape)


@dataclass(frozen=True, slots=True)
class Matching:
    """Pairs that fit, and what is left over on either side."""

    pairs: tuple[tuple[Unit, LiveWeight], ...]
    missing: tuple[Unit, ...]
    unexpected: tuple[LiveWeight, ...]

    @property
    def left_over(self) -> int:
        """Entries without a counterpart, on both sides."""
        missing = sum(unit.size for unit in self.missing)
        return missing + sum(weight.size for weight in self.unexpected)

    def missing_together(self) -> list[tuple[frozenset[str], list[Unit]]]:
        """What is missing, with the paths of all that may be missing in its place.

        A tensor whose counterpart a missing one could take might as well be the one without.
        """
        groups: list[tuple[frozenset[str], list[Unit]]] = []
        for unit in self.missing:
            paths, units = self._could_be(unit), [unit]
            for group in [group for group in groups if group[0] & paths]:
                groups.remove(group)
                paths, units = paths | group[0], [*group[1], *units]
            groups.append((paths, units))
        return groups

    def _could_be(self, unit: Unit) -> frozenset[str]:
        reached, frontier = {unit}, [unit]
        fits = {(other, without_ones(weight.shape)) for other, weight in self.pairs}
        while frontier:
            forms = frontier.pop().forms
            new = {other for other, shape in fits if shape in forms} - reached
            reached |= new
            frontier += new
        return frozenset(other.path for other in reached)

    def alike(self) -> Counter[Shape]:
        """Return how many weights of the model have a shape, its axes of length 1 left out."""
        weights = [*(other for _, other in self.pairs), *self.unexpected]
        return Counter(without_ones(weight.shape) for weight in weights)


def match_weights(spec: Spec, weights: Sequence[LiveWeight]) -> Matching:
    """Return the matching that leaves the least over, of a model that may fuse and stack or not."""
    choices = product((False, True), repeat=2)
    matchings = [most_pairs(list(_units(spec, *choice)), weights) for choice in choices]
    return min(matchings, key=lambda matching: matching.left_over)


def _units(spec: Spec, fused: bool, stacked: bool) -> Iterator[Unit]:
    """Every tensor of ``spec`` that has a storage of its own, in one unit."""
    widths = {tensor.path: tensor.shape[-1] for tensor in inventory(spec.letters())}
    for tensor in inventory(spec.letters()):
        # What is fixed need not be stored, and stored is no difference.
        if not tensor.present or tensor.tied_to or not tensor.trainable:
            continue
        path, shape, forms = _stored_alone(tensor, head_size_of(spec))
        if fused and _attends(path) and path.split(".")[-2] in QKV:
            if path.split(".")[-2] != QKV[0]:
                continue
            key = widths[path.replace(QKV[0], "key")]
            path = path.replace(QKV[0], "{query,key,value}")
            forms = _fused_forms(shape, key, head_size_of(spec))
            shape = (*shape[:-1], shape[-1] + 2 * key)
        layers = tensor.repeat
        if not has_layer(path):
            yield _unit(path, shape, forms)
        elif stacked and layers:
            yield _unit(path, (layers, *shape), [(layers, *form) for form in forms])
        else:
            yield from (_unit(path, shape, forms) for _ in range(layers))


def _unit(path: str, shape: Shape, forms: list[Shape]) -> Unit:
    return Unit(path, shape, frozenset(map(without_ones, forms)))


def _attends(path: str) -> bool:
    """Whether this is a kernel or bias of an attention, of a decoder's on the source too."""
    return path.split(".")[-3:][0].endswith("attention")


def _stored_alone(tensor: Tensor, head_size: int) -> tuple[str, Shape, list[Shape]]:
    """As it is, transposed, or with the heads split: (in, A, K), (A, K, out), (A, K)."""
    shape = tensor.shape
    forms = [shape, shape[::-1]]
    if _attends(tensor.path) and ".output." in tensor.path:
        forms += [(*_split(shape[0], head_size), shape[-1])] if len(shape) == 2 else []
    elif _attends(tensor.path):
        forms += [(*shape[:-1], *_split(shape[-1], head_size))]
    return tensor.path, shape, forms


def _fused_forms(shape: Shape, key: int, head_size: int) -> list[Shape]:
    """Query, key and value side by side; where all are as wide, on an axis of their own too."""
    *rows, out = shape
    whole = out + 2 * key
    heads = _split(out, head_size)
    forms = [(*rows, whole), (whole, *rows), (*rows, *_split(whole, head_size))]
    if key != out:
        return forms
    return [
        *forms,
        (3, *rows, out),
        (*rows, 3, out),
        (3, *rows, *heads),
        (*rows, 3, *heads),
        (*rows, heads[0], 3 * heads[1]),
    ]


def _split(width: int, head_size: int) -> Shape:
    return width // head_size, head_size


def most_pairs(units: list[Unit], weights: Sequence[LiveWeight]) -> Matching:
    """Return as many pairs as can be, by augmenting paths; trainable weights are taken first."""
    by_shape: dict[Shape, list[int]] = {}
    order = sorted(range(len(weights)), key=lambda index: not weights[index].trainable)
    for index in order:
        by_shape.setdefault(without_ones(weights[index].shape), []).append(index)
    holder: dict[int, int] = {}

    def place(unit: int, tried: set[Shape]) -> bool:
        # Weights of one shape are as good as each other, so a shape is tried once.
        forms = [form for form in sorted(units[unit].forms) if form in by_shape]
        for form in forms:
            free = next((index for index in by_shape[form] if index not in holder), None)
            if free is not None:
                holder[free] = unit
                return True
        for form in forms:
            if form in tried:
                continue
            tried.add(form)
            for index in by_shape[form]:
                if place(holder[index], tried):
                    holder[index] = unit
                    return True
        return False

    placed = {unit for unit in range(len(units)) if place(unit, set())}
    return Matching(
        pairs=tuple((units[unit], weights[index]) for index, unit in holder.items()),
        missing=tuple(unit for n, unit in enumerate(units) if n not in placed),
        unexpected=tuple(weight for n, weight in enumerate(weights) if n not in holder),
    )


def without_ones(shape: Shape) -> Shape:
    """Return ``shape`` without its axes of length 1, which do not count."""
    return tuple(length for length in shape if length != 1)
