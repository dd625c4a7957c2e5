"""Match the weights of a model with canonical tensors by their shapes.

A model may fuse parts or stack its layers. The matching tries each choice for the whole model and
keeps the one that leaves the fewest entries over. Tensors of one shape look alike, so a report
names every tensor that could be the one without a counterpart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, product

from paramproof.formulas import Inventory, Row, Weight
from paramproof.formulas.comparison import Matched
from paramproof.formulas.path import LAYER, at_layer, stack_of, starred
from paramproof.formulas.printing import some_of
from paramproof.formulas.report import Shape
from paramproof.matching.layers import LayerNames
from paramproof.matching.units import Unit, fused_units, fusible, without_ones

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
        shape_counts = self._shape_counts()
        for unit, weight in self.misshapen:
            difference = (weight.size if weight.trainable else 0) - unit.size
            path, shape = weight.path, weight.shape
            yield Row("wrong shape", unit.path, unit.shape, path, shape, difference)
        for weight in self.unexpected:
            if weight.trainable:
                others = shape_counts[without_ones(weight.shape)] - 1
                note = "" if self.names else _or_another(others)
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

    def _shape_counts(self) -> Counter[Shape]:
        """Return how many weights could be exchanged, by their shape without axes of length 1."""
        pairs = () if self.names else self.pairs
        weights = [*(other for _, other in pairs), *self.unexpected]
        return Counter(without_ones(weight.shape) for weight in weights)


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


def _or_another(others: int) -> str:
    """Return the note of an unexpected weight, if there are others of its shape."""
    if others < 2:
        return "or the other tensor of this shape" * others
    return f"or one of the {others} other tensors of this shape"


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
