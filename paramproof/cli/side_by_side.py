"""Several models side by side, with their differences from the first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from paramproof.formulas.notation import BUILT_IN
from paramproof.formulas.path import LAYER, beginnings, leaf
from paramproof.formulas.printing import legible
from paramproof.resolver import Model
from paramproof.views.difference import merged_paths, paired
from paramproof.views.dtypes import bytes_of
from paramproof.views.formula import letters_in
from paramproof.views.table import Column, Table, TableRow, numbers, signed_or_zero
from paramproof.views.tree import TreeRow, depth_within, tree

COMPONENT = 24
"""Minimum width of the component names; longer names are folded."""
GAP = 2
"""Width of the space between two columns."""


def tables_side_by_side(
    models: Sequence[Model], depth: int | None, dtype: str, width: int
) -> Iterator[Table]:
    """Yield tables that compare the first model with as many of the others as fit in ``width``.

    They show the components down to ``depth``, or to a depth at which every model is still
    readable, and the bytes if a ``dtype`` is given.
    """
    inventories = paired([one.architecture for one in models])
    trees = [list(tree(named, depth)) for named in inventories]
    shown = None if depth else min(filter(None, map(depth_within, trees)), default=None)
    cut = f"shown to --depth {shown}, of {max(map(len, trees)):,} rows"
    columns = [Column("component", "0"), numbers(models[0].title, "1", absent="-")]
    for number, model in enumerate(models[1:], 1):
        columns.append(numbers(model.title, f"{2 * number}", absent="-"))
        columns.append(numbers("− first", f"{2 * number + 1}", signed_or_zero, absent="-"))
    totals = [{"total": named.total()} for named in inventories]
    if dtype:
        totals = [{**one, f"bytes, {dtype}": bytes_of(one["total"], dtype)} for one in totals]
    sizes = []
    for model in models:  # By letter, or by field if no family defines the letter.
        fields = letters_in(model, model.architecture.formula).items()
        sizes.append({k if k in BUILT_IN else field: model.sizes[k] for k, field in fields})
    rows = [
        *_rows(sizes, are_sizes=True),
        *_rows([_nodes(nodes, shown) for nodes in trees]),
        *_rows(totals),
    ]
    table = Table.of(columns, rows, [cut] if shown else [])
    widths = [GAP + max(map(len, cells)) for cells in zip(*map(table.written, rows), strict=True)]
    start = 2
    while start < len(columns):
        needed = accumulate(map(sum, zip(widths[start::2], widths[start + 1 :: 2], strict=True)))
        fitting = sum(one <= width - COMPONENT - widths[1] for one in needed) or 1
        end = start + 2 * fitting
        part = table.only("0", "1", *map(str, range(start, end)))
        if fitting == 1:
            last = replace(part.columns[-1], heading="difference")
            part = replace(part, columns=(*part.columns[:-1], last))
        yield part
        start = end


def _nodes(rows: Sequence[TreeRow], depth: int | None) -> Mapping[str, int]:
    """Return the parameters of each component down to ``depth``, kinds of layers added up."""
    found: Counter[str] = Counter()
    for node in rows:
        # A single layer has no row of its own: the row of its stack has the total of all layers.
        if leaf(node.path) != LAYER and (depth is None or node.depth <= depth):
            found[node.path] += node.total
    return found


def _rows(models: Sequence[Mapping[str, int]], *, are_sizes: bool = False) -> Iterator[TableRow]:
    """Yield rows of numbers by name: each model's, and its difference from the first.

    A component that one model does not have counts as 0, but a size does not.
    """
    names = dict.fromkeys(merged_paths(models))
    for place, name in enumerate(names):
        first, *others = (one.get(name) for one in models)
        cells = [first]
        for other in others:
            is_none = (first is None, other is None)
            absent = any(is_none) if are_sizes else all(is_none)
            cells += [other, None if absent else (other or 0) - (first or 0)]
        level = sum(one in names for one in beginnings(name)) - 1
        label = legible(leaf(name) if level else name)
        yield TableRow((label, *cells), level, starts_section=not place)
