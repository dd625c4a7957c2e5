"""What should exist: named tensors, in order, and their sums at any depth.

The tree is the path: ``embeddings.layer_norm.scale`` lies in ``embeddings.layer_norm``,
which lies in ``embeddings``. A ``*`` in a path stands for the layers of its stack; it carries
their number as a multiplicity, so that an inventory of 96 layers is as short as one of 2 and
the number may be a symbol. Only ``expand()``, on ints, writes ``layers.0``, ``layers.1`` …
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby

from paramproof.formulas.parts import TensorParts
from paramproof.formulas.path import LAYER, at_layer, has_layer, lies_in, stack_of
from paramproof.formulas.spec import FamilyLetters, Quantity


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor that the formula says should exist.

    ``shape`` is canonical: kernels are (in, out), tables have a row per entry.
    ``repeat`` is how often the ``*`` of the path stands for a layer, ``present`` is 0 or 1.
    ``tied_to`` names the tensor whose storage this one shares; it then adds nothing.
    ``source`` is the clause that asks for it. ``parts`` are those of a model that it belongs to,
    None where the canonical path says so.
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
        """Number of entries, the product of the shape."""
        return math.prod(self.shape)

    @property
    def is_one_name(self) -> bool:
        """Whether a tied tensor is one further name, where names are a framework's own.

        A ``*`` too many, or the path that it is tied to, stands for nobody knows how many.
        """
        if self.parts is None or self.tied_to is None:
            return True
        same = self.path.split(".").count(LAYER) == self.tied_to.split(".").count(LAYER)
        return same and self.path != self.tied_to

    def under(self, prefix: str) -> Tensor:
        """Return the same tensor in the component ``prefix``."""
        return replace(self, path=f"{prefix}.{self.path}")


@dataclass(frozen=True, slots=True)
class Inventory:
    """An ordered collection of tensors, with the letters it was written in.

    The letters are those of a family; of a derived formula they are a mapping, by name, the paths
    are a framework's own, and the layers of a stack may be of several kinds.
    """

    letters: FamilyLetters | Mapping[str, Quantity]
    tensors: tuple[Tensor, ...]

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.tensors)

    def letter(self, name: str) -> Quantity:
        """Return what the letter of this name is. Raises ``KeyError`` where there is none."""
        letters = self.letters
        by_name = letters if isinstance(letters, Mapping) else letters._asdict()
        return by_name[name]

    def total(self, component: str = "") -> Quantity:
        """Return the trainable parameters in ``component``, tied tensors counted once.

        ``layers`` sums all layers; ``layers.*`` is one of them, and so is all that lies in it.

        Raises ``KeyError`` for a component that no tensor lies in, and ``ValueError`` for one
        layer of a stack whose layers are of several kinds.
        """
        tensors = [tensor for tensor in self if lies_in(tensor.path, component)]
        if not tensors and component:
            raise KeyError(f"no tensor lies in {component!r}")
        native = isinstance(self.letters, Mapping)
        if native and has_layer(component) and len(self.kinds(component)) > 1:
            raise ValueError(f"{component} is of several kinds, which are counted one by one")
        total: Quantity = 0
        for tensor in tensors:
            if tensor.trainable and tensor.tied_to is None:
                multiplicity = 1 if has_layer(component) else tensor.repeat
                total = total + tensor.present * multiplicity * tensor.size
        return total

    def kinds(self, component: str) -> dict[Quantity, Inventory]:
        """Return what lies in ``component`` by how often it is there, in order."""
        found: dict[Quantity, list[Tensor]] = {}
        for tensor in self:
            if lies_in(tensor.path, component):
                found.setdefault(tensor.repeat, []).append(tensor)
        return {n: replace(self, tensors=tuple(tensors)) for n, tensors in found.items()}

    def components(self, component: str = "") -> tuple[str, ...]:
        """Return the components directly below ``component``, in order."""
        return tuple(self.below(component))

    def below(self, component: str = "") -> dict[str, Inventory]:
        """Return what lies in each of the components directly below ``component``, in order."""
        depth = len(component.split(".")) + 1 if component else 1
        found: dict[str, list[Tensor]] = {}
        for tensor in self:
            if lies_in(tensor.path, component) and tensor.path != component:
                found.setdefault(".".join(tensor.path.split(".")[:depth]), []).append(tensor)
        return {path: replace(self, tensors=tuple(tensors)) for path, tensors in found.items()}

    def expand(self) -> Inventory:
        """Return an inventory with one tensor for each layer, and none that is absent.

        Order: a layer's tensors follow each other, as in a model. Raises ``TypeError``
        where the letters are not a family's, in ints.
        """
        if not all(type(letter) is int for letter in self.letters):
            raise TypeError("only a family's inventory in ints can be expanded")
        expanded: list[Tensor] = []
        for (stack, repeat), group in groupby(self, key=lambda t: (stack_of(t.path), t.repeat)):
            tensors = [tensor for tensor in group if tensor.present]
            if stack is None:
                expanded += tensors
                continue
            expanded += [
                replace(tensor, path=at_layer(tensor.path, index), repeat=1)
                for index in range(repeat)
                for tensor in tensors
            ]
        return Inventory(self.letters, tuple(expanded))
