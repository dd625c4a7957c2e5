"""What a model has, with the paths of equal tensors as one, and its shapes in letters."""

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
    """One tensor of a live model.

    ``lengths`` is its shape in letters where it was traced, and ``made`` are the iterations
    of loops over sizes in which it was made.
    """

    path: str
    shape: tuple[int, ...]
    role: Role
    aliases: tuple[str, ...] = ()
    lengths: tuple[Expression, ...] | None = None
    made: IterationStack = ()


Axes: TypeAlias = "tuple[Expression | None, ...] | None"
"""A shape in letters: an axis that is a number is None, a shape that nobody saw made is None."""


class GroupKey(NamedTuple):
    """What a group of tensors is known by in every trace.

    Numbers are no part of it, since one may be a size that was lost: they are read from values.
    Shapes that differ in numbers only are told apart by the order in which they come.
    """

    kind: Kind
    axes: Axes
    order: int


TensorGroups: TypeAlias = "dict[GroupKey, TensorGroup]"


@dataclass(slots=True)
class TensorGroup:
    """Tensors of one kind with one shape, as often as one model has them."""

    shape: tuple[int, ...]
    made: list[IterationStack]

    @property
    def count(self) -> int:
        """How many tensors they are."""
        return len(self.made)


def kind_of(seen: ObservedTensor) -> Kind:
    """Return what ``seen`` has in common with the tensors of other layers."""
    aliases = tuple(sorted({starred(alias) for alias in seen.aliases}))
    return Kind(starred(seen.path), seen.role, aliases, len(seen.shape))


def count_stored(tensors: Iterable[ObservedTensor]) -> Counter[Stored]:
    """Return how often each kind of tensor is there, with which shape."""
    return Counter(Stored(kind_of(one), one.shape) for one in tensors if 0 not in one.shape)


def star_numbers(path: str) -> str:
    """Return ``path`` with ``*`` for numbers that stand alone: ``Encoder-*-Norm``, ``dense1``."""
    return re.sub(r"(?<![A-Za-z0-9])\d+(?![A-Za-z0-9])", LAYER, path)


def group_tensors(tensors: Iterable[ObservedTensor]) -> TensorGroups:
    """Return the tensors of a traced model in groups, in the order of their first one."""
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
