"""How a live model is named."""

from __future__ import annotations

from typing import Any

from paramproof.formulas.printing import legible


def name_of(model: Any) -> str:
    """Return the full name of the class of ``model``, made printable in one line."""
    kind = type(model)
    return legible(f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins."))
