"""Pair the components of several models, and write two models in the same letters.

Every view that compares models pairs their tensors here: in numbers or in letters, by component or
as a tree.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain, product

from paramproof.algebra.letters import mean_the_same
from paramproof.algebra.terms import Lettered, terms
from paramproof.formulas import Inventory, Tensor
from paramproof.formulas.alphabet import BUILT_IN
from paramproof.formulas.expression import Expression, letter
from paramproof.formulas.order import merged
from paramproof.formulas.parts import PartName, parts_of
from paramproof.formulas.path import beginnings, has_layer, parent, shared_path, stack_of
from paramproof.formulas.spec import Quantity

OTHER = "outside the layers"
GROUPS: tuple[tuple[str, PartName], ...] = (
    ("heads", "head"),
    ("pooler", "pooler"),
    ("embeddings", "table"),
    ("layers", "layer"),
)
"""Groups of tensors by what is true of them, for models whose names are not of one kind."""


def paired(models: Sequence[Inventory], families: Sequence[str]) -> list[Inventory]:
    """Return the tensors of several models under names that are alike where the tensors are.

    ``families`` has the family of each model whose names are canonical, or "". If there is one, the
    names of transformers in other models become canonical. Names begin as those of the first model:
    ``transformer.h`` becomes ``model.layers``. If no component of the layers then has one name in
    all models, their tensors are in groups.
    """
    family = next(filter(None, families), "")
    alike = [
        named if own or not family else _in_names_of(family, named)
        for named, own in zip(models, families, strict=True)
    ]
    first = alike[0]
    alike = [first, *(_begun_as(first, other) for other in alike[1:])]
    every = [_components_of_layers(named) for named in alike]
    if all(every[0] & other for other in every[1:]):
        return alike
    return [_in_groups(named) for named in models]


def components(models: Sequence[Inventory]) -> dict[str, list[Expression | None]]:
    """Return the parameters of each component in each of some models, which are ``paired``."""
    found = [defaultdict[str, Expression](Expression) for _ in models]
    for one, named in zip(found, models, strict=True):
        for term in terms(named):
            one[term.path] += term.times * term.each
    return {path: [one.get(path) for one in found] for path in merged_paths(found)}


def merged_paths(orders: Sequence[Iterable[str]]) -> list[str]:
    """Return every path in ``orders``, with those that lie in one component together."""
    above = (dict.fromkeys(chain(*map(beginnings, order))) for order in orders)
    rank = {path: place for place, path in enumerate(merged(above))}
    return sorted({*chain(*orders)}, key=lambda path: [rank[one] for one in beginnings(path)])


def _renamed(named: Inventory, name: Callable[[Tensor], str]) -> Inventory:
    return replace(named, tensors=tuple(replace(one, path=name(one)) for one in named))


def _in_names_of(family: str, named: Inventory) -> Inventory:
    """Return tensors under the canonical names of a family, or beside those that have one."""
    # Few models need the table of names, which takes time to read.
    from paramproof.builders.huggingface import names_of

    known = names_of(family)
    found, inside = {"": ""}, {"": ""}
    for path in (tensor.path for tensor in named):
        before = next((one for one in known.prefixes if path.startswith(one)), "")
        if storage := known.table.get(path.removeprefix(before)):
            found[path] = shared_path(storage.parts)
            inside.setdefault(parent(parent(path)), parent(parent(found[path])))

    def canonical(tensor: Tensor) -> str:
        around = next((one for one in beginnings(tensor.path)[::-1] if inside.get(one)), "")
        return found.get(tensor.path) or inside[around] + tensor.path.removeprefix(around)

    return _renamed(named, canonical)


def _begun_as(first: Inventory, other: Inventory) -> Inventory:
    """Return ``other`` with the beginning of its names swapped, where that pairs more tensors."""
    known = {tensor.path for tensor in first}

    def begun(old: str, new: str) -> Inventory:
        swapped = {
            one.path: new + one.path[len(old) :] for one in other if one.path.startswith(old)
        }
        return _renamed(other, lambda one: swapped.get(one.path, one.path))

    tried = (begun(*swap) for swap in product(_beginnings(other), _beginnings(first)))
    return max(tried, key=lambda named: len(known & {tensor.path for tensor in named}))


def _beginnings(named: Inventory) -> list[str]:
    """Return how the names in stacks of layers may begin: ``""``, ``model.``, ``model.layers.``."""
    stacks = dict.fromkeys(filter(None, (stack_of(tensor.path) for tensor in named)))
    return ["", *(f"{one}." for stack in stacks for one in beginnings(stack))]


def _components_of_layers(named: Inventory) -> set[str]:
    """Return the components that layers have, or all components of a model without layers."""
    found = {term.path for term in terms(named)}
    return {path for path in found if has_layer(path)} or found


def _in_groups(named: Inventory) -> Inventory:
    """Return one tensor for each group, as large as all tensors in it that count."""
    sizes: dict[str, Quantity] = {}
    for one in named:
        if one.present and one.trainable and one.tied_to is None:
            parts = one.parts or parts_of(one.path)
            group = next((name for name, part in GROUPS if getattr(parts, part)), OTHER)
            sizes[group] = sizes.get(group, 0) + one.present * one.repeat * one.size
    tensors = (Tensor(group, (size,), "all tensors of a group") for group, size in sizes.items())
    return replace(named, tensors=tuple(tensors))


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
