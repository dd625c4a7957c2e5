"""Several models side by side, with their differences from the first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from paramproof.counting.dtypes import bytes_of
from paramproof.counting.tree import TreeRow, depth_within, tree
from paramproof.formulas.alphabet import BUILT_IN
from paramproof.formulas.order import merged
from paramproof.formulas.path import LAYER, leaf
from paramproof.formulas.printing import legible
from paramproof.resolver import LiveModel, Model
from paramproof.tables.table import Column, Table, TableRow, numbers, signed_or_zero

COMPONENT = 24
"""Minimum width of the component names; longer names are folded."""
GAP = 2
"""Width of the space between two columns."""


class _Column(NamedTuple):
    """The numbers of a model by row name, in three blocks: sizes, components and totals."""

    title: str
    blocks: Sequence[Mapping[str, int]]

    @property
    def widest(self) -> int:
        """Width of the longest number."""
        return max(len(f"{number:,}") for block in self.blocks for number in block.values())


def beside_tables(
    models: Sequence[Model | LiveModel], depth: int | None, dtype: str, width: int
) -> Iterator[Table]:
    """Yield tables that compare the first model with as many of the others as fit in ``width``.

    They show the components down to ``depth``, or to a depth at which every model is still
    readable, and the bytes if a ``dtype`` is given.
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
        cut = f"shown to --depth {shown}, of {max(map(len, trees)):,} rows"
        yield replace(_table(first, taken), notes=(cut,) if shown else ())


def _blocks(
    model: Model | LiveModel, whole: int, rows: Sequence[TreeRow], depth: int | None, dtype: str
) -> Sequence[Mapping[str, int]]:
    nodes: Counter[str] = Counter()
    for node in rows:
        # A single layer has no row of its own: the row of its stack has the total of all layers.
        if leaf(node.path) != LAYER and (depth is None or node.depth <= depth):
            nodes[node.path] += node.total
    size = {f"bytes, {dtype}": bytes_of(whole, dtype)} if dtype else {}
    return _sizes(model), nodes, {"total": whole, **size}


def _sizes(model: Model | LiveModel) -> dict[str, int]:
    """Return the sizes of a model by letter, or by field if no family defines the letter."""
    one, known = model.architecture, BUILT_IN.factors
    if one is None:
        return {}
    used = one.formula.letters | one.bound_letters
    fields = ((name, field) for name, field in one.fields.items() if name in used)
    return {name if name in known else field: one.sizes[name] for name, field in fields}


def _needs(first: _Column, other: _Column) -> int:
    """Return the width of a model and of its difference from the first, sign included."""
    return other.widest + GAP + max(first.widest, other.widest) + 1 + GAP


def _table(first: _Column, others: Sequence[_Column]) -> Table:
    columns = [Column("component"), _numbers(first)]
    for column in others:
        heading = "− first" if others[1:] else "difference"
        columns += [_numbers(column), numbers(heading, form=signed_or_zero, absent="-")]
    rows = []
    for number, block in enumerate(first.blocks):
        other_blocks = [column.blocks[number] for column in others]
        for place, name in enumerate(merged([block, *other_blocks])):
            cells = [block.get(name)]
            for other in other_blocks:
                cells += [other.get(name), _difference(block, other, name, sizes=not number)]
            names = [part for part in name.split(".") if part != LAYER]
            label = legible(names[-1])
            rows.append(TableRow((label, *cells), len(names) - 1, starts_section=not place))
    return Table.of(columns, rows)


def _numbers(column: _Column) -> Column:
    return numbers(column.title, absent="-")


def _difference(
    first: Mapping[str, int], other: Mapping[str, int], name: str, *, sizes: bool
) -> int | None:
    """Return how much more ``other`` has: an absent component counts as 0, an absent size not."""
    if not (name in first and name in other) and (sizes or name not in {**first, **other}):
        return None
    return other.get(name, 0) - first.get(name, 0)
