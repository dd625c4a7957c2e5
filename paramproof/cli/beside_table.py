"""Several models side by side, with their differences to the first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from rich.markup import escape
from rich.table import Table

from paramproof.algebra.symbols import size_letters
from paramproof.cli.tables import PLAIN, RIGHT
from paramproof.counting.dtypes import bytes_of
from paramproof.counting.tree import TreeRow, depth_within, tree
from paramproof.formulas.alphabet import BUILT_IN
from paramproof.formulas.path import LAYER, leaf
from paramproof.formulas.printing import legible, signed
from paramproof.resolver import AnyModel, DerivedModel

COMPONENT = 24
"""Columns that the names of components have at least; longer ones are folded."""
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
    models: Sequence[AnyModel], depth: int | None, dtype: str, width: int
) -> Iterator[Table]:
    """Yield tables of as many ``models`` as ``width`` has room for; the first is in each.

    The components are those of ``depth`` levels, or of as many as can be read of each model; bytes
    only where there is a ``dtype``.
    """
    inventories = [model.inventory() for model in models]
    trees = [list(tree(named, depth)) for named in inventories]
    shown = None
    if depth is None:
        shown = min(filter(None, map(depth_within, trees)), default=None)
    first, *others = (
        _Column(model.title, _blocks(model, named.total(), rows, shown, dtype))
        for model, named, rows in zip(models, inventories, trees, strict=True)
    )
    while others:
        room = width - COMPONENT - first.widest - GAP
        taken: list[_Column] = []
        while others and (not taken or _needs(first, others[0]) <= room):
            room -= _needs(first, others[0])
            taken.append(others.pop(0))
        table = _table(first, taken)
        if shown:
            table.caption = f"{max(map(len, trees)):,} rows, here those of --depth {shown}"
        yield table


def _blocks(
    model: AnyModel, whole: int, rows: Sequence[TreeRow], depth: int | None, dtype: str
) -> Sequence[Mapping[str, int]]:
    nodes: Counter[str] = Counter()
    for node in rows:
        # One layer has no row: its total is that of all of them, of whichever kind.
        if leaf(node.path) != LAYER and (depth is None or node.depth <= depth):
            nodes[node.path] += node.total
    size = {f"bytes, {dtype}": bytes_of(whole, dtype)} if dtype else {}
    return _sizes(model), nodes, {"total": whole, **size}


def _sizes(model: AnyModel) -> dict[str, int]:
    """The sizes of a model by letter; a letter that no family has may be anything: by field."""
    if isinstance(model, DerivedModel):
        known = BUILT_IN.factors
        sizes, fields = model.derivation.sizes, model.derivation.fields
        moving = model.derivation.formula.letters
        return {n if n in known else fields[n]: size for n, size in sizes.items() if n in moving}
    letters = model.spec.letters()
    return {name: getattr(letters, name) for name in size_letters(type(letters))}


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
                cells += [_cell(other, row), _difference(block, other, row, sizes=not number)]
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


def _difference(
    first: Mapping[str, int], other: Mapping[str, int], row: str, *, sizes: bool
) -> str:
    """What ``other`` has more. A component that is absent has none; an absent size is no 0."""
    if not (row in first and row in other) and (sizes or row not in {**first, **other}):
        return "-"
    difference = other.get(row, 0) - first.get(row, 0)
    return signed(difference) if difference else "0"


def _label(row: str) -> str:
    names = [name for name in row.split(".") if name != LAYER]
    return f"{'  ' * (len(names) - 1)}{legible(names[-1])}"
