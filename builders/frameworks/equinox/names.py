"""How Equinox's modules name what they hold."""

from __future__ import annotations

from paramproof.builders.names import ModuleNames

names = ModuleNames(
    transposed=True, projections=("query_proj", "key_proj", "value_proj", "output_proj")
)
