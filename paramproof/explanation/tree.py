"""The components of a model with their counts, by convention.

A tensor's count is the product of its size and its multiplicity; no layers are expanded.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from paramproof.explanation.explanation import TRAINABLE, Explanation, Part
from paramproof.formulas import Inventory
from paramproof.formulas.conventions import Undecided, counted, size
from paramproof.formulas.path import LAYER, beginnings, has_layer, leaf, lies_in


class Node(NamedTuple):
    """A component, in ``one`` layer or in all layers; "" is the whole model."""

    component: str = ""
    one: bool = False


WHOLE = Node()
NodeCounts = dict[Node, int]


def part_of(node: Node, times: int = 1, conventions: tuple[str, ...] = TRAINABLE) -> Part:
    """Return ``node`` as a part of an explanation."""
    return Part(node.component, node.one, times, conventions)


class Tree:
    """The counts of every component of an inventory with ints as sizes, by convention."""

    def __init__(self, inventory: Inventory) -> None:
        self.inventory = inventory
        self._counts: dict[tuple[str, ...], NodeCounts] = {}
        often: dict[str, set[int]] = defaultdict(set)
        for tensor in inventory:
            for component in beginnings(tensor.path) if tensor.present else ():
                often[component].add(tensor.repeat)
        self._of_kinds = {component for component, kinds in often.items() if len(kinds) > 1}

    def counts(self, conventions: tuple[str, ...] = TRAINABLE) -> NodeCounts:
        """Return each component's count under ``conventions``; components of 0 are absent.

        A component of a layer has a count for one layer and one for all, if there are several
        layers, all of one kind. If the conventions cannot be decided, there are no counts.
        """
        if conventions not in self._counts:
            sums: NodeCounts = defaultdict(int)
            for tensor in self._counted(conventions):
                if amount := tensor.present * tensor.size:
                    for node in nodes(tensor.path):
                        sums[node] += amount * (1 if node.one else tensor.repeat)
            self._counts[conventions] = {
                node: count
                for node, count in sums.items()
                if count
                and not _doubled(node, sums)
                and not (node.one and node.component in self._of_kinds)
            }
        return self._counts[conventions]

    def _counted(self, conventions: tuple[str, ...]) -> Inventory:
        try:
            return counted(self.inventory, *conventions)
        except Undecided:
            return replace(self.inventory, tensors=())

    def whole(self, conventions: tuple[str, ...]) -> int:
        """Return the count of the whole model under ``conventions``, 0 if it cannot be decided."""
        counted_size: int = size(self._counted(conventions))
        return counted_size

    def number(self, explanation: Explanation) -> int:
        """Return the count of ``explanation`` for this model, at the model's own sizes."""
        return sum(part.times * self._part(part) for part in explanation.parts)

    def _part(self, part: Part) -> int:
        node = Node(part.component, part.one)
        if node == WHOLE:
            return self.whole(part.conventions)
        return self.counts(part.conventions).get(node, 0)


@cache
def nodes(path: str) -> tuple[Node, ...]:
    """Return every component that contains the tensor at ``path``, the whole model first."""
    return tuple(_nodes(path))


def _nodes(path: str) -> Iterator[Node]:
    yield WHOLE
    for component in beginnings(path):
        if has_layer(component):
            yield Node(component, one=True)
        # All layers of a stack are the stack.
        if leaf(component) != LAYER:
            yield Node(component)


def _doubled(node: Node, sums: NodeCounts) -> bool:
    """Return whether this is a component of one layer in a stack of one layer."""
    return node.one and sums.get(Node(node.component)) == sums[node]


def inside(inner: Node, outer: Node) -> bool:
    """Return whether ``inner`` is a smaller part of ``outer``, in one layer or in all."""
    if inner.component == outer.component or (outer.one and not inner.one):
        return False
    return lies_in(inner.component, outer.component)
