"""Match a live model with a derived formula: by its names, or by shapes where it has others."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from paramproof.formulas import Inventory, Tensor
from paramproof.formulas.path import starred
from paramproof.live.matching import Matching, most_pairs
from paramproof.live.units import Unit, without_ones
from paramproof.sources.live.weight import LiveWeight


def match_named(named: Inventory, weights: Sequence[LiveWeight]) -> Matching:
    """Return the matching of weights with a derived formula's tensors, in ints.

    A weight is the tensor whose name it has, numbers of layers apart, where the shape is that
    tensor's. A model that has none of the names (another framework's, or the user's own) is
    matched by shapes.
    """
    units = [unit for tensor in named for unit in units_in(tensor)]
    beginning = _beginning(units, weights)
    waiting: dict[Unit, int] = Counter(units)
    found: list[tuple[Unit, LiveWeight]] = []
    rest: list[LiveWeight] = []
    by_path: dict[str, list[Unit]] = defaultdict(list)
    for unit in waiting:
        by_path[unit.path].append(unit)
    for weight in weights:
        own = _named(weight, beginning, by_path, waiting)
        if own is None:
            rest.append(weight)
            continue
        waiting[own] -= 1
        found.append((own, weight))
    left = [unit for unit, times in waiting.items() for _ in range(times)]
    if not found:
        return most_pairs(left, rest)
    return Matching(pairs=(), missing=tuple(left), unexpected=tuple(rest), named=tuple(found))


def units_in(tensor: Tensor) -> Iterator[Unit]:
    """Yield a tensor that has a storage of its own, as often as it is there."""
    if tensor.trainable and not tensor.tied_to and tensor.size:
        forms = frozenset({without_ones(tensor.shape), without_ones(tensor.shape[::-1])})
        unit = Unit(tensor.path, tensor.shape, forms)
        yield from (unit for _ in range(tensor.repeat))


def _named(
    weight: LiveWeight,
    beginning: str,
    by_path: dict[str, list[Unit]],
    waiting: dict[Unit, int],
) -> Unit | None:
    for name in (weight.path, *weight.others):
        for unit in by_path.get(starred(name).removeprefix(beginning), ()):
            if waiting[unit] and weight.shape == unit.shape:
                return unit
    return None


def _beginning(units: Sequence[Unit], weights: Sequence[LiveWeight]) -> str:
    """What all names of the live model begin with, as those of a wrapped one do: ``module.``."""
    names = {starred(weight.path) for weight in weights}
    paths = {unit.path for unit in units}
    first = next(iter(paths), "")
    known = [""] + [n.removesuffix(first) for n in sorted(names) if n.endswith(f".{first}")]
    return max(known, key=lambda before: sum(f"{before}{path}" in names for path in paths))
