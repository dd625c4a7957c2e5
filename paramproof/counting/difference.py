"""Two models side by side: what each component has, in letters and in numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from paramproof.algebra.difference import Component, components, in_letters_of
from paramproof.algebra.terms import Lettered
from paramproof.counting.letters import in_letters
from paramproof.formulas.expression import Expression, expression
from paramproof.formulas.notation import text
from paramproof.formulas.printing import legible
from paramproof.json_form import document
from paramproof.resolver import Model
from paramproof.tables.html import notebook_table
from paramproof.tables.table import Column, Table, TableRow, numbers, signed_or_zero


class Compared(NamedTuple):
    """A component of two models, each at its own sizes; None if a model does not have it.

    ``letters`` are what the other has more.
    """

    path: str
    letters: Expression
    first: int | None
    other: int | None

    @property
    def difference(self) -> int:
        """The surplus of the other model."""
        return (self.other or 0) - (self.first or 0)


class SizeApart(NamedTuple):
    """A letter whose values differ; None for a model whose formula does not have it.

    ``fields`` are its names in the configurations or specs: one, or two if the models differ.
    """

    letter: str
    fields: tuple[str, ...]
    first: int | None
    other: int | None

    def to_dict(self) -> dict[str, Any]:
        """Return this as data for JSON, with the last of the names as ``field``."""
        return {
            "letter": self.letter,
            "field": self.fields[-1] if self.fields else None,
            "fields": list(self.fields),
            "first": self.first,
            "other": self.other,
        }


@dataclass(frozen=True)
class Difference:
    """The difference of two models: ``rows`` by component, and ``total``.

    ``sizes`` are the letters of their formulas whose values differ: ``letters`` of a row compares
    the formulas, and its numbers differ by these sizes, too.
    """

    first: str
    other: str
    rows: tuple[Compared, ...]
    total: Compared
    sizes: tuple[SizeApart, ...]

    def __repr__(self) -> str:
        number = signed_or_zero(self.total.difference)
        formulas = f"formulas differ by {text(self.total.letters)}"
        sizes = f", {len(self.sizes)} sizes differ" if self.sizes else ""
        return f"<Difference: {self.other} − {self.first}: {number} ({formulas}{sizes})>"

    def _repr_html_(self) -> str:
        """Return a table of components for a notebook."""
        return notebook_table(self.table())

    def table(self) -> Table:
        """Return the components with their formulas and numbers, and below them the total."""
        columns = (
            Column("component", "component", legible, width=12),
            Column("B − A", "formula", text, width=12),
            numbers(self.first, "first", absent="-"),
            numbers(self.other, "other", absent="-"),
            numbers("difference", "difference", signed_or_zero),
        )
        rows = (TableRow((*one, one.difference)) for one in self.rows)
        total = TableRow((*self.total, self.total.difference), starts_section=True)
        return Table.of(columns, [*rows, total], size_lines(self))

    def to_dict(self) -> dict[str, Any]:
        """Return this as data that ``json.dumps`` takes, as ``paramproof/schema.json`` says."""
        *rows, total = self.table().records()
        body = {
            "first": self.first,
            "other": self.other,
            "rows": rows,
            "total": total,
            "sizes": [one.to_dict() for one in self.sizes],
        }
        return document("difference", body)


def difference_of(first: Model, other: Model) -> Difference:
    """Return what ``other`` has more than ``first``, each at its own sizes."""
    one = in_letters(first)
    two = in_letters_of(one, in_letters(other))
    *rows, total = compared(one, two)
    sizes = tuple(sizes_apart(one, two))
    return Difference(first.title, other.title, tuple(rows), total, sizes)


def compared(one: Lettered, two: Lettered) -> Iterator[Compared]:
    """Yield every component of both, and last the total."""
    total = Component("total", expression(one.named.total()), expression(two.named.total()))
    for component in (*components(one, two), total):
        numbers = _number(component.first, one), _number(component.other, two)
        yield Compared(component.path, component.difference, *numbers)


def _number(size: Expression | None, model: Lettered) -> int | None:
    return None if size is None else size.evaluate(model.sizes)


def sizes_apart(one: Lettered, two: Lettered) -> Iterator[SizeApart]:
    """Yield the letters of the formulas of two models whose values differ."""
    used = [expression(model.named.total()).letters for model in (one, two)]
    for name in dict.fromkeys([*one.sizes, *two.sizes]):
        if name not in used[0] | used[1]:
            continue
        first, other = (
            model.sizes.get(name) if name in letters else None
            for model, letters in zip((one, two), used, strict=True)
        )
        if first != other:
            both = (model.fields[name] for model in (one, two) if name in model.fields)
            yield SizeApart(name, tuple(dict.fromkeys(both)), first, other)


def size_lines(found: Difference) -> Iterator[str]:
    """Yield a line for each letter whose values differ, and one on what that means."""
    for one in found.sizes:
        what = f" ({', '.join(map(legible, one.fields))})" if one.fields else ""
        sizes = ("-" if size is None else f"{size:,}" for size in (one.first, one.other))
        where = zip(sizes, (found.first, found.other), strict=True)
        yield f"{one.letter}{what}: {', '.join(f'{size} in {title}' for size, title in where)}"
    if found.sizes:
        yield "B − A compares the formulas; the numbers differ by these sizes, too"
