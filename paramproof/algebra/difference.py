"""What one model has more than another, in letters, component by component."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from paramproof.algebra.terms import Lettered, terms
from paramproof.formulas import Inventory
from paramproof.formulas.alphabet import BUILT_IN
from paramproof.formulas.expression import Expression, expression, letter
from paramproof.formulas.parts import PartName, parts_of
from paramproof.formulas.spec import Quantity

OTHER = "other"
GROUPS: tuple[tuple[str, PartName], ...] = (
    ("heads", "head"),
    ("pooler", "pooler"),
    ("embeddings", "table"),
    ("layers", "layer"),
)
"""Groups of tensors by what is true of them, for models whose names are not of one kind."""


@dataclass(frozen=True, slots=True)
class Component:
    """What two models have in a component, in letters; None where one has no such component."""

    path: str
    first: Expression | None
    other: Expression | None

    @property
    def difference(self) -> Expression:
        """What the other has more."""
        return (self.other or Expression()) - (self.first or Expression())


def components(first: Lettered, other: Lettered) -> list[Component]:
    """Return the components of both, in order: by path, or where names differ in kind by group."""
    return [Component(path, *sizes) for path, sizes in side_by_side([first, other]).items()]


def side_by_side(models: Sequence[Lettered]) -> dict[str, list[Expression | None]]:
    """Return what each model has in each component, as ``components`` does for two of them."""
    of_a_kind = len({model.fields is None for model in models}) == 1
    found = [_by_path(m.named) if of_a_kind else _by_group(m.named) for m in models]
    return {path: [one.get(path) for one in found] for path in dict.fromkeys(chain(*found))}


def _by_path(named: Inventory) -> dict[str, Expression]:
    found: dict[str, Expression] = {}
    for term in terms(named):
        found[term.path] = found.get(term.path, Expression()) + term.times * term.each
    return found


def _by_group(named: Inventory) -> dict[str, Expression]:
    found: dict[str, Expression] = {}
    for tensor in named:
        if tensor.trainable and tensor.tied_to is None:
            parts = tensor.parts or parts_of(tensor.path)
            group = next((name for name, part in GROUPS if getattr(parts, part)), OTHER)
            size = tensor.present * tensor.repeat * tensor.size
            found[group] = found.get(group, Expression()) + expression(size)
    return found


def told_apart(first: Lettered, other: Lettered) -> Lettered:
    """Return the other model with a prime on letters that are another size than in the first.

    A letter of a family of ours means the same everywhere; any other is what its field is called.
    """
    ours, theirs = first.fields or {}, other.fields or {}
    known = BUILT_IN.factors
    clashing = {
        name
        for name in other.sizes
        if name in first.sizes and name not in known and ours.get(name) != theirs.get(name)
    }
    renamed = {name: f"{name}'" if name in clashing else name for name in other.sizes}
    primed = {name: letter(renamed[name]) for name in clashing}

    def lettered(one: Quantity) -> Quantity:
        return one.substitute(primed) if isinstance(one, Expression) else one

    tensors = (
        replace(t, shape=tuple(map(lettered, t.shape)), repeat=lettered(t.repeat))
        for t in other.named
    )
    return replace(
        other,
        named=replace(other.named, tensors=tuple(tensors)),
        sizes={renamed[name]: size for name, size in other.sizes.items()},
        fields={renamed[name]: field for name, field in theirs.items()} or other.fields,
    )
