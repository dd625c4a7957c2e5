"""How Keras's layers name what they hold."""

from __future__ import annotations

import re

from paramproof.builders.names import ModuleNames, NameTable, Storage

NUMBER = re.compile(r"(?<=layers_)\d+(?=/)")

names = ModuleNames(
    separator="/",
    table_weight="embeddings",
    kernel="kernel",
    scale="gamma",
    shift="beta",
    has_heads=True,
    projections=("query", "key", "value", "attention_output"),
)


def rms_norm(native: str, canonical: str) -> NameTable:
    """Return the names of ``RMSNormalization``."""
    return {f"{native}/scale": Storage((f"{canonical}.scale",))}
