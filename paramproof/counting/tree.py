"""A model as a tree of components: what each has, and how often it is there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from paramproof.formulas import Inventory, Tensor
from paramproof.formulas.path import LAYER, leaf
from paramproof.formulas.printing import MAX_NOTE_SHOWN, legible
from paramproof.formulas.spec import Quantity

MOST_ROWS = 400
"""The most rows of a tree if no depth is given. NLLB-MoE names each expert and has many more."""


@dataclass(frozen=True, slots=True)
class TreeRow:
    """A component, or a ``tensor``: ``each`` trainable parameters, ``times`` of it in the model.

    A tied tensor adds nothing, and so has none.
    """

    path: str
    each: Quantity
    times: Quantity
    tensor: Tensor | None = None

    @property
    def total(self) -> Quantity:
        """Trainable parameters of all of it."""
        return self.each * self.times

    @property
    def depth(self) -> int:
        """Number of names in the path."""
        return self.path.count(".") + 1


def tree(
    named: Inventory, depth: int | None = None, component: str = "", times: Quantity = 1
) -> Iterator[TreeRow]:
    """Yield every component of a model and every tensor, each before what lies in it.

    The layers of a stack are one row, or where they are of several kinds one for each, by how
    often what lies in it is there. ``depth`` is the number of names that a path has at most. What
    is not present is left out.
    """
    present = replace(named, tensors=tuple(tensor for tensor in named if tensor.present))
    for path, below in present.below(component).items():
        for often, kind in _kinds(below, path, times):
            row = TreeRow(path, kind.total(path), often)
            if depth is not None and row.depth > depth:
                return
            tensors = [tensor for tensor in kind if tensor.path == path]
            if not tensors:
                yield row
                yield from tree(kind, depth, path, often)
            for tensor in tensors:
                counts = tensor.trainable and not tensor.tied_to
                yield replace(row, each=tensor.size if counts else 0, tensor=tensor)


def depth_within(rows: Sequence[TreeRow]) -> int | None:
    """Return how many levels of a tree are within ``MOST_ROWS``, 1 at least; None where all are."""
    if len(rows) <= MOST_ROWS:
        return None
    levels = Counter(row.depth for row in rows)
    within = accumulate(levels[level] for level in sorted(levels))
    return max(1, sum(number <= MOST_ROWS for number in within))


def _kinds(named: Inventory, path: str, times: Quantity) -> Iterator[tuple[Quantity, Inventory]]:
    """What lies in a component, ``times`` over; of a stack's layers, each kind by its own."""
    if leaf(path) == LAYER:
        yield from named.kinds(path).items()
    else:
        yield times, named


def ties(named: Inventory) -> list[str]:
    """Return a line for each tensor that shares another's storage."""
    tied = (tensor for tensor in named if tensor.tied_to)
    lines = (f"{t.path} is {t.tied_to}" for t in tied if t.present and t.repeat)
    return [legible(line, MAX_NOTE_SHOWN) for line in lines]
