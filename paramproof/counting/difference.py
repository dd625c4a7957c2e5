"""Two models side by side: their components in numbers, and what makes the difference.

A difference has two parts, which add up to it exactly. The structure makes what the formulas of
the two models differ by at one set of sizes, and the sizes make the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from paramproof.algebra.difference import components, in_letters_of, paired
from paramproof.algebra.terms import Lettered
from paramproof.counting.letters import in_letters
from paramproof.formulas import Inventory
from paramproof.formulas.expression import Expression, expression
from paramproof.formulas.notation import text
from paramproof.formulas.printing import legible
from paramproof.json_form import document
from paramproof.resolver import LiveModel, Model
from paramproof.tables.html import notebook_table
from paramproof.tables.markup import joined, lines
from paramproof.tables.table import Column, Table, TableRow, numbers, signed_or_zero


class Compared(NamedTuple):
    """A component of two models, each at its own sizes; None if a model does not have it.

    ``letters`` are what the other has more. ``structure`` is their value at the sizes where the
    formulas are compared, or None if they have no value there.
    """

    path: str
    letters: Expression
    first: int | None
    other: int | None
    structure: int | None

    @property
    def difference(self) -> int:
        """The surplus of the other model."""
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
        """Return this as data for JSON, with the last of the names as ``field``."""
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
        """Return a table of components for a notebook, and what makes the difference."""
        return joined(notebook_table(self.table()), lines(self.causes()))

    @property
    def has_one_formula(self) -> bool:
        """Whether both models have the same formula for every component."""
        return all(row.letters == 0 for row in self.rows)

    @property
    def resized(self) -> str:
        """The letters of both formulas whose values differ, as text: ``E 256 → 384``."""
        both = (one for one in self.sizes if None not in one)
        return ", ".join(f"{one.letter} {one.first:,} → {one.other:,}" for one in both)

    def causes(self) -> Iterator[str]:
        """Yield a line on the structure and one on the sizes, as far as they differ."""
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
        """Return this as data that ``json.dumps`` takes, as ``paramproof/schema.json`` says."""
        *rows, total = self._whole().records()
        sizes = [one.to_dict() for one in self.sizes]
        return document("difference", {**vars(self), "rows": rows, "total": total, "sizes": sizes})


def paired_inventories(models: Sequence[Model | LiveModel]) -> list[Inventory]:
    """Return the tensors of several models in numbers, under names that pair them."""
    specs = (one.architecture and one.architecture.spec for one in models)
    families = [spec.family if spec else "" for spec in specs]
    return paired([one.inventory() for one in models], families)


def difference_of(first: Model, other: Model) -> Difference:
    """Return what ``other`` has more than ``first``, each at its own sizes."""
    one = in_letters(first)
    two = in_letters_of(one, in_letters(other))
    found = components(paired([one.named, two.named], [one.family, two.family]))
    whole: list[Expression | None] = [expression(model.named.total()) for model in (one, two)]
    pairs = [*found.items(), ("total", whole)]
    letters = [(b or Expression()) - (a or Expression()) for _, (a, b) in pairs]
    split_of, at = _split(letters, (one, first.title), (two, other.title))
    structure = [more.evaluate(at) if split_of else None for more in letters]
    *rows, total = (
        Compared(path, more, _number(a, one), _number(b, two), part)
        for (path, (a, b)), more, part in zip(pairs, letters, structure, strict=True)
    )
    apart = tuple(_sizes_apart(one, two))
    return Difference(first.title, other.title, tuple(rows), total, apart, split_of, at)


def _number(size: Expression | None, model: Lettered) -> int | None:
    return None if size is None else size.evaluate(model.sizes)


def _split(
    letters: Sequence[Expression], *models: tuple[Lettered, str]
) -> tuple[str, Mapping[str, int]]:
    """Return the first of two models at whose sizes all ``letters`` have a value, and the sizes."""
    used = frozenset[str]().union(*(one.letters for one in letters))
    for (own, title), (other, _) in (models, models[::-1]):
        sizes = {name: size for name, size in {**other.sizes, **own.sizes}.items() if name in used}
        with suppress(ArithmeticError, ValueError):
            for one in letters:
                one.evaluate(sizes)
            return title, sizes
    return "", {}


def _sizes_apart(*models: Lettered) -> Iterator[SizeApart]:
    """Yield the letters of the formulas of two models whose values differ."""
    used = [expression(model.named.total()).letters for model in models]
    for name in dict.fromkeys(chain(*(model.sizes for model in models))):
        pairs = zip(models, used, strict=True)
        first, other = (one.sizes.get(name) if name in its else None for one, its in pairs)
        if first != other:
            fields = (model.fields[name] for model in models if name in model.fields)
            yield SizeApart(name, tuple(dict.fromkeys(fields)), first, other)
