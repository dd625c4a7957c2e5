"""Match a model with a formula by the names of transformers, or by shape if it has others."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from paramproof.formulas import Inventory, Weight
from paramproof.formulas.comparison import Matched, by_canonical_name
from paramproof.formulas.path import starred
from paramproof.matching.shapes import BY_SHAPE, Matching, by_shape, most_pairs
from paramproof.matching.units import Unit, units_in
from paramproof.sources.checkpoints.names import CheckpointNames

BY_NAME = "tensors matched by name"
"""The note of a report on a comparison by name."""


def by_name(inventory: Inventory, weights: Sequence[Weight]) -> Matched:
    """Match the tensors of a derived formula with weights.

    A weight matches a tensor if both have the same shape and the same name, with layer numbers
    replaced by ``*``. If no name matches, as for another framework's or the user's own model, the
    weights are matched by shape.
    """
    matching = _matching(inventory, weights)
    return Matched(matching.rows(), (BY_NAME if matching.are_named else BY_SHAPE,))


def by_name_in_family(family: str, inventory: Inventory, weights: Sequence[Weight]) -> Matched:
    """Match the tensors of a family with weights.

    Names count if most weights have one that transformers gives to a tensor of the family. If not,
    as for the user's own model, the weights are matched by shape. A frozen weight that has no such
    name is ignored.
    """
    names = CheckpointNames(family, inventory)
    prefix = names.unknown_prefix([weight.path for weight in weights])
    named = [_in_family(weight, names, prefix) for weight in weights]
    if 2 * sum(bool(weight.parts) for weight in named) <= len(named):
        return by_shape(inventory, weights)
    kept = [weight for weight in named if weight.parts or weight.trainable]
    return by_canonical_name(inventory, kept)._replace(notes=(BY_NAME,))


def _in_family(weight: Weight, names: CheckpointNames, prefix: str) -> Weight:
    """Return a weight with the canonical tensors that its names stand for."""
    own = (weight.path, *weight.aliases)
    found = [names.storage(name.removeprefix(prefix)) for name in own]
    first, *others = [one for one in found if one.parts] or found[:1]
    # BERT's bias of the head has two names for one canonical tensor.
    aliases = {part: None for one in others for part in one.parts if part not in first.parts}
    return replace(weight, parts=first.parts, layout=first.layout, aliases=tuple(aliases))


def _matching(inventory: Inventory, weights: Sequence[Weight]) -> Matching:
    units = [unit for tensor in inventory for unit in units_in(tensor)]
    prefix = _shared_prefix(units, weights)
    waiting: dict[Unit, int] = Counter(units)
    pairs: list[tuple[Unit, Weight]] = []
    rest: list[Weight] = []
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
    return Matching(tuple(pairs), tuple(left), tuple(rest), are_named=True)


def _unit_named(
    weight: Weight,
    prefix: str,
    by_path: dict[str, list[Unit]],
    waiting: dict[Unit, int],
) -> Unit | None:
    for name in (weight.path, *weight.aliases):
        for unit in by_path.get(starred(name).removeprefix(prefix), ()):
            if waiting[unit] and weight.shape == unit.shape:
                return unit
    return None


def _shared_prefix(units: Sequence[Unit], weights: Sequence[Weight]) -> str:
    """Return the prefix of all names of the live model, such as ``module.`` of a wrapped one."""
    names = {starred(weight.path) for weight in weights}
    paths = {unit.path for unit in units}
    first = next(iter(paths), "")
    prefixes = [""] + [n.removesuffix(first) for n in sorted(names) if n.endswith(f".{first}")]
    return max(prefixes, key=lambda prefix: sum(f"{prefix}{path}" in names for path in paths))
