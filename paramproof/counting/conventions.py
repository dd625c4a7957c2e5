"""A model's count under every convention."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from paramproof.formulas import Inventory
from paramproof.formulas.conventions import (
    CONVENTIONS,
    MEBI,
    STORAGE,
    Undecided,
    as_named,
    count,
    counted,
    in_units,
)
from paramproof.tables.table import Column, Table, TableRow, numbers

UNDECIDED = "undecided"
"""Printed in place of a number that the names of a derived formula's tensors do not decide."""

DEFAULT = "trainable"
"""The rule of what counts as a parameter, unless another is named."""


def with_storage(names: Iterable[str]) -> tuple[str, ...]:
    """Return conventions with the default rule of what a parameter is, unless they have one."""
    chosen = tuple(dict.fromkeys(names))
    return chosen if STORAGE.keys() & chosen else (DEFAULT, *chosen)


def as_counted(named: Inventory, names: Iterable[str]) -> Inventory:
    """Return what conventions count, each tensor as trainable and not tied, so that all add up.

    Raises ``ValueError`` as ``paramproof.formulas.conventions.count`` does.
    """
    kept = counted(named, *with_storage(names))
    tensors = (replace(one, trainable=True, tied_to=None) for one in kept)
    return replace(kept, tensors=tuple(tensors))


def under_every(
    named: Inventory, conventions: Iterable[str] = CONVENTIONS
) -> dict[str, int | None]:
    """Return the count of a model by convention. Those of PARTS count only trainable tensors.

    A count is None if the convention cannot be decided for a derived formula.
    """
    counts = _counts(named, conventions).items()
    return {name: number if isinstance(number, int) else None for name, number in counts}


def _counts(named: Inventory, conventions: Iterable[str]) -> dict[str, int | Undecided]:
    """Return the count under each convention, or the reason why it cannot be decided."""
    found: dict[str, int | Undecided] = {}
    for convention in conventions:
        try:
            found[convention] = int(count(named, *with_storage([convention])))
        except Undecided as error:
            found[convention] = error
    return found


def conventions_table(named: Inventory) -> Table:
    """Return the count of a model under every convention, exact and rounded, with its meaning.

    The conventions of one count are one row, with the meanings of all as notes.
    """
    columns = (
        Column("convention", "convention"),
        numbers("count", "count"),
        numbers("10⁶", "millions", in_units),
        numbers("2²⁰", "mebi", lambda number: in_units(number, MEBI)),
        numbers("rounded", "rounded", _rounded),
    )
    counts, alike = _counts(named, CONVENTIONS), dict[int | None, list[str]]()
    for name, number in counts.items():
        alike.setdefault(number if isinstance(number, int) else None, []).append(name)
    rows = (
        TableRow((", ".join(names), UNDECIDED if number is None else number, *[number] * 3))
        for number, names in alike.items()
    )
    meanings = (f"{name}: {function.__doc__}" for name, function in CONVENTIONS.items())
    reasons = (str(number) for number in counts.values() if isinstance(number, Undecided))
    return Table.of(columns, rows, [*meanings, *reasons])


def _rounded(number: int) -> str:
    return f"{as_named(number)}, {as_named(number, 3)}" if number else "0"
