"""How nnx's modules name what they hold; the layers are stacked, one array for all of them."""

from __future__ import annotations

from paramproof.builders.names import ModuleNames

names = ModuleNames(
    table_weight="embedding",
    kernel="kernel",
    scale="scale",
    has_heads=True,
    is_stacked=True,
    projections=("query", "key", "value", "out"),
)
