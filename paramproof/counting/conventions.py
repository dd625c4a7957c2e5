"""A model's count under every convention."""

from __future__ import annotations

from collections.abc import Iterator

from paramproof.formulas import Inventory
from paramproof.formulas.conventions import (
    CONVENTIONS,
    MEBI,
    PARTS,
    Undecided,
    as_named,
    count,
    in_units,
)
from paramproof.tables.table import Column, Table, TableRow, numbers

UNDECIDED = "undecided"
"""Printed in place of a number that the names of a derived formula's tensors do not decide."""

DEFAULT = "trainable"
"""The rule of what counts as a parameter, unless another is named."""


def under_every(named: Inventory) -> dict[str, int | None]:
    """Return the count of a model by convention. Those of PARTS count only trainable tensors.

    A count is None if the convention cannot be decided for a derived formula.
    """
    return {
        convention: _under(named, *((DEFAULT,) if convention in PARTS else ()), convention)
        for convention in CONVENTIONS
    }


def conventions_table(named: Inventory) -> Table:
    """Return the count of a model under every convention, exact and rounded, with its meaning."""
    columns = (
        Column("convention", "convention", fold="never"),
        numbers("count", "count"),
        numbers("10⁶", "millions", in_units),
        numbers("2²⁰", "mebi", lambda number: in_units(number, MEBI)),
        numbers("rounded", "rounded", _rounded),
        Column("what is counted", "meaning", fold="between words"),
    )
    rows = (
        TableRow((name, UNDECIDED if number is None else number, *[number] * 3, meaning))
        for (name, number), meaning in zip(under_every(named).items(), _meanings(), strict=True)
    )
    return Table.of(columns, rows, undecided(named))


def _rounded(number: int) -> str:
    return f"{as_named(number)}, {as_named(number, 3)}" if number else "0"


def _meanings() -> Iterator[str | None]:
    return (function.__doc__ for function in CONVENTIONS.values())


def undecided(named: Inventory) -> Iterator[str]:
    """Yield a line for each convention that cannot be decided, with the reason."""
    for convention in CONVENTIONS:
        try:
            count(named, *((DEFAULT,) if convention in PARTS else ()), convention)
        except Undecided as error:
            yield str(error)


def _under(named: Inventory, *conventions: str) -> int | None:
    try:
        number: int = count(named, *conventions)
    except Undecided:
        return None
    return number
