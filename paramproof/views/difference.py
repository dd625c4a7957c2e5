"""Two models side by side: their components in numbers, and what makes the difference.

Every view that compares models pairs their tensors here, by component or as a tree. A difference
has two parts, which add up to it exactly: the formulas of the two models differ at one set of
sizes, which is the structure, and the sizes make the rest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, product
from typing import Any, NamedTuple

from paramproof.algebra.letters import mean_the_same
from paramproof.formulas import Inventory, Tensor
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.expression import BUILT_IN, Expression, letter, text
from paramproof.formulas.parts import PartName, parts_of
from paramproof.formulas.path import beginnings, has_layer, merged, parent, shared_path, stack_of
from paramproof.formulas.printing import legible
from paramproof.formulas.spec import Quantity
from paramproof.json_form import document
from paramproof.resolver import Model
from paramproof.tables import Column, Table, TableRow, numbers, signed_or_zero
from paramproof.views.formula import terms
from paramproof.views.html import joined, lines, notebook_table


class Compared(NamedTuple):
    """A component of two models, each at its own sizes; None if a model does not have it.

    ``letters`` is the other formula minus the first. ``structure`` is its value at the sizes where
    the formulas are compared, or None if it has no value there.
    """

    path: str
    letters: Expression
    first: int | None
    other: int | None
    structure: int | None

    @property
    def difference(self) -> int:
        return (self.other or 0) - (self.first or 0)

    @property
    def sizes(self) -> int | None:
        """The rest of the difference, which the sizes make."""
        return None if self.structure is None else self.difference - self.structure


class SizeApart(NamedTuple):
    """A letter whose values differ; None for a model whose formula does not have it.

    ``fields`` are its names in the configurations or specs: one, or two if the models differ.
    """

    letter: str
    fields: tuple[str, ...]
    first: int | None
    other: int | None

    def __str__(self) -> str:
        what = f" ({', '.join(map(legible, self.fields))})" if self.fields else ""
        sizes = ("-" if size is None else f"{size:,}" for size in (self.first, self.other))
        return f"{self.letter}{what}: {' → '.join(sizes)}"

    def to_dict(self) -> dict[str, Any]:
        field = self.fields[-1] if self.fields else None
        return {**self._asdict(), "fields": list(self.fields), "field": field}


@dataclass(frozen=True)
class Difference:
    """The difference of two models: ``rows`` by component, and ``total``.

    ``sizes`` are the letters of their formulas whose values differ. The formulas are compared at
    ``split_at``, the sizes of the model ``split_of``; a letter that it does not have is at the
    other's size. If they have no value at either's sizes, ``split_of`` is "".
    """

    first: str
    other: str
    rows: tuple[Compared, ...]
    total: Compared
    sizes: tuple[SizeApart, ...]
    split_of: str
    split_at: Mapping[str, int]

    def __repr__(self) -> str:
        number = signed_or_zero(self.total.difference)
        return f"<Difference: {self.other} − {self.first}: {number}; {'; '.join(self.causes())}>"

    def _repr_html_(self) -> str:
        return joined(notebook_table(self.table()), lines(self.causes()))

    @property
    def has_one_formula(self) -> bool:
        return all(row.letters == 0 for row in self.rows)

    @property
    def resized(self) -> str:
        """The letters of both formulas whose values differ, as text: ``E 256 → 384``."""
        both = (one for one in self.sizes if None not in one)
        return ", ".join(f"{one.letter} {one.first:,} → {one.other:,}" for one in both)

    def causes(self) -> Iterator[str]:
        letters, number = self.total.letters, self.total.structure
        if self.has_one_formula:
            yield "same formula" + (f"; the sizes differ: {self.resized}" if self.sizes else "")
        elif number is None:
            yield "not split into structure and sizes: the formulas have no sizes in common"
        else:
            value = f"{text(letters)} = " if letters.constant is None else ""
            equal = ": the formulas are equal there" if value and not number else ""
            where = f"structure, at the sizes of {self.split_of}"
            yield f"{where}: {value}{signed_or_zero(number)}{equal}"
            if self.resized:
                yield f"sizes, {self.resized}: {signed_or_zero(self.total.difference - number)}"

    def table(self) -> Table:
        """Return the components with their numbers and, where those differ, their formulas.

        Structure and sizes have columns of their own where both make a part of the difference.
        """
        keys = ["component", "first", "other", "difference"]
        if not self.has_one_formula:
            keys += ["structure", "sizes", "formula"] if self.resized else ["formula"]
        return self._whole().only(*keys)

    def _whole(self) -> Table:
        part = "structure" if self.resized else "difference"
        columns = (
            Column("component", "component", legible),
            Column(f"{part} in letters", "formula", text),
            numbers(self.first, "first", absent="-"),
            numbers(self.other, "other", absent="-"),
            numbers("by structure", "structure", signed_or_zero, absent="-"),
            numbers("by sizes", "sizes", signed_or_zero, absent="-"),
            numbers("difference", "difference", signed_or_zero),
        )
        rows = (TableRow((*one, one.sizes, one.difference)) for one in self.rows)
        total = (*self.total, self.total.sizes, self.total.difference)
        notes = (*self.causes(), *map(str, self.sizes))
        return Table.of(columns, [*rows, TableRow(total, starts_section=True)], notes)

    def to_dict(self) -> dict[str, Any]:
        *rows, total = self._whole().records()
        sizes = [one.to_dict() for one in self.sizes]
        return document("difference", {**vars(self), "rows": rows, "total": total, "sizes": sizes})


def difference_of(first: Model, other: Model) -> Difference:
    one, two = first.architecture, other.architecture
    letters = letters_beside(one, two)
    sizes = one.sizes, {letters[name]: size for name, size in two.sizes.items()}
    fields = one.fields, {letters[name]: field for name, field in two.fields.items()}
    pairs = compared(one, two)
    more = [(b or Expression()) - (a or Expression()) for _, (a, b) in pairs]
    split_of, at = _split(more, (sizes[0], first.title), (sizes[1], other.title))
    rows = []
    for (path, both), difference in zip(pairs, more, strict=True):
        a, b = (None if n is None else n.evaluate(of) for n, of in zip(both, sizes, strict=True))
        structure = difference.evaluate(at) if split_of else None
        rows.append(Compared(path, difference, a, b, structure))
    apart = []
    used = [total.letters if total else frozenset() for total in pairs[-1][1]]
    for name in {**sizes[0], **sizes[1]}:
        a, b = (of.get(name) if name in own else None for of, own in zip(sizes, used, strict=True))
        if a != b:
            found = dict.fromkeys(of[name] for of in fields if name in of)
            apart.append(SizeApart(name, tuple(found), a, b))
    *rows, total = rows
    return Difference(first.title, other.title, tuple(rows), total, tuple(apart), split_of, at)


def compared(first: Architecture, other: Architecture) -> list[tuple[str, list[Expression | None]]]:
    """Return both sizes of each component, and of the whole, in the first model's letters."""
    found = components(paired([first, other], in_letters=True))
    totals: list[Expression | None] = [first.formula, other.formula]
    swap = {old: letter(new) for old, new in letters_beside(first, other).items() if new != old}
    return [
        (path, [one, two and two.substitute(swap)])
        for path, (one, two) in [*found.items(), ("total", totals)]
    ]


