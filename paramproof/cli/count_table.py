"""A model's tree as a table."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table

from paramproof.cli.tables import PLAIN, RIGHT
from paramproof.counting.dtypes import bytes_of
from paramproof.counting.tree import TreeRow, depth_within, tree
from paramproof.formulas import Inventory
from paramproof.formulas.path import LAYER, has_layer, leaf, parent
from paramproof.formulas.printing import legible, shape_text


def count_table(named: Inventory, depth: int | None = None, dtype: str = "") -> Table:
    """Return the tree of components: shape, parameters of each and of all, share, and bytes.

    ``depth`` limits the levels. Without it, a tree too large to read is cut, and a caption says
    so. Bytes are shown only if a ``dtype`` is given.
    """
    table = Table(**PLAIN)
    table.add_column("component", overflow="fold")
    table.add_column("shape", no_wrap=True)
    for heading in ("each", "total", "share", *["bytes"] * bool(dtype)):
        table.add_column(heading, justify=RIGHT, no_wrap=True)
    whole: int = named.total()
    nodes = list(tree(named, depth))
    if depth is None and (shown := depth_within(nodes)):
        deepest = max(node.depth for node in nodes)
        table.caption = f"shown to --depth {shown}; --depth {deepest} shows all {len(nodes):,} rows"
        nodes = [node for node in nodes if node.depth <= shown]
    for node in nodes:
        table.add_row(*map(escape, (_name(node), *_cells(node, whole), *_bytes(node.total, dtype))))
    table.add_section()
    table.add_row("total", "", "", f"{whole:,}", "100.00 %", *_bytes(whole, dtype))
    return table


def _name(node: TreeRow) -> str:
    name = leaf(node.path)
    # A nested * repeats once for each outer layer, too, so its number would mislead.
    if name == LAYER and not has_layer(parent(node.path)):
        name = f"each of {node.times}"
    return f"{'  ' * (node.depth - 1)}{legible(name)}"


def _cells(node: TreeRow, whole: int) -> tuple[str, ...]:
    """Return the shape of a node and its numbers; tied and fixed tensors add nothing."""
    share = f"{100 * node.total / whole:.2f} %" if whole else ""
    if node.tensor is None:
        return "", f"{node.each:,}", f"{node.total:,}", share
    shape = shape_text(node.tensor.shape)
    if node.tensor.tied_to or not node.tensor.trainable:
        return shape, "tied" if node.tensor.tied_to else "fixed", "0", ""
    return shape, f"{node.each:,}", f"{node.total:,}", share


def _bytes(number: int, dtype: str) -> list[str]:
    return [f"{bytes_of(number, dtype):,}"] if dtype else []
