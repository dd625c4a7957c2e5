"""Group the tensors of a model: equal layers share one path, and shapes are symbolic."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from paramproof.formulas.derivation import Kind, Role, Stored
from paramproof.formulas.expression import Expression
from paramproof.formulas.path import LAYER, starred
from paramproof.tracing.iterations import IterationStack


class ObservedTensor(NamedTuple):
    """One tensor of a model that was built.

    ``lengths`` is the symbolic shape, None if it was not traced. ``made`` are the iterations of
    loops over sizes in which the tensor was created.
    """

    path: str
    shape: tuple[int, ...]
    role: Role
    aliases: tuple[str, ...] = ()
    lengths: tuple[Expression, ...] | None = None
    made: IterationStack = ()


Axes: TypeAlias = "tuple[Expression | None, ...] | None"
"""A symbolic shape, with None for each axis that is a number; None if the shape was not traced."""


class GroupKey(NamedTuple):
    """What identifies a group of tensors across traces.

    Plain numbers in shapes are left out, because a number may be a specialized size; such lengths
    are fitted later. ``order`` tells apart shapes that differ only in plain numbers.
    """

    kind: Kind
    axes: Axes
    order: int


TensorGroups: TypeAlias = "dict[GroupKey, TensorGroup]"


@dataclass(slots=True)
class TensorGroup:
    """Tensors of one kind and one shape in one model."""

    shape: tuple[int, ...]
    made: list[IterationStack]

    @property
    def count(self) -> int:
        """The number of tensors."""
        return len(self.made)


def kind_of(seen: ObservedTensor) -> Kind:
    """Return what a tensor shares with its counterparts in other layers."""
    aliases = tuple(sorted({starred(alias) for alias in seen.aliases}))
    return Kind(starred(seen.path), seen.role, aliases, len(seen.shape))


def count_stored(tensors: Iterable[ObservedTensor]) -> Counter[Stored]:
    """Count the tensors of each kind and shape, except those without elements."""
    return Counter(Stored(kind_of(one), one.shape) for one in tensors if 0 not in one.shape)


def star_numbers(path: str) -> str:
    """Replace numbers that stand alone by ``*``: ``Encoder-3-Norm``, but not ``dense1``."""
    return re.sub(r"(?<![A-Za-z0-9])\d+(?![A-Za-z0-9])", LAYER, path)


def group_tensors(tensors: Iterable[ObservedTensor]) -> TensorGroups:
    """Group the tensors of a traced model, in the order in which groups first occur."""
    found: TensorGroups = {}
    shapes: dict[tuple[Kind, Axes], list[tuple[int, ...]]] = {}
    for one in tensors:
        kind, axes = kind_of(one), _axes(one)
        known = shapes.setdefault((kind, axes), [])
        if one.shape not in known:
            known.append(one.shape)
        key = GroupKey(kind, axes, known.index(one.shape))
        found.setdefault(key, TensorGroup(one.shape, [])).made.append(one.made)
    return found


def _axes(seen: ObservedTensor) -> Axes:
    if seen.lengths is None:
        return None
    return tuple(None if length.constant is not None else length for length in seen.lengths)
