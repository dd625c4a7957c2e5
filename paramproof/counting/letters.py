"""A model in symbols: its tensors, the meaning of its letters, where its formula holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from paramproof.algebra.terms import Lettered, Term, latex_sum, terms
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.expression import Expression, expression
from paramproof.formulas.notation import text
from paramproof.formulas.printing import legible
from paramproof.formulas.spec import Quantity
from paramproof.resolver import Model
from paramproof.tables.table import Column, Table, TableRow, numbers

BRACKETED = re.compile(r"[(⌊⌈][^()⌊⌋⌈⌉]*[)⌋⌉]")
"""The innermost brackets with their content."""


def in_letters(model: Model) -> Lettered:
    """Return a model in letters, the indicators of a family as the numbers that they are."""
    one = model.architecture
    named = one.inventory(), one.sizes, one.fields
    return Lettered(*named, one.formula, one.spec.family) if one.spec else Lettered(*named)


def letters_in(model: Model, formula: Expression | None = None) -> tuple[str, ...]:
    """Return the letters of a formula and of the conditions under which it holds.

    The formula is that of the trainable parameters, unless another is given.
    """
    one = model.architecture
    moving = (one.formula if formula is None else formula).letters | one.bound_letters
    return tuple(name for name in one.fields if name in moving)


def letters_table(
    one: Architecture, letters: Iterable[str], note: Callable[[str], str] | None = None
) -> Table:
    """Return letters with their sizes and fields, and what there is to ``note`` about each."""
    columns = Column("letter"), numbers("size"), Column("field", form=legible)
    notes = () if note is None else (Column("", "note"),)
    rows = (
        TableRow((name, one.sizes[name], one.fields[name], *((note(name),) if note else ())))
        for name in letters
    )
    return Table.of((*columns, *notes), rows)


def holds_where(model: Model) -> Iterator[str]:
    """Yield the conditions under which a formula holds, as one line."""
    if conditions := model.architecture.conditions:
        yield f"holds where {'; '.join(str(stated.condition) for stated in conditions)}"


def latex_of(model: Lettered) -> str:
    """The same sum as LaTeX, up to the closed form."""
    whole = model.named.total() if model.closed is None else model.closed
    return latex_sum(terms(model.named), whole)


def terms_table(model: Lettered) -> Table:
    """Return the terms of a count: the size of one, how often it occurs, the product, its value.

    Below them are the sum and, for a family, the closed form.
    """

    def value(quantity: Quantity) -> str:
        return f"{expression(quantity).evaluate(model.sizes):,}"

    columns = (
        Column("component", "component", legible),
        Column("each", "each"),
        Column("", "times", is_whole=True),
        Column("formula", "formula"),
        numbers("total", "total", value),
    )
    rows = [
        TableRow(
            (one.path, each_text(one), times_text(one), product_text(one), one.times * one.each)
        )
        for one in terms(model.named)
    ]
    whole = model.named.total()
    rows.append(TableRow(("total", text(whole), "", text(whole), whole), starts_section=True))
    if model.closed is not None:
        rows.append(
            TableRow(("closed form", text(model.closed), "", text(model.closed), model.closed))
        )
    return Table.of(columns, rows)


def product_text(term: Term) -> str:
    """Return a term as a product, with brackets around a sum."""
    each = each_text(term)
    if term.each == 0 or term.times == 1:
        return each
    flat, before = each, ""
    while flat != before:
        flat, before = BRACKETED.sub("", flat), flat
    return f"({each}) {times_text(term)}" if " " in flat else f"{each} {times_text(term)}"


def times_text(term: Term) -> str:
    """Return how often a term is there, ``× L``; "" for once."""
    return "" if term.times == 1 else f"× {factor(expression(term.times))}"


def factor(one: Expression) -> str:
    """Return an expression as a factor of a product: a sum is in brackets."""
    return f"({text(one)})" if len(one.terms) > 1 else text(one)


def each_text(term: Term) -> str:
    """Return what one of a term has, or why there is nothing to count."""
    if term.each != 0:
        return text(term.each)
    tied = [tensor.tied_to for tensor in term.tensors if tensor.tied_to]
    return f"0: tied to {legible(tied[0])}" if tied else "0: not trainable"
