"""What should exist: named tensors, in order, and their sums at any depth.

The tree is the path: ``embeddings.layer_norm.scale`` lies in ``embeddings.layer_norm``,
which lies in ``embeddings``. A ``*`` in a path stands for the layers of its stack; it carries
their number as a multiplicity, so that an inventory of 96 layers is as short as one of 2 and
the number may be a symbol. Only ``expand()``, on ints, writes ``layers.0``, ``layers.1`` …
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from paramproof.formulas.path import at_layer, has_layer, lies_in, stack_of
from paramproof.formulas.spec import FamilyLetters, Quantity


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor that the formula says should exist.

    ``shape`` is canonical: kernels are (in, out), tables have a row per entry.
    ``repeat`` is how often the ``*`` of the path stands for a layer, ``present`` is 0 or 1.
    ``tied_to`` names the tensor whose storage this one shares; it then adds nothing.
    ``source`` is the clause that asks for it.
    """

    path: str
    shape: tuple[Quantity, ...]
    source: str
    trainable: bool = True
    tied_to: str | None = None
    repeat: Quantity = 1
    present: Quantity = 1

    @property
    def size(self) -> Quantity:
        """Number of entries, the product of the shape."""
        return math.prod(self.shape)

    def under(self, prefix: str) -> Tensor:
        """Return the same tensor in the component ``prefix``."""
        return replace(self, path=f"{prefix}.{self.path}")


@dataclass(frozen=True, slots=True)
class Inventory:
    """An ordered collection of tensors, with the letters it was written in."""

    letters: FamilyLetters
    tensors: tuple[Tensor, ...]

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.tensors)

    def total(self, component: str = "") -> Quantity:
        """Return the trainable parameters in ``component``, tied tensors counted once.

        ``layers`` sums all layers; ``layers.*`` is one of them, and so is all that lies in it.

        Raises ``KeyError`` for a component that no tensor lies in.
        """
        tensors = [tensor for tensor in self if lies_in(tensor.path, component)]
        if not tensors and component:
            raise KeyError(f"no tensor lies in {component!r}")
        total: Quantity = 0
        for tensor in tensors:
            if tensor.trainable and tensor.tied_to is None:
                multiplicity = 1 if has_layer(component) else tensor.repeat
                total = total + tensor.present * multiplicity * tensor.size
        return total

    def components(self, component: str = "") -> tuple[str, ...]:
        """Return the components directly below ``component``, in order."""
        depth = len(component.split(".")) + 1 if component else 1
        below = (tensor.path for tensor in self if lies_in(tensor.path, component))
        return tuple(
            dict.fromkeys(".".join(path.split(".")[:depth]) for path in below if path != component)
        )

    def expand(self) -> Inventory:
        """Return an inventory with one tensor for each layer, and none that is absent.

        Order: a layer's tensors follow each other, as in a model. Raises ``TypeError``
        where the letters are not ints.
        """
        if not all(type(letter) is int for letter in self.letters):
            raise TypeError("only an inventory in ints can be expanded")
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
