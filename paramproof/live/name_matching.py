"""Match a live model with a derived formula by name, or by shape if no name is known."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from paramproof.formulas import Inventory, Tensor
from paramproof.formulas.path import starred
from paramproof.live.matching import Matching, most_pairs
from paramproof.live.units import Unit, without_ones
from paramproof.sources.live.weight import LiveWeight


def match_named(named: Inventory, weights: Sequence[LiveWeight]) -> Matching:
    """Return the matching of weights with the tensors of a derived formula at its sizes.

    A weight matches a tensor if both have the same shape and the same name, with layer numbers
    replaced by ``*``. If no name matches, as for another framework's or the user's own model, the
    weights are matched by shape.
    """
    units = [unit for tensor in named for unit in units_in(tensor)]
    prefix = _shared_prefix(units, weights)
    waiting: dict[Unit, int] = Counter(units)
    pairs: list[tuple[Unit, LiveWeight]] = []
    rest: list[LiveWeight] = []
    by_path: dict[str, list[Unit]] = defaultdict(list)
    for unit in waiting:
        by_path[unit.path].append(unit)
    for weight in weights:
        match = _unit_named(weight, prefix, by_path, waiting)
        if match is None:
            rest.append(weight)
            continue
        waiting[match] -= 1
        pairs.append((match, weight))
    left = [unit for unit, times in waiting.items() for _ in range(times)]
    if not pairs:
        return most_pairs(left, rest)
    return Matching(pairs=(), missing=tuple(left), unexpected=tuple(rest), named=tuple(pairs))


def units_in(tensor: Tensor) -> Iterator[Unit]:
    """Yield a unit for each copy of a trainable tensor that is not tied to another."""
    if tensor.trainable and not tensor.tied_to and tensor.size:
        forms = frozenset({without_ones(tensor.shape), without_ones(tensor.shape[::-1])})
        unit = Unit(tensor.path, tensor.shape, forms)
        yield from (unit for _ in range(tensor.repeat))


def _unit_named(
    weight: LiveWeight,
    prefix: str,
    by_path: dict[str, list[Unit]],
    waiting: dict[Unit, int],
) -> Unit | None:
    for name in (weight.path, *weight.others):
        for unit in by_path.get(starred(name).removeprefix(prefix), ()):
            if waiting[unit] and weight.shape == unit.shape:
                return unit
    return None


def _shared_prefix(units: Sequence[Unit], weights: Sequence[LiveWeight]) -> str:
    """Return the prefix of all names of the live model, such as ``module.`` of a wrapped one."""
    names = {starred(weight.path) for weight in weights}
    paths = {unit.path for unit in units}
    first = next(iter(paths), "")
    prefixes = [""] + [n.removesuffix(first) for n in sorted(names) if n.endswith(f".{first}")]
    return max(prefixes, key=lambda prefix: sum(f"{prefix}{path}" in names for path in paths))
