"""Find the layers from which tensors are absent, by the names of the tensors that are there.

A formula says that a tensor occurs in 27 layers, but not in which. Tensors of the same component
that occur as often are taken to be in the same layers: if names show all of these layers, the
tensor is absent from those that it is not in. Where names leave a choice, no layer is named.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from paramproof.formulas.path import LAYER, beginnings, lies_in, stack_of, starred

MAX_LAYERS_NAMED = 1000
"""The most layers from which a tensor is absent that are named one by one."""

Numbers: TypeAlias = tuple[str, ...]
"""The numbers in a name: those of a layer and, if it has any, of an expert."""


class LayerNames:
    """The numbers in names, by path with ``*``; ``repeats`` says how often a path should occur."""

    def __init__(self, names: Iterable[str], repeats: Mapping[str, int]) -> None:
        self.repeats = repeats
        self.seen: dict[str, set[Numbers]] = defaultdict(set)
        for name in names:
            self.seen[starred(name)].add(tuple(filter(str.isdigit, name.split("."))))

    def layers_of(self, path: str) -> list[str]:
        """Return the numbers of the layers in the stack of ``path``, in order."""
        stack = stack_of(path)
        inside = (own for name, own in self.seen.items() if stack_of(name) == stack)
        return sorted({numbers[0] for own in inside for numbers in own}, key=lambda n: (len(n), n))

    def absent(self, path: str, number: int) -> list[Numbers]:
        """Return the numbers of the ``number`` tensors at ``path`` that are absent, in order.

        Returns [] if the names do not tell which they are.
        """
        stack, stars = stack_of(path), path.split(".").count(LAYER)
        own = self.seen.get(path, set())
        repeat = len(own) + number
        if stack is None or number > MAX_LAYERS_NAMED:
            return []
        paths = (other for other in self.repeats if other.split(".").count(LAYER) == stars)
        inside = [other for other in paths if stack_of(other) == stack]
        layers = max(self.repeats[other] for other in inside)
        every: set[Numbers] = set()
        if stars == 1 and layers - len(self.layers_of(path)) <= MAX_LAYERS_NAMED:
            every = {(str(one),) for one in range(layers)}
        if repeat == layers and own < every:
            return sorted(every - own, key=_in_order)
        there = {(one,) for one in self.layers_of(path)}
        unseen = every - there if there <= every else set()
        alike = [other for other in inside if self.repeats[other] == repeat] if own else []
        for component in reversed(beginnings(path)[:-1]):
            near = (self.seen.get(other, set()) for other in alike if lies_in(other, component))
            known = unseen.union(*near)
            if len(known) == repeat:
                return sorted(known - own, key=_in_order)
        return []


def _in_order(numbers: Iterable[str]) -> list[tuple[int, str]]:
    """Return a key that sorts by number, and reads none: it may have thousands of digits."""
    return [(len(number), number) for number in numbers]
