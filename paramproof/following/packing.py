"""Matrices in blocks: how a scheme packs a weight, in bytes."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

from paramproof.following.dtypes import Weight
from paramproof.following.modules import Module
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.path import leaf
from paramproof.formulas.printing import legible, shape_text


class Block(NamedTuple):
    """The bytes of each block of rows and columns; 0 means all of them."""

    rows: int
    columns: int
    bytes: int

    def size(self, rows: int, columns: int) -> int:
        down = -(-rows // self.rows) if self.rows else 1
        return down * (-(-columns // self.columns) if self.columns else 1) * self.bytes

    def formula(self, rows: Any, columns: Any) -> Any:
        """Return the bytes in letters, where blocks divide the matrix."""
        down = rows / self.rows if self.rows else 1
        return down * (columns / self.columns if self.columns else 1) * self.bytes


class Packing(NamedTuple):
    """How a matrix is packed. Blocks that are not full are refused, unless they are padded."""

    label: str
    blocks: tuple[Block, ...]
    is_padded: bool = False


Rule = Callable[[str, Module, int], Packing | None]
"""How a scheme packs a parameter of a path, a module and a number of axes; None if not."""


class Scheme(NamedTuple):
    """A scheme, and the dtype of a model. What its rule does not pack keeps the dtype in which the
    library builds it, unless the scheme stores it as ``kept``.
    """

    heading: str
    dtype: str
    rule: Rule
    kept: str = ""
    lines: tuple[str, ...] = ()

    def unpacked_dtype(self, module: Module) -> str:
        return self.kept or module.dtype or self.dtype


def columns_first(path: str, module: Module) -> bool | None:
    """Return whether the axis of inputs is the first of the two; None if that is not known.

    Experts in one tensor are stored either way.
    """
    if module.kind == "conv1d":
        return True
    return False if module.kind != "parameter" or leaf(path) == "weight" else None


def packed_size(weight: Weight, packing: Packing) -> int:
    """Return the bytes of a packed weight. Raises ``InvalidInput`` if blocks do not divide it."""
    *outer, rows, columns = weight.shape
    is_turned = columns_first(weight.path, weight.module)
    ways = [(rows, columns)] * (not is_turned) + [(columns, rows)] * (is_turned is not False)
    sizes = {prod(outer) * sum(block.size(*way) for block in packing.blocks) for way in ways}
    full = all(
        not way[0] % (one.rows or 1) and not way[1] % (one.columns or 1)
        for way in ways
        for one in packing.blocks
    )
    if len(sizes) > 1 or not (full or packing.is_padded):
        what = f"{legible(weight.path)} of the shape {shape_text(weight.shape)}"
        raise InvalidInput(f"there is no rule for {what}, which {packing.label} do not divide")
    return sizes.pop()
