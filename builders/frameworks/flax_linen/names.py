"""How linen's modules name what they hold."""

from __future__ import annotations

import re

from paramproof.builders.names import ModuleNames

NUMBER = re.compile(r"(?<=layers_)\d+(?=/)")

names = ModuleNames(
    separator="/",
    table_weight="embedding",
    kernel="kernel",
    scale="scale",
    has_heads=True,
    projections=("query", "key", "value", "out"),
)
