"""Counts of parts of a model: once in letters, and once again tensor by tensor."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from paramproof.formulas import Inventory
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.conventions import counted
from paramproof.formulas.expression import Expression, expression, sum_of
from paramproof.formulas.path import at_layer, lies_in, starred
from paramproof.formulas.spec import Quantity
from paramproof.formulas.tensors import Tensor

TRAINABLE = ("trainable",)


class Part(NamedTuple):
    """A component, counted ``times`` times (negative if left out), under conventions.

    With ``one``, a component of a layer is counted in one layer only.
    """

    component: str = ""
    one: bool = False
    times: int = 1
    conventions: tuple[str, ...] = TRAINABLE


Each: TypeAlias = Callable[[Tensor], Quantity]
"""What a tensor adds to a count."""

SIZE: Each = attrgetter("size")


class PartCounts:
    """Counts the parts of one model in letters and in numbers, which must agree."""

    def __init__(self, architecture: Architecture) -> None:
        self.sizes, self.is_family = architecture.sizes, architecture.spec is not None
        named = architecture.inventory()
        # A stack without layers, such as the dense layers of some mixtures of experts, is absent.
        there = tuple(one for one in named if expression(one.repeat).evaluate(self.sizes))
        self.named: Inventory = replace(named, tensors=there)
        own = architecture.inventory(self.sizes)
        numbers = own.expand() if self.is_family else own
        self._lettered = cache(lambda names: tuple(counted(self.named, *names)))
        self._numbers = cache(lambda names: tuple(counted(numbers, *names)))

    def formula(self, parts: Iterable[Part], each: Each = SIZE) -> Expression:
        """Return the number of parameters in ``parts`` in letters.

        Raises ``ArithmeticError`` if it does not come to what ``recount`` counts.
        """
        parts = tuple(parts)
        total = sum_of(
            expression(part.times)
            * (1 if part.one else tensor.repeat)
            * tensor.present
            * each(tensor)
            for part in parts
            for tensor in self._lettered(part.conventions)
            if lies_in(tensor.path, part.component)
        )
        number, again = total.evaluate(self.sizes), self.recount(parts, each)
        if number != again:
            raise ArithmeticError(f"{parts} comes to {number}, and counted again to {again}")
        return total

    def recount(self, parts: Iterable[Part], each: Each = SIZE) -> int:
        """Count ``parts`` from the expanded inventory in ints, tensor by tensor.

        A derived formula does not tell which layers are of which kind: its tensors have a number
        instead of a place.
        """
        total = 0
        for component, one, times, conventions in parts:
            within = at_layer(component, 0) if one and self.is_family else component
            for tensor in self._numbers(conventions):
                path = tensor.path if one or not self.is_family else starred(tensor.path)
                if lies_in(path, within):
                    layers = 1 if one or self.is_family else tensor.repeat
                    total += tensor.present * times * layers * each(tensor)
        return total
