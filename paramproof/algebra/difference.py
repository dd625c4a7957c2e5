"""The difference of two models in letters, component by component."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from paramproof.algebra.letters import mean_the_same
from paramproof.algebra.terms import Lettered, terms
from paramproof.builders.huggingface import names_of
from paramproof.formulas import Inventory
from paramproof.formulas.alphabet import BUILT_IN
from paramproof.formulas.expression import Expression, expression, letter
from paramproof.formulas.parts import PartName, parts_of
from paramproof.formulas.spec import Quantity

OTHER = "outside the layers"
GROUPS: tuple[tuple[str, PartName], ...] = (
    ("heads", "head"),
    ("pooler", "pooler"),
    ("embeddings", "table"),
    ("layers", "layer"),
)
"""Groups of tensors by what is true of them, for models whose names are not of one kind."""


@dataclass(frozen=True, slots=True)
class Component:
    """The parameters of two models in a component, in letters; None if a model does not have it."""

    path: str
    first: Expression | None
    other: Expression | None

    @property
    def difference(self) -> Expression:
        """The count of the other model minus that of the first."""
        return (self.other or Expression()) - (self.first or Expression())


def components(first: Lettered, other: Lettered) -> list[Component]:
    """Return the components of both, in order.

    If one model is of a family and the other is not, the other's names are made canonical, as
    far as they are Hugging Face's names of that family. If none is, components are in groups.
    """
    return [Component(path, *sizes) for path, sizes in side_by_side([first, other]).items()]


def side_by_side(models: Sequence[Lettered]) -> dict[str, list[Expression | None]]:
    """Return what each model has in each component, as ``components`` does for two of them."""
    family = next((model.family for model in models if model.family), "")
    alike = [_named_as(family, model) for model in models]
    if all(named is not None for named in alike):
        found = [_by_path(named) for named in alike if named is not None]
    else:
        found = [_by_group(model.named) for model in models]
    return {path: [one.get(path) for one in found] for path in dict.fromkeys(chain(*found))}


def _named_as(family: str, model: Lettered) -> Inventory | None:
    """Return tensors under the canonical names of a family; None if it has none of their names."""
    named = model.named
    if model.family or not family:
        return named
    known = names_of(family)

    def path_of(native: str) -> str:
        before = next((one for one in known.prefixes if native.startswith(one)), "")
        storage = known.table.get(native.removeprefix(before))
        # The parts of one tensor, such as queries, keys and values, are of one component.
        return storage.parts[0] if storage else native

    paths = {tensor.path: path_of(tensor.path) for tensor in named}
    if all(native == path for native, path in paths.items()):
        return None
    tensors = (
        replace(one, path=paths[one.path], tied_to=one.tied_to and paths[one.tied_to])
        for one in named
    )
    return replace(named, tensors=tuple(tensors))


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


def in_letters_of(first: Lettered, other: Lettered) -> Lettered:
    """Return the other model with the first model's letters for the same sizes.

    A letter gets a prime if it means something else in the first model. A letter of a family of
    ours means the same everywhere; any other is what its field is called.
    """
    letters = _letters(first, other)
    swap = {name: letter(new) for name, new in letters.items() if new != name}

    def lettered(one: Quantity) -> Quantity:
        return one.substitute(swap) if isinstance(one, Expression) else one

    tensors = (
        replace(t, shape=tuple(map(lettered, t.shape)), repeat=lettered(t.repeat))
        for t in other.named
    )
    return replace(
        other,
        named=replace(other.named, tensors=tuple(tensors)),
        sizes={letters[name]: size for name, size in other.sizes.items()},
        fields={letters[name]: field for name, field in other.fields.items()},
    )


def _letters(first: Lettered, other: Lettered) -> dict[str, str]:
    """Return the letter to show for each letter of the other model."""
    ours, theirs = first.fields, other.fields
    letter_of = {field: name for name, field in ours.items()}
    same = {name: letter_of[field] for name, field in theirs.items() if field in letter_of}

    def shown(name: str) -> str:
        if name in same or name not in first.sizes:
            return same.get(name, name)
        alike = name in BUILT_IN.factors or mean_the_same(ours.get(name, ""), theirs.get(name, ""))
        return name if alike and name not in same.values() else f"{name}'"

    return {name: shown(name) for name in other.sizes}