def _split(
    differences: Sequence[Expression], *models: tuple[Mapping[str, int], str]
) -> tuple[str, Mapping[str, int]]:
    """Return the first of two models at whose sizes all differences have a value, and the sizes."""
    used = frozenset[str]().union(*(one.letters for one in differences))
    for (own, title), (other, _) in (models, models[::-1]):
        sizes = {name: size for name, size in {**other, **own}.items() if name in used}
        with suppress(ArithmeticError, ValueError):
            for one in differences:
                one.evaluate(sizes)
            return title, sizes
    return "", {}


def paired(models: Sequence[Architecture], *, in_letters: bool = False) -> list[Inventory]:
    """Return the tensors of several models under names that are alike where the tensors are.

    If a model is of a family, the names of transformers in other models become canonical. Names
    begin as those of the first model: ``transformer.h`` becomes ``model.layers``. If no component
    of the layers then has one name in all models, their tensors are in groups.
    """
    whole = [one.inventory(None if in_letters else one.sizes) for one in models]
    family = next((one.family for one in models if one.family), "")
    first, *others = (
        named if one.family or not family else _in_names_of(family, named)
        for named, one in zip(whole, models, strict=True)
    )
    alike = [first, *(_begun_as(first, other) for other in others)]
    every = []
    for named in alike:
        paths = {term.path for term in terms(named)}
        every.append({path for path in paths if has_layer(path)} or paths)
    if all(every[0] & other for other in every[1:]):
        return alike
    return [_in_groups(named) for named in whole]


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
    """Return ``other`` with the beginning of its names swapped, where that pairs more tensors.

    Names in stacks of layers may begin as ``""``, ``model.``, ``model.layers.``.
    """
    known = {tensor.path for tensor in first}
    begin = []
    for named in (other, first):
        stacks = dict.fromkeys(filter(None, (stack_of(tensor.path) for tensor in named)))
        begin.append(["", *(f"{one}." for stack in stacks for one in beginnings(stack))])

    def begun(old: str, new: str) -> Inventory:
        swapped = {
            one.path: new + one.path[len(old) :] for one in other if one.path.startswith(old)
        }
        return _renamed(other, lambda one: swapped.get(one.path, one.path))

    tried = (begun(*swap) for swap in product(*begin))
    return max(tried, key=lambda named: len(known & {tensor.path for tensor in named}))


GROUPS: tuple[tuple[str, PartName], ...] = (
    ("heads", "head"),
    ("pooler", "pooler"),
    ("embeddings", "table"),
    ("layers", "layer"),
)
"""Groups of tensors by what is true of them, for models whose names are not of one kind."""


def _in_groups(named: Inventory) -> Inventory:
    """Return one tensor for each group, as large as all tensors in it that count."""
    sizes = defaultdict[str, Quantity](int)
    for one in named:
        if one.present and one.trainable and one.tied_to is None:
            parts = one.parts or parts_of(one.path)
            found = (name for name, part in GROUPS if getattr(parts, part))
            sizes[next(found, "outside the layers")] += one.present * one.repeat * one.size
    tensors = (Tensor(group, (size,), "all tensors of a group") for group, size in sizes.items())
    return replace(named, tensors=tuple(tensors))


def letters_beside(first: Architecture, other: Architecture) -> dict[str, str]:
    """Return the letters of the other model: those of the first one for the same sizes.

    A letter gets a prime if it means something else in the first model. A letter of a family of
    ours means the same everywhere; any other is what its field is called.
    """
    letter_of = {field: name for name, field in first.fields.items()}
    same = {name: letter_of[field] for name, field in other.fields.items() if field in letter_of}

    def shown(name: str) -> str:
        if name in same or name not in first.sizes:
            return same.get(name, name)
        meanings = (one.fields.get(name, "") for one in (first, other))
        alike = name in BUILT_IN or mean_the_same(*meanings)
        return name if alike and name not in same.values() else f"{name}'"

    return {name: shown(name) for name in other.sizes}
