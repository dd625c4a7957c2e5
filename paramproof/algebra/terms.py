"""A family's count as a sum of terms in letters, each with its component.

The terms are read off the inventory: the tables, norms and layers of dense units that a model
is made of, a whole attention or feed-forward network inside a layer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from paramproof.formulas import FamilyLetters, Inventory, Tensor, inventory
from paramproof.formulas.notation import latex
from paramproof.formulas.path import LAYER, lies_in
from paramproof.formulas.spec import Quantity


@dataclass(frozen=True, slots=True)
class Term:
    """What one component has, ``times`` over; nothing where it is tied or not trainable."""

    path: str
    tensors: tuple[Tensor, ...]
    each: Quantity
    times: Quantity

    @property
    def sources(self) -> tuple[str, ...]:
        """The clauses that ask for its tensors, each once."""
        return tuple(dict.fromkeys(tensor.source for tensor in self.tensors))


def terms(letters: FamilyLetters) -> list[Term]:
    """Return the terms of the count, in the order of the forward pass.

    The times ``letters`` says that their layer is there, they add up to ``inventory.total()``.
    """
    named = inventory(letters)
    return [_term(named, path) for path in _term_paths(named, "")]


def _term_paths(named: Inventory, component: str) -> Iterator[str]:
    """Components that hold tensors themselves, or are what a layer consists of."""
    paths = {tensor.path for tensor in named if tensor.present != 0}
    for path in named.components(component):
        if not any(lies_in(tensor, path) for tensor in paths):
            continue
        direct = any(below in paths for below in named.components(path))
        if direct or component.endswith(LAYER):
            yield path
        else:
            yield from _term_paths(named, path)


def _term(named: Inventory, path: str) -> Term:
    inside = tuple(t for t in named if lies_in(t.path, path) and t.present != 0)
    return Term(path, inside, named.total(path), inside[0].repeat)


def latex_sum(parts: Sequence[Term], result: Quantity) -> str:
    """Return the terms and what they add up to, as an ``align*`` environment of amsmath."""
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
    return path.replace("_", r"\_")
