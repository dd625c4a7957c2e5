"""Find which weight of a live model is which canonical tensor, as far as shapes can tell.

Whether a model fuses parts or stacks its layers is decided for the whole of it: whichever
leaves the least over. Two tensors of one shape look alike, so a report names all that could
be meant.
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
    """Pairs that fit, and what is left over on either side.

    ``pairs`` fit by their shapes, and others could be in their place; ``named`` by their names.
    """

    pairs: tuple[tuple[Unit, LiveWeight], ...]
    missing: tuple[Unit, ...]
    unexpected: tuple[LiveWeight, ...]
    named: tuple[tuple[Unit, LiveWeight], ...] = ()

    @property
    def all_pairs(self) -> tuple[tuple[Unit, LiveWeight], ...]:
        """The pairs that fit, by names or by shapes."""
        return (*self.named, *self.pairs)

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
        fits = {(other, without_ones(weight.shape)) for other, weight in self.pairs}
        for unit, times in Counter(self.missing).items():
            paths, units = _could_be(unit, fits), [unit] * times
            for group in [group for group in groups if group[0] & paths]:
                groups.remove(group)
                paths, units = paths | group[0], [*group[1], *units]
            groups.append((paths, units))
        return groups

    def alike(self) -> Counter[Shape]:
        """Return how many weights of the model have a shape, its axes of length 1 left out."""
        weights = [*(other for _, other in self.pairs), *self.unexpected]
        return Counter(without_ones(weight.shape) for weight in weights)


def _could_be(unit: Unit, fits: set[tuple[Unit, Shape]]) -> frozenset[str]:
    """The paths of all units that may be the one without a counterpart in place of ``unit``."""
    reached, frontier = {unit}, [unit]
    while frontier:
        forms = frontier.pop().forms
        new = {other for other, shape in fits if shape in forms} - reached
        reached |= new
        frontier += new
    return frozenset(other.path for other in reached)


def match_weights(spec: Spec, weights: Sequence[LiveWeight]) -> Matching:
    """Return the matching that leaves the least over, of a model that may fuse and stack or not."""
    parts = fusible(spec)
    matchings = []
    for stacked, *chosen in product((False, True), repeat=1 + len(parts)):
        units = units_of(spec, tuple(compress(parts, chosen)), stacked)
        matchings.append(most_pairs(list(units), weights))
    return min(matchings, key=lambda matching: matching.left_over)


def most_pairs(units: list[Unit], weights: Sequence[LiveWeight]) -> Matching:
    """Return as many pairs as can be, by augmenting paths; trainable weights are taken first."""
    places = _Places(units, weights)
    placed: set[int] = set()
    hopeless: set[Unit] = set()
    for index, unit in enumerate(units):
        # Where one finds no room, its like of another layer never does.
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
    """Which unit holds which weight, both by their numbers."""

    def __init__(self, units: list[Unit], weights: Sequence[LiveWeight]) -> None:
        self.units = units
        self.holder: dict[int, int] = {}
        self.by_shape: dict[Shape, list[int]] = {}
        order = sorted(range(len(weights)), key=lambda index: not weights[index].trainable)
        for index in order:
            self.by_shape.setdefault(without_ones(weights[index].shape), []).append(index)

    def find(self, unit: int, tried: set[Shape]) -> bool:
        """Give ``unit`` a weight, making room for it where others can move; say whether it has."""
        # Weights of one shape are as good as each other, so a shape is tried once.
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
