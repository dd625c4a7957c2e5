"""Match the weights of a live model with canonical tensors by their shapes.

A model may fuse parts or stack its layers. The matching tries each choice for the whole model and
keeps the one that leaves the fewest entries over. Tensors of one shape look alike, so a report
names every tensor that could be the one without a counterpart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress, product

from paramproof.formulas import Spec
from paramproof.formulas.report import Shape
from paramproof.live.units import Unit, fusible, units_of, without_ones
from paramproof.sources.live.weight import LiveWeight


@dataclass(frozen=True, slots=True)
class Matching:
    """Matched pairs, and the tensors left over on either side.

    ``pairs`` match by shape, so tensors of the same shape could be exchanged; ``named`` match by
    name.
    """

    pairs: tuple[tuple[Unit, LiveWeight], ...]
    missing: tuple[Unit, ...]
    unexpected: tuple[LiveWeight, ...]
    named: tuple[tuple[Unit, LiveWeight], ...] = ()

    @property
    def all_pairs(self) -> tuple[tuple[Unit, LiveWeight], ...]:
        """All matched pairs, by name or by shape."""
        return (*self.named, *self.pairs)

    @property
    def left_over(self) -> int:
        """The number of entries without a counterpart, on both sides."""
        missing = sum(unit.size for unit in self.missing)
        return missing + sum(weight.size for weight in self.unexpected)

    def missing_together(self) -> list[tuple[frozenset[str], list[Unit]]]:
        """Return the missing units in groups, each with the paths that could be missing instead.

        If a missing unit could take the counterpart of another unit, shapes cannot tell which of
        the two is missing.
        """
        groups: list[tuple[frozenset[str], list[Unit]]] = []
        fits = {(other, without_ones(weight.shape)) for other, weight in self.pairs}
        for unit, times in Counter(self.missing).items():
            paths, units = _could_be(unit, fits), [unit] * times
            for group in [group for group in groups if group[0] & paths]:
                groups.remove(group)
                paths, units = paths | group[0], [*group[1], *units]
            groups.append((paths, units))
        return groups

    def shape_counts(self) -> Counter[Shape]:
        """Return how many weights of the model have each shape, without axes of length 1."""
        weights = [*(other for _, other in self.pairs), *self.unexpected]
        return Counter(without_ones(weight.shape) for weight in weights)


def _could_be(unit: Unit, fits: set[tuple[Unit, Shape]]) -> frozenset[str]:
    """Return the paths of all units that could be without a counterpart in place of ``unit``."""
    reached, frontier = {unit}, [unit]
    while frontier:
        forms = frontier.pop().forms
        new = {other for other, shape in fits if shape in forms} - reached
        reached |= new
        frontier += new
    return frozenset(other.path for other in reached)


def match_weights(spec: Spec, weights: Sequence[LiveWeight]) -> Matching:
    """Return the matching that leaves the fewest entries over, with or without fusing, stacking."""
    parts = fusible(spec)
    matchings = []
    for stacked, *chosen in product((False, True), repeat=1 + len(parts)):
        units = units_of(spec, tuple(compress(parts, chosen)), stacked)
        matchings.append(most_pairs(list(units), weights))
    return min(matchings, key=lambda matching: matching.left_over)


def most_pairs(units: list[Unit], weights: Sequence[LiveWeight]) -> Matching:
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
        missing=tuple(unit for n, unit in enumerate(units) if n not in placed),
        unexpected=tuple(weight for n, weight in enumerate(weights) if n not in holder),
    )


class _Places:
    """Assigns weights to units, both by index."""

    def __init__(self, units: list[Unit], weights: Sequence[LiveWeight]) -> None:
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
