"""Group the tensors of a model: equal layers share one path.

Most layers have a number of their own between dots. Some have it inside their name:
``encoder_layer_0``, ``denselayer1``, ``weight_ih_l0``; but ``conv1`` and ``norm2`` are single
layers. Several models tell the two apart: if changing a size changes which numbers occur, the
names belong to repeated layers.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    count: int = 0


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


def count_stored(tensors: Iterable[ObservedTensor]) -> Counter[Stored]:
    return Counter(Stored(kind_of(one), one.shape) for one in tensors if 0 not in one.shape)


def star_numbers(path: str) -> str:
    """Replace numbers that stand alone by ``*``: ``Encoder-3-Norm``, but not ``dense1``."""
    return re.sub(r"(?<![A-Za-z0-9])\d+(?![A-Za-z0-9])", LAYER, path)


def group_tensors(tensors: Iterable[ObservedTensor]) -> TensorGroups:
    """Group the tensors of a model, in the order in which groups first occur."""
    found: TensorGroups = {}
    shapes: dict[Kind, list[tuple[int, ...]]] = {}
    for one in tensors:
        known = shapes.setdefault(kind := kind_of(one), [])
        if one.shape not in known:
            known.append(one.shape)
        key = GroupKey(kind, known.index(one.shape))
        found.setdefault(key, TensorGroup(one.shape)).count += 1
    return found


_NUMBER = re.compile(r"\d+")


def has_numbered_names(paths: Iterable[str]) -> bool:
    return any(_NUMBER.search(starred(path)) for path in paths)


def layer_patterns(models: Sequence[Iterable[str]]) -> frozenset[str]:
    """Return the patterns of repeated layers, such as ``encoder.layers.encoder_layer_*``.

    ``models`` has the tensor paths of several models. A pattern belongs to repeated layers if
    another model has a different, nonempty set of numbers in its place than the first model. Outer
    layers are found first, and have ``*`` in the patterns of inner ones.
    """
    found = frozenset[str]()
    while True:
        first, *others = (_numbers(paths, found) for paths in models)
        pairs = ((one, other) for other in others for one in (first.keys() & other.keys()) - found)
        more = {one for one, other in pairs if first[one] != other[one]}
        if not more:
            return found
        outermost = min(one.count(".") for one in more)
        found |= {one for one in more if one.count(".") == outermost}


def star_layer_numbers(
    tensors: Iterable[ObservedTensor], patterns: frozenset[str]
) -> Iterator[ObservedTensor]:
    """Replace the numbers of repeated layers by ``*`` in paths and aliases."""
    for one in tensors:
        path, *aliases = (_with_stars(starred(name), patterns) for name in (one.path, *one.aliases))
        yield one._replace(path=path, aliases=tuple(aliases))


def _numbers(paths: Iterable[str], known: frozenset[str]) -> Mapping[str, set[int]]:
    """Return the numbers of each pattern, in paths with ``*`` for those of ``known`` patterns."""
    found = defaultdict[str, set[int]](set)
    for path in paths:
        for pattern, number in _patterns(_with_stars(starred(path), known)):
            found[pattern].add(number)
    return found


def _patterns(path: str, start: int = 0) -> Iterator[tuple[str, int]]:
    """Yield the beginning of a path with ``*`` for a number in its last name, and that number."""
    for number in _NUMBER.finditer(path, start):
        rest_of_name = path[number.end() :].partition(".")[0]
        yield f"{path[: number.start()]}{LAYER}{rest_of_name}", int(number[0])


def _with_stars(path: str, patterns: frozenset[str]) -> str:
    """Replace the numbers matched by ``patterns``, outermost first, by ``*``."""
    parents, dot, name = path.rpartition(".")
    above = _with_stars(parents, patterns) + dot if dot else ""
    path = above + name
    return next((one for one, _ in _patterns(path, len(above)) if one in patterns), path)
