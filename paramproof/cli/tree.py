"""A model as a tree of components: what each has, and how often it is there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from paramproof.formulas import Inventory, Tensor
from paramproof.formulas.path import LAYER, leaf, lies_in


@dataclass(frozen=True, slots=True)
class TreeRow:
    """A component, or a ``tensor``: ``each`` trainable parameters, ``times`` of it in the model.

    A tied tensor adds nothing, and so has none.
    """

    path: str
    each: int
    times: int
    tensor: Tensor | None = None

    @property
    def total(self) -> int:
        """Trainable parameters of all of it."""
        return self.each * self.times

    @property
    def depth(self) -> int:
        """Number of names in the path."""
        return self.path.count(".") + 1


def tree(
    named: Inventory, depth: int | None = None, component: str = "", times: int = 1
) -> Iterator[TreeRow]:
    """Yield every component of a model and every tensor, each before what lies in it.

    ``depth`` is the number of names that a path has at most. What is not present is left out.
    """
    for path in named.components(component):
        tensors = {tensor.path: tensor for tensor in named if tensor.present}
        inside = [tensor for key, tensor in tensors.items() if lies_in(key, path)]
        if not inside:
            continue
        if leaf(path) == LAYER:
            times = inside[0].repeat
        node = TreeRow(path, named.total(path), times, tensors.get(path))
        if depth is not None and node.depth > depth:
            return
        yield node
        if node.tensor is None:
            yield from tree(named, depth, path, times)
