"""Two models side by side: what each component has, in letters and in numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

from paramproof.algebra.difference import Component, components, told_apart
from paramproof.algebra.terms import Lettered
from paramproof.counting.letters import in_letters
from paramproof.formulas.expression import Expression, expression
from paramproof.formulas.notation import text
from paramproof.formulas.printing import legible, signed
from paramproof.json_form import document
from paramproof.resolver import Model


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
    """A letter whose values differ; None where it is not in a model's formula.

    ``field`` is its name in the configuration or the spec.
    """

    letter: str
    field: str | None
    first: int | None
    other: int | None


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
        number = signed(self.total.difference) if self.total.difference else "0"
        formulas = f"formulas differ by {text(self.total.letters)}"
        sizes = f", {len(self.sizes)} sizes differ" if self.sizes else ""
        return f"<Difference: {self.other} − {self.first}: {number} ({formulas}{sizes})>"

    def _repr_html_(self) -> str:
        """Return a table of components for a notebook."""
        names = ("component", "formula", self.first, self.other, "difference")
        heading = "".join(f"<th>{escape(name)}</th>" for name in names)
        rows = "".join(map(_html, (*self.rows, self.total)))
        return f"<table><tr>{heading}</tr>{rows}</table>"

    def to_dict(self) -> dict[str, Any]:
        """Return this as data that ``json.dumps`` takes, as ``paramproof/schema.json`` says."""
        body = {
            "first": self.first,
            "other": self.other,
            "rows": [_as_json(row) for row in self.rows],
            "total": _as_json(self.total),
            "sizes": [one._asdict() for one in self.sizes],
        }
        return document("difference", body)


def _html(row: Compared) -> str:
    numbers = ("-" if number is None else f"{number:,}" for number in (row.first, row.other))
    right = (*numbers, signed(row.difference) if row.difference else "0")
    left = f"<td>{escape(row.path)}</td><td>{escape(text(row.letters))}</td>"
    cells = "".join(f"<td style='text-align:right'>{cell}</td>" for cell in right)
    return f"<tr>{left}{cells}</tr>"


def _as_json(row: Compared) -> dict[str, Any]:
    return {
        "component": row.path,
        "formula": text(row.letters),
        "first": row.first,
        "other": row.other,
        "difference": row.difference,
    }


def difference_of(first: Model, other: Model) -> Difference:
    """Return what ``other`` has more than ``first``, each at its own sizes."""
    one = in_letters(first)
    two = told_apart(one, in_letters(other))
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
            field = two.fields.get(name) or one.fields.get(name)
            yield SizeApart(name, field, first, other)


def size_lines(found: Difference) -> Iterator[str]:
    """Yield a line for each letter whose values differ, and one on what that means."""
    for one in found.sizes:
        what = f" ({legible(one.field)})" if one.field else ""
        sizes = ("-" if size is None else f"{size:,}" for size in (one.first, one.other))
        where = zip(sizes, (found.first, found.other), strict=True)
        yield f"{one.letter}{what}: {', '.join(f'{size} in {title}' for size, title in where)}"
    if found.sizes:
        yield "B − A compares the formulas; the numbers differ by these sizes, too"
