"""The inventory of a model: its expected tensors, in order, and their sums at any depth.

Paths form a tree: ``embeddings.layer_norm.scale`` lies in ``embeddings.layer_norm``, which lies
in ``embeddings``. A ``*`` in a path means every layer of a stack, and ``repeat`` is their number,
so an inventory of 96 layers is as short as one of 2, and the number may be a symbol. Only
``expand()``, for ints, gives the layers paths of their own: ``layers.0``, ``layers.1`` …
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, NamedTuple

from paramproof.formulas.path import at_layer, has_layer, lies_in, stack_of
from paramproof.formulas.spec import FamilyLetters, Quantity


class TensorParts(NamedTuple):
    """Whether a tensor belongs to each of these parts; None if that cannot be decided.

    A ``table`` is an embedding of tokens, positions or types; a ``bias`` is that of a projection.
    """

    table: bool | None = False
    position: bool | None = False
    bias: bool | None = False
    norm: bool | None = False
    pooler: bool | None = False
    head: bool | None = False
    layer: bool | None = False


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor that the formula expects.

    ``shape`` is canonical: kernels are (in, out), tables have a row per entry. ``repeat`` is the
    number of layers that the ``*`` of the path covers, and ``present`` is 0 or 1: a trainable,
    untied tensor adds present · repeat · size parameters. ``tied_to`` is the path of the tensor
    whose storage this one shares; it then adds nothing. ``source`` is the clause of the paper or
    the code that defines the tensor. ``parts`` are the parts of a model that it belongs to, None
    if the canonical path tells them.
    """

    path: str
    shape: tuple[Quantity, ...]
    source: str
    trainable: bool = True
    tied_to: str | None = None
    repeat: Quantity = 1
    present: Quantity = 1
    parts: TensorParts | None = None

    @property
    def size(self) -> Quantity:
        return math.prod(self.shape)


@dataclass(frozen=True, slots=True)
class Inventory:
    """An ordered collection of tensors, with the letters in their shapes.

    A family has letters of its own type and canonical paths. A derived formula has a mapping of
    letters by name and the paths of the framework, and a stack may have several kinds of layers.
    """

    letters: FamilyLetters | Mapping[str, Quantity]
    tensors: tuple[Tensor, ...]

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.tensors)

    def total(self, component: str = "") -> Quantity:
        """Return the trainable parameters in ``component``, with tied tensors counted once.

        This is the sum of present · repeat · size. ``layers`` sums all layers; ``layers.*``, and
        every component in it, counts one layer.

        Raises ``KeyError`` for a component without tensors, and ``ValueError`` for ``*`` in a stack
        with several kinds of layers.
        """
        tensors = [tensor for tensor in self if lies_in(tensor.path, component)]
        if not tensors and component:
            raise KeyError(f"no tensor is in {component!r}")
        one_layer = has_layer(component)
        if one_layer and isinstance(self.letters, Mapping) and len(self.kinds(component)) > 1:
            raise ValueError(f"{component} has several kinds of layers; count them one by one")
        return sum(
            tensor.present * (1 if one_layer else tensor.repeat) * tensor.size
            for tensor in tensors
            if tensor.trainable and tensor.tied_to is None
        )

    def frozen(self) -> Inventory:
        """Return the tensors that are not trainable, with tied tensors once; no total has them."""
        kept = (one for one in self if not one.trainable and one.tied_to is None)
        return replace(self, tensors=tuple(one for one in kept if one.present and one.repeat))

    def kinds(self, component: str) -> dict[Quantity, Inventory]:
        """Return the tensors in ``component`` by their ``repeat``, in order."""
        return self._grouped(component, lambda tensor: tensor.repeat)

    def below(self, component: str = "") -> dict[str, Inventory]:
        """Return the tensors in each component directly below ``component``, in order."""
        depth = len(component.split(".")) + 1 if component else 1
        found = self._grouped(component, lambda one: ".".join(one.path.split(".")[:depth]))
        return {path: inside for path, inside in found.items() if path != component}

    def _grouped(self, component: str, key: Callable[[Tensor], Any]) -> dict[Any, Inventory]:
        found: dict[Any, list[Tensor]] = {}
        for tensor in self:
            if lies_in(tensor.path, component):
                found.setdefault(key(tensor), []).append(tensor)
        return {one: replace(self, tensors=tuple(tensors)) for one, tensors in found.items()}

    def expand(self) -> Inventory:
        """Return an inventory with separate tensors for each layer, without absent ones.

        The tensors of one layer follow each other, as in a model. Raises ``TypeError`` unless the
        letters are ints of a family.
        """
        if not all(type(letter) is int for letter in self.letters):
            raise TypeError("only a family's inventory in ints can be expanded")
        expanded: list[Tensor] = []
        for (_, repeat), group in groupby(self, key=lambda t: (stack_of(t.path), t.repeat)):
            tensors = [tensor for tensor in group if tensor.present]
            expanded += [
                replace(tensor, path=at_layer(tensor.path, index), repeat=1)
                for index in range(repeat)
                for tensor in tensors
            ]
        return Inventory(self.letters, tuple(expanded))
