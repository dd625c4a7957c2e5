"""``paramproof count MODEL --under NAME`` and ``--all-conventions``."""

from __future__ import annotations

from collections.abc import Sequence

from rich.measure import Measurement
from rich.table import Table

from paramproof.cli.output import console
from paramproof.cli.tables import PLAIN
from paramproof.counting.conventions import DEFAULT, UNDECIDED, undecided, under_every
from paramproof.formulas import Inventory
from paramproof.formulas.conventions import (
    CONVENTIONS,
    MEBI,
    STORAGE,
    as_named,
    count,
    in_units,
)

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
    needed = Measurement.get(console, console.options, _table(named)).maximum
    room = console.width - needed >= LEAST_FOR_MEANINGS
    console.print(_table(named, meanings=room))
    for convention, function in CONVENTIONS.items() if not room else ():
        console.print(f"{convention}: {function.__doc__}", markup=False, highlight=False)
    for line in undecided(named):
        console.print(line, markup=False, highlight=False)


def _table(named: Inventory, meanings: bool = False) -> Table:
    table = Table(**PLAIN)
    table.add_column("convention", no_wrap=True)
    for heading in ("count", "10⁶", "2²⁰", "rounded"):
        table.add_column(heading, justify="right", no_wrap=True)
    if meanings:
        table.add_column("what is counted")
    for convention, number in under_every(named).items():
        meaning = [CONVENTIONS[convention].__doc__] * meanings
        if number is None:
            table.add_row(convention, UNDECIDED, "", "", "", *meaning)
            continue
        rounded = f"{as_named(number)}, {as_named(number, 3)}" if number else "0"
        units = in_units(number), in_units(number, MEBI)
        table.add_row(convention, f"{number:,}", *units, rounded, *meaning)
    return table
