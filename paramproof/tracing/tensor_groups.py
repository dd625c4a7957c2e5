"""Group the tensors of a model: equal layers share one path.

Most layers have a number of their own between dots. Some have it inside their name:
``encoder_layer_0``, ``denselayer1``, ``weight_ih_l0``; but ``conv1`` and ``norm2`` are single
layers. Several models tell the two apart: if changing a size changes which numbers occur, the
names belong to repeated layers.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from paramproof.formulas.derivation import DerivedTensor, Kind, Role
from paramproof.formulas.path import LAYER, starred


class ObservedTensor(NamedTuple):
    """One tensor of a model that was built."""

    path: str
    shape: tuple[int, ...]
    role: Role
    aliases: tuple[str, ...] = ()


class Stored(NamedTuple):
    kind: Kind
    shape: tuple[int, ...]


class GroupKey(NamedTuple):
    """What identifies a group of tensors in models; ``order`` tells several shapes apart."""

    kind: Kind
    order: int


TensorGroups: TypeAlias = "dict[GroupKey, TensorGroup]"


@dataclass(slots=True)
class TensorGroup:
    """Tensors of one kind and one shape in one model."""

    shape: tuple[int, ...]
    count: int


def kind_of(seen: ObservedTensor) -> Kind:
    """Return what a tensor shares with its counterparts in other layers."""
    aliases = tuple(sorted({starred(alias) for alias in seen.aliases}))
    return Kind(starred(seen.path), seen.role, aliases, len(seen.shape))


def expected(tensors: Iterable[DerivedTensor], sizes: Mapping[str, int]) -> Counter[Stored]:
    """Return how many tensors there are of each group and shape; empty ones are left out."""
    found: Counter[Stored] = Counter()
    for tensor in tensors:
        shape = tuple(length.evaluate(sizes) for length in tensor.shape)
        if all(shape):
            found[Stored(tensor.kind, shape)] += tensor.times.evaluate(sizes)
    return found


def star_numbers(path: str) -> str:
    """Replace numbers that stand alone by ``*``: ``Encoder-3-Norm``, but not ``dense1``."""
    return re.sub(r"(?<![A-Za-z0-9])\d+(?![A-Za-z0-9])", LAYER, path)


def group_tensors(tensors: Iterable[ObservedTensor]) -> TensorGroups:
    """Group the tensors of a model, in the order in which groups first occur."""
    found: TensorGroups = {}
    shapes = Counter[Kind]()
    for (kind, shape), count in Counter((kind_of(one), one.shape) for one in tensors).items():
        found[GroupKey(kind, shapes[kind])] = TensorGroup(shape, count)
        shapes[kind] += 1
    return found


def layer_patterns(models: Sequence[Iterable[str]]) -> list[str]:
    """Return the patterns of repeated layers, such as ``encoder.layers.encoder_layer_*``.

    ``models`` has the tensor paths of several models. A pattern belongs to repeated layers if
    another model has a different, nonempty set of numbers in its place than the first model. Outer
    layers come first, and have ``*`` in the patterns of inner ones.
    """
    found: list[str] = []
    deepest = max((path.count(".") for paths in models for path in paths), default=-1)
    for depth in range(deepest + 1):
        first, *others = (_numbers(paths, found, depth) for paths in models)
        found += sorted(
            {one for one in first for other in others if other.get(one, first[one]) != first[one]}
        )
    return found


def star_layers(path: str, patterns: Sequence[str]) -> str:
    """Replace the numbers of layers by ``*``, also those that ``patterns`` have in a name."""
    path = starred(path)
    for pattern in patterns:
        before, _, after = map(re.escape, pattern.rpartition(LAYER))
        if found := re.match(rf"{before}\d+{after}(?![^.])", path):
            path = pattern + path[found.end() :]
    return path


def _numbers(paths: Iterable[str], known: Sequence[str], depth: int) -> Mapping[str, set[str]]:
    """Return the numbers that paths have in the name at a depth, by the pattern of their place."""
    found = defaultdict[str, set[str]](set)
    for path in paths:
        path = star_layers(path, known)
        for number in re.finditer(r"\d+", path):
            before, after = path[: number.start()], path[number.end() :].partition(".")[0]
            if before.count(".") == depth:
                found[f"{before}{LAYER}{after}"].add(number[0])
    return found
