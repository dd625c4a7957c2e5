"""``paramproof count MODEL --under NAME`` and ``--all-conventions``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rich.measure import Measurement

from paramproof.cli.output import console
from paramproof.counting.conventions import DEFAULT, conventions_table
from paramproof.formulas import Inventory
from paramproof.formulas.conventions import (
    CONVENTIONS,
    MEBI,
    STORAGE,
    as_named,
    count,
    in_units,
)
from paramproof.tables.terminal import print_table, rich_table

LEAST_FOR_MEANINGS = 24
"""Width that the meanings need in the table; with less, they are printed below it."""


def print_count(name: str, named: Inventory, conventions: Sequence[str]) -> None:
    """Print the count of a model under ``conventions``, and the meaning of each.

    Raises ``ValueError`` as ``paramproof.formulas.conventions.count`` does.
    """
    chosen = list(dict.fromkeys(conventions))
    if not STORAGE.keys() & chosen:
        chosen.insert(0, DEFAULT)
    number = count(named, *chosen)
    console.print(f"{name}, {', '.join(chosen)}: {number:,}", highlight=False)
    console.print(f"{in_units(number)} × 10⁶, {in_units(number, MEBI)} × 2²⁰", highlight=False)
    console.print(f"rounded: {as_named(number)}, {as_named(number, 3)}")
    for convention in chosen:
        console.print(f"{convention}: {CONVENTIONS[convention].__doc__}", markup=False)


def print_conventions(name: str, named: Inventory) -> None:
    """Print the count of a model under every convention; those of PARTS count trained tensors."""
    console.print(f"{name}: the rows below `listed` count trainable parameters only", markup=False)
    table = conventions_table(named)
    narrow = table.only("convention", "count", "millions", "mebi", "rounded")
    needed = Measurement.get(console, console.options, rich_table(narrow)).maximum
    if console.width - needed < LEAST_FOR_MEANINGS:
        meanings = (f"{name}: {function.__doc__}" for name, function in CONVENTIONS.items())
        table = replace(narrow, notes=(*meanings, *table.notes))
    print_table(console, table)
