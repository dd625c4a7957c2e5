"""Several models side by side, with their differences to the first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from rich.markup import escape
from rich.table import Table

from paramproof.algebra.symbols import size_letters
from paramproof.cli.dtypes import bytes_of
from paramproof.cli.tables import PLAIN, RIGHT
from paramproof.cli.tree import tree
from paramproof.formulas import FAMILIES, Spec, inventory
from paramproof.formulas.path import LAYER, leaf
from paramproof.formulas.printing import signed
from paramproof.sources.resolve import ResolvedModel

COMPONENT = 24
"""Columns that the names of components have at least; longer ones are folded."""
SIZES = {name for family in FAMILIES.values() for name in size_letters(family.letters)}
GAP = 2
"""Columns between two columns."""


class _Column(NamedTuple):
    """What a model has by the name of the row, in blocks: sizes, components, totals."""

    title: str
    blocks: Sequence[Mapping[str, int]]

    @property
    def widest(self) -> int:
        """Columns of the longest number."""
        return max(len(f"{number:,}") for block in self.blocks for number in block.values())


def beside_tables(
    models: Sequence[ResolvedModel], depth: int | None, dtype: str, width: int
) -> Iterator[Table]:
    """Yield tables of as many ``models`` as ``width`` has room for; the first is in each.

    The components are those of ``depth`` levels, or all; bytes only where there is a ``dtype``.
    """
    first, *others = (_Column(model.title, _blocks(model.spec, depth, dtype)) for model in models)
    while others:
        room = width - COMPONENT - first.widest - GAP
        taken: list[_Column] = []
        while others and (not taken or _needs(first, others[0]) <= room):
            room -= _needs(first, others[0])
            taken.append(others.pop(0))
        yield _table(first, taken)


def _blocks(spec: Spec, depth: int | None, dtype: str) -> Sequence[Mapping[str, int]]:
    letters = spec.letters()
    named = inventory(letters)
    sizes = {name: getattr(letters, name) for name in size_letters(type(letters))}
    # One layer has no row: its total is that of all of them.
    nodes = {node.path: node.total for node in tree(named, depth) if leaf(node.path) != LAYER}
    whole: int = named.total()
    size = {f"bytes, {dtype}": bytes_of(whole, dtype)} if dtype else {}
    return sizes, nodes, {"total": whole, **size}


def _needs(first: _Column, other: _Column) -> int:
    """Columns of a model and its difference to the first, whose sign is one more."""
    return other.widest + GAP + max(first.widest, other.widest) + 1 + GAP


def _table(first: _Column, others: Sequence[_Column]) -> Table:
    table = Table(**PLAIN)
    table.add_column("component", overflow="fold")
    for column in (first, *others):
        heading = escape(column.title)
        table.add_column(heading, justify=RIGHT, overflow="fold", min_width=column.widest)
        if column is not first:
            difference = "− first" if others[1:] else "difference"
            table.add_column(difference, justify=RIGHT, no_wrap=True)
    for number, block in enumerate(first.blocks):
        there = [column.blocks[number] for column in others]
        for row in _merged([list(block), *map(list, there)]):
            cells = [_cell(block, row)]
            for other in there:
                cells += [_cell(other, row), _difference(block, other, row)]
            table.add_row(escape(_label(row)), *cells)
        table.add_section()
    return table


def _merged(orders: Sequence[Sequence[str]]) -> list[str]:
    """Every name of ``orders``, each after those that come before it in its own."""
    merged: list[str] = []
    for order in orders:
        place = 0
        for name in order:
            if name not in merged:
                merged.insert(place, name)
            place = merged.index(name) + 1
    return merged


def _cell(block: Mapping[str, int], row: str) -> str:
    return f"{block[row]:,}" if row in block else "-"


def _difference(first: Mapping[str, int], other: Mapping[str, int], row: str) -> str:
    """What ``other`` has more. A component that is absent has none; an absent size is no 0."""
    if not (row in first and row in other) and (row in SIZES or row not in {**first, **other}):
        return "-"
    difference = other.get(row, 0) - first.get(row, 0)
    return signed(difference) if difference else "0"


def _label(row: str) -> str:
    names = [name for name in row.split(".") if name != LAYER]
    return f"{'  ' * (len(names) - 1)}{names[-1]}"
