"""Write a model's count as a sum of terms in symbols, each with its component.

The terms come from the inventory. Each is a table, a norm or a dense layer or, inside a layer, a
whole attention or feed-forward network.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from paramproof.formulas import Inventory, Tensor
from paramproof.formulas.expression import Expression, expression
from paramproof.formulas.notation import latex
from paramproof.formulas.path import LAYER, leaf
from paramproof.formulas.printing import legible
from paramproof.formulas.spec import Quantity


@dataclass(frozen=True, slots=True)
class Lettered:
    """A model in letters: its tensors, the sizes and fields of the letters, and a closed form.

    Only a ``family`` has a closed form, which is written apart from its tensors, and canonical
    names; those of a derived formula are native.
    """

    named: Inventory
    sizes: Mapping[str, int]
    fields: Mapping[str, str]
    closed: Expression | None = None
    family: str = ""

    @property
    def formula(self) -> Expression:
        """The trainable parameters: the closed form, or without one the sum of the tensors."""
        return expression(self.named.total()) if self.closed is None else self.closed


@dataclass(frozen=True, slots=True)
class Term:
    """A component that occurs ``times`` times; ``each`` is 0 if it is tied or not trainable."""

    path: str
    tensors: tuple[Tensor, ...]
    each: Quantity
    times: Quantity

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources of its tensors, each once."""
        return tuple(dict.fromkeys(tensor.source for tensor in self.tensors))


def terms(named: Inventory) -> list[Term]:
    """Return the terms of the count of a model, in the order of the forward pass.

    Multiplied by their numbers of layers, they add up to ``named.total()``.
    """
    present = replace(named, tensors=tuple(t for t in named if t.present != 0))
    return [
        Term(path, kind.tensors, _each(kind), times)
        for path in _term_paths(present, "")
        for times, kind in present.kinds(path).items()
    ]


def _term_paths(named: Inventory, component: str) -> Iterator[str]:
    """Return the components that hold tensors themselves, or are the parts of a layer."""
    paths = {tensor.path for tensor in named}
    for path, inside in named.below(component).items():
        below = inside.components(path)
        direct = path in paths or any(component in paths for component in below)
        if direct or (leaf(component) == LAYER and list(map(leaf, below)) != [LAYER]):
            yield path
        else:
            yield from _term_paths(inside, path)


def _each(kind: Inventory) -> Quantity:
    """Return the trainable parameters of one occurrence."""
    counted = (t for t in kind if t.trainable and t.tied_to is None)
    return sum((tensor.present * tensor.size for tensor in counted), 0)


def latex_sum(parts: Sequence[Term], result: Quantity) -> str:
    """Return the terms and their sum as an ``align*`` environment of amsmath."""
    lines = [
        rf"{latex(term.times * term.each)} && \text{{{_upright(term.path)}}} \\"
        for term in parts
        if term.each != 0
    ]
    first, *rest = lines
    return "\n".join(
        [
            r"\begin{align*}",
            rf"\text{{parameters}} ={{}}& {first}",
            *(f"& + {line}" for line in rest),
            rf"={{}}& {latex(result)}",
            r"\end{align*}",
        ]
    )


def _upright(path: str) -> str:
    return re.sub(r"([_&%$#{}])", r"\\\1", legible(path))
