"""A model as a tree of components: what each has, and how often it is there.

The tree starts where the model branches. If one component alone contains the layers, and is not
the list of layers itself, the components inside it take its place: a language model starts with
``model.embed_tokens``, ``model.layers``, ``model.norm`` and ``lm_head``, not with ``model``.
Every view has this tree: the command, JSON, notebooks, ``Count.by_component`` and the site.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from paramproof.bytes import bytes_of
from paramproof.formulas import Inventory, Tensor
from paramproof.formulas.path import LAYER, has_layer, leaf, parent, starred
from paramproof.formulas.printing import MAX_NOTE_SHOWN, legible, shape_text
from paramproof.formulas.spec import Quantity
from paramproof.tables import Column, Table, TableRow, grouped, numbers, percent

MOST_ROWS = 400
"""The most rows of a tree if no depth is given. NLLB-MoE names each expert and has many more."""


@dataclass(frozen=True, slots=True)
class TreeRow:
    """A component, or a ``tensor``: ``each`` trainable parameters, ``times`` of it in the model.

    ``depth`` is 1 where the tree starts. A tied tensor adds nothing, and so has none.
    """

    path: str
    each: Quantity
    times: Quantity
    depth: int
    tensor: Tensor | None = None

    @property
    def total(self) -> Quantity:
        return self.each * self.times

    @property
    def name(self) -> str:
        return legible(self.path if self.depth == 1 else leaf(self.path))


def tree(named: Inventory, depth: int | None = None) -> Iterator[TreeRow]:
    """Yield every component of a model and every tensor, each before what lies in it.

    The layers of a stack are one row, or where they are of several kinds one for each, by how
    often what lies in it is there. ``depth`` is the number of levels at most. What is not present
    is left out.
    """
    # Tensors of one path and shape are one, as often as all of them.
    alike = defaultdict[Tensor, Quantity](int)
    for tensor in named:
        if tensor.present:
            alike[replace(tensor, repeat=1)] += tensor.repeat
    tensors = tuple(replace(tensor, repeat=often) for tensor, often in alike.items())
    yield from _rows(_branches(replace(named, tensors=tensors)), depth, 1, 1)


def _branches(named: Inventory) -> dict[str, Inventory]:
    level = named.below()
    while True:
        stars = {path: any(has_layer(starred(t.path)) for t in one) for path, one in level.items()}
        wrappers = [path for path, has_layers in stars.items() if has_layers]
        inside = level[wrappers[0]].below(wrappers[0]) if len(wrappers) == 1 else {}
        if not inside or any(leaf(starred(path)) == LAYER for path in inside):
            return level
        level = {
            path: one
            for outer, whole in level.items()
            for path, one in (inside if outer == wrappers[0] else {outer: whole}).items()
        }


def _rows(
    level: Mapping[str, Inventory], most: int | None, depth: int, times: Quantity
) -> Iterator[TreeRow]:
    if most is not None and depth > most:
        return
    for path, below in level.items():
        for often, kind in _kinds(below, path, times):
            row = TreeRow(path, kind.total(path), often, depth)
            tensors = [tensor for tensor in kind if tensor.path == path]
            if not tensors:
                yield row
                yield from _rows(kind.below(path), most, depth + 1, often)
            for tensor in tensors:
                counts = tensor.trainable and not tensor.tied_to
                yield replace(row, each=tensor.size if counts else 0, tensor=tensor)


def depth_within(rows: Sequence[TreeRow]) -> int | None:
    """Return how many levels of a tree fit into ``MOST_ROWS``, at least 1; None if all do."""
    if len(rows) <= MOST_ROWS:
        return None
    levels = Counter(row.depth for row in rows)
    within = accumulate(levels[level] for level in sorted(levels))
    return max(1, sum(number <= MOST_ROWS for number in within))


def _kinds(named: Inventory, path: str, times: Quantity) -> Iterator[tuple[Quantity, Inventory]]:
    """What lies in a component, ``times`` over; of a stack's layers, each kind by its own."""
    if leaf(path) != LAYER:
        yield times, named
        return
    for often, kind in named.kinds(path).items():
        # Kinds may be there equally often, as Swin's stages of two blocks. If every tensor
        # has as many shapes, each kind has one of each. Otherwise the shapes differ inside a layer.
        by_path = defaultdict[str, list[Tensor]](list)
        for tensor in kind:
            by_path[tensor.path].append(tensor)
        several = len({*map(len, by_path.values())}) == 1
        for tensors in zip(*by_path.values(), strict=True) if several else [kind.tensors]:
            yield often, replace(kind, tensors=tensors)


def ties(named: Inventory) -> list[str]:
    tied = (one for one in named if one.tied_to and one.present and one.repeat)
    return [legible(f"{one.path} is {one.tied_to}", MAX_NOTE_SHOWN) for one in tied]


def tree_table(
    named: Inventory, depth: int | None = None, dtype: str = "", beside: Iterable[str] = ()
) -> Table:
    """Return the tree of components; ties are notes, after those ``beside`` the total.

    ``depth`` limits the levels. Without it, a tree too large to read is cut, and a note says so.
    """
    nodes = list(tree(named, depth))
    notes = [*beside, *(f"tied: {tie}" for tie in ties(named))]
    if depth is None and (shown := depth_within(nodes)):
        deepest = max(node.depth for node in nodes)
        every = f"--depth {deepest} shows all {len(nodes):,} rows"
        notes.append(f"shown to --depth {shown}; {every}")
        nodes = [node for node in nodes if node.depth <= shown]
    columns = (
        Column("component", "component"),
        Column("shape", "shape", is_whole=True, is_optional=True),
        numbers("each", "each"),
        numbers("total", "total"),
        numbers("share", "share", percent, is_optional=True),
        numbers("bytes", "bytes", lambda number: grouped(bytes_of(number, dtype))),
    )
    whole = int(named.total())
    rows = [
        TableRow((*_cells(node, whole), node.total if dtype else None), level=node.depth - 1)
        for node in nodes
    ]
    total = "total", None, None, whole, 100 if whole else None, whole if dtype else None
    table = Table.of(columns, [*rows, TableRow(total, starts_section=True)], notes)
    return table.without_empty()


def _cells(node: TreeRow, whole: int) -> tuple[object, ...]:
    name = node.name
    # A nested * repeats once for each outer layer, too, so its number would mislead.
    if name == LAYER and not has_layer(parent(node.path)):
        name = f"each of {node.times}"
    shape = shape_text(node.tensor.shape) if node.tensor else None
    if node.tensor and (node.tensor.tied_to or not node.tensor.trainable):
        return name, shape, "tied" if node.tensor.tied_to else "fixed", 0, None
    share = 100 * node.total / whole if whole else None
    # Outside of the layers, a component is there once.
    return name, shape, node.each if has_layer(node.path) else None, node.total, share
