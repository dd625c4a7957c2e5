"""Match the weights of a model with canonical tensors by their shapes.

A model may store a tensor as it is, transposed, or with its heads on an axis of their own. It may
fuse queries, keys and values in one array, and likewise the gate and up projections of a
feed-forward, and it may stack all layers in one array. Axes of length 1 do not count. The matching
tries each choice for the whole model and keeps the one that leaves the fewest entries over. Tensors
of one shape look alike, so a report names every tensor that could be the one without a counterpart.

A formula says that a tensor occurs in 27 layers, but not in which. Tensors of the same component
that occur as often are taken to be in the same layers: if names show all of these layers, the
tensor is absent from those that it is not in. Where names leave a choice, no layer is named.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, product
from typing import TypeAlias

from paramproof.formulas import Inventory, Row, Tensor, Weight
from paramproof.formulas.comparison import Matched, Shape
from paramproof.formulas.path import (
    LAYER,
    at_layer,
    beginnings,
    has_layer,
    in_braces,
    lies_in,
    stack_of,
    starred,
)
from paramproof.formulas.printing import some_of
from paramproof.formulas.spec import head_size_of

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
        path, shape, forms = tensor.path, tensor.shape, _stored_alone(tensor, head_size)
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


def _stored_alone(tensor: Tensor, head_size: int) -> list[Shape]:
    """Return the forms of one tensor: as it is, transposed, or with heads: (in, A, K), (A, K)."""
    shape = tensor.shape
    forms = [shape, shape[::-1]]
    if _attends(tensor.path) and ".output." in tensor.path:
        forms += [(*_split(shape[0], head_size), shape[-1])] if len(shape) == 2 else []
    elif _attends(tensor.path):
        forms += [(*shape[:-1], *_split(shape[-1], head_size))]
    return forms


def _fused_forms(rows: Shape, widths: list[int], head_size: int) -> list[Shape]:
    """Return the forms of fused parts: side by side or, if equally wide, on an axis of their own.

    With a ``head_size`` the parts belong to an attention, which may have its heads on an axis of
    their own.
    """
    whole, parts, width = sum(widths), len(widths), widths[0]
    forms = [(*rows, whole), (whole, *rows)]
    if head_size:
        forms += [(*rows, *_split(whole, head_size))]
    if len({*widths}) == 1:
        forms += [(parts, *rows, width), (*rows, parts, width), (parts, width, *rows)]
        if head_size:
            heads = _split(width, head_size)
            forms += [(parts, *rows, *heads), (parts, *heads, *rows), (*rows, parts, *heads)]
            forms += [(*rows, heads[0], parts * heads[1])]
    return forms


def _split(width: int, head_size: int) -> Shape:
    return width // head_size, head_size


MAX_LAYERS_NAMED = 1000
"""The most layers from which a tensor is absent that are named one by one."""

Numbers: TypeAlias = tuple[str, ...]
"""The numbers in a name: those of a layer and, if it has any, of an expert."""


class LayerNames:
    """The numbers in names, by path with ``*``; ``repeats`` says how often a path should occur."""

    def __init__(self, names: Iterable[str], repeats: Mapping[str, int]) -> None:
        self.repeats = repeats
        self.seen: dict[str, set[Numbers]] = defaultdict(set)
        for name in names:
            self.seen[starred(name)].add(tuple(filter(str.isdigit, name.split("."))))

    def layers_of(self, path: str) -> list[str]:
        """Return the numbers of the layers in the stack of ``path``, in order."""
        stack = stack_of(path)
        inside = (own for name, own in self.seen.items() if stack_of(name) == stack)
        return sorted({numbers[0] for own in inside for numbers in own}, key=lambda n: (len(n), n))

    def absent(self, path: str, number: int) -> list[Numbers]:
        """Return the numbers of the ``number`` tensors at ``path`` that are absent, in order.

        Returns [] if the names do not tell which they are.
        """
        stack, stars = stack_of(path), path.split(".").count(LAYER)
        own = self.seen.get(path, set())
        repeat = len(own) + number
        if stack is None or number > MAX_LAYERS_NAMED:
            return []
        paths = (other for other in self.repeats if other.split(".").count(LAYER) == stars)
        inside = [other for other in paths if stack_of(other) == stack]
        layers = max(self.repeats[other] for other in inside)
        every: set[Numbers] = set()
        if stars == 1 and layers - len(self.layers_of(path)) <= MAX_LAYERS_NAMED:
            every = {(str(one),) for one in range(layers)}
        if repeat == layers and own < every:
            return sorted(every - own, key=_in_order)
        there = {(one,) for one in self.layers_of(path)}
        unseen = every - there if there <= every else set()
        alike = [other for other in inside if self.repeats[other] == repeat] if own else []
        for component in reversed(beginnings(path)[:-1]):
            near = (self.seen.get(other, set()) for other in alike if lies_in(other, component))
            known = unseen.union(*near)
            if len(known) == repeat:
                return sorted(known - own, key=_in_order)
        return []


def _in_order(numbers: Iterable[str]) -> list[tuple[int, str]]:
    """Return a key that sorts by number, and reads none: it may have thousands of digits."""
    return [(len(number), number) for number in numbers]


MAX_COMPONENTS_NAMED = 4
"""The most components of one shape that a row names."""

BY_SHAPE = "tensors matched by shape"
"""The note of a report on a comparison by shape."""


@dataclass(frozen=True, slots=True)
class Matching:
    """Matched pairs, and the tensors left over on either side.

    With ``names``, those of all weights, the pairs match by name. Without them they match by shape,
    so tensors of the same shape could be exchanged. ``misshapen`` match by name, but not by shape.
    """

    pairs: Sequence[tuple[Unit, Weight]]
    missing: Counter[Unit]
    unexpected: Sequence[Weight]
    names: LayerNames | None = None
    misshapen: Sequence[tuple[Unit, Weight]] = ()

    @property
    def left_over(self) -> int:
        """The number of entries without a counterpart, on both sides."""
        missing = sum(unit.size * times for unit, times in self.missing.items())
        return missing + sum(weight.size for weight in self.unexpected)

    def rows(self) -> Iterator[Row]:
        """Yield a row for each difference; a frozen weight without a counterpart is none."""
        for paths, units in self._missing_together():
            unit, number = next(iter(units)), units.total()
            note = f"{number:,} of {some_of(paths, MAX_COMPONENTS_NAMED)}" * (len(paths) > 1)
            layers = self._layers(paths, number)
            for path in layers:
                yield Row("missing", path, unit.shape, None, None, -unit.size, note)
            if not layers:
                note = note or f"{number:,} tensors" * (number > 1)
                yield Row("missing", paths[0], unit.shape, None, None, -number * unit.size, note)
        for unit, weight in self.misshapen:
            difference = (weight.size if weight.trainable else 0) - unit.size
            path, shape = weight.path, weight.shape
            yield Row("wrong shape", unit.path, unit.shape, path, shape, difference)
        # Weights of one shape, without axes of length 1, could be exchanged.
        weights = [*(other for _, other in self.pairs), *self.unexpected]
        alike = Counter(without_ones(weight.shape) for weight in weights)
        for weight in [weight for weight in self.unexpected if weight.trainable]:
            others = 0 if self.names else alike[without_ones(weight.shape)] - 1
            note = "or the other tensor of this shape" * others
            if others > 1:
                note = f"or one of the {others} other tensors of this shape"
            path, shape = weight.path, weight.shape
            yield Row("unexpected", path, None, path, shape, weight.size, note)
        for unit, weight in self.pairs:
            if not weight.trainable:
                found = weight.path, weight.shape, -weight.size, "frozen"
                yield Row("wrong trainability", unit.path, unit.shape, *found)

    def _layers(self, paths: Sequence[str], number: int) -> list[str]:
        """Return the paths of ``number`` missing tensors with their layers, if names tell them."""
        if self.names:
            (path,) = paths
            kinds = sum(unit.path == path for unit in self.missing)
            return [at_layer(path, *one) for one in self.names.absent(path, number) if kinds == 1]
        # The model has names of its own, whose layers come in the same order.
        every = [weight.path for _, weight in self.pairs]
        own = LayerNames(every, Counter(map(starred, every)))
        names = {starred(weight.path) for unit, weight in self.pairs if unit.path in paths}
        found = [(name, gaps) for name in names if (gaps := own.absent(name, number))]
        layered = [path for path in paths if path.split(".").count(LAYER) == 1]
        if len(found) != 1 or len({*map(stack_of, layered)}) != 1:
            return []
        ((name, gaps),) = found
        order = own.layers_of(name)
        return [at_layer(layered[0], order.index(gap[0])) for gap in gaps]

    def _missing_together(self) -> Iterator[tuple[list[str], Counter[Unit]]]:
        """Yield the missing units in groups, each with the paths that could be missing instead.

        If a missing unit could take the counterpart of another unit, shapes cannot tell which of
        the two is missing.
        """
        if self.names:
            yield from (([unit.path], Counter({unit: n})) for unit, n in self.missing.items())
            return
        groups: list[tuple[frozenset[Unit], Counter[Unit]]] = []
        fits = {(other, without_ones(weight.shape)) for other, weight in self.pairs}
        for unit, times in self.missing.items():
            could_be, units = _could_be(unit, fits), Counter({unit: times})
            for group in [group for group in groups if group[0] & could_be]:
                groups.remove(group)
                could_be, units = could_be | group[0], group[1] + units
            groups.append((could_be, units))
        for could_be, units in groups:
            yield sorted({unit.path for unit in could_be}), units


def by_shape(inventory: Inventory, weights: Sequence[Weight]) -> Matched:
    """Match canonical tensors with weights by shape, with or without fusing and stacking.

    The matching is the one that leaves the fewest entries over.
    """
    parts = fusible(inventory)
    matchings = []
    for stacked, *chosen in product((False, True), repeat=1 + len(parts)):
        units = fused_units(inventory, tuple(compress(parts, chosen)), stacked)
        matchings.append(most_pairs(list(units), weights))
    best = min(matchings, key=lambda one: one.left_over)
    return Matched(best.rows(), weights, (BY_SHAPE,))


def _could_be(unit: Unit, fits: set[tuple[Unit, Shape]]) -> frozenset[Unit]:
    """Return all units that could be without a counterpart in place of ``unit``."""
    reached, frontier = {unit}, [unit]
    while frontier:
        forms = frontier.pop().forms
        new = {other for other, shape in fits if shape in forms} - reached
        reached |= new
        frontier += new
    return frozenset(reached)


def most_pairs(units: list[Unit], weights: Sequence[Weight]) -> Matching:
    """Return a maximum matching, by augmenting paths; trainable weights are matched first."""
    places = _Places(units, weights)
    placed: set[int] = set()
    hopeless: set[Unit] = set()
    for index, unit in enumerate(units):
        # If one unit finds no weight, an equal unit of another layer finds none either.
        if unit not in hopeless and places.find(index, set()):
            placed.add(index)
        else:
            hopeless.add(unit)
    holder = places.holder
    return Matching(
        pairs=tuple((units[unit], weights[index]) for index, unit in holder.items()),
        missing=Counter(unit for n, unit in enumerate(units) if n not in placed),
        unexpected=tuple(weight for n, weight in enumerate(weights) if n not in holder),
    )


class _Places:
    """Assigns weights to units, both by index."""

    def __init__(self, units: list[Unit], weights: Sequence[Weight]) -> None:
        self.units = units
        self.holder: dict[int, int] = {}
        self.by_shape: dict[Shape, list[int]] = {}
        order = sorted(range(len(weights)), key=lambda index: not weights[index].trainable)
        for index in order:
            self.by_shape.setdefault(without_ones(weights[index].shape), []).append(index)

    def find(self, unit: int, tried: set[Shape]) -> bool:
        """Assign a weight to ``unit``, moving other units if needed; return whether it worked."""
        # Weights of one shape are interchangeable, so each shape is tried once.
        forms = [form for form in sorted(self.units[unit].forms) if form in self.by_shape]
        for form in forms:
            free = next((index for index in self.by_shape[form] if index not in self.holder), None)
            if free is not None:
                self.holder[free] = unit
                return True
        for form in forms:
            if form in tried:
                continue
            tried.add(form)
            for index in self.by_shape[form]:
                if self.find(self.holder[index], tried):
                    self.holder[index] = unit
                    return True
        return False
