"""A weight of a live model, as its framework's reader returns it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from paramproof.formulas.printing import legible


@dataclass(frozen=True, slots=True)
class LiveWeight:
    """One stored array of a live model, under the first of its names, with the ``others``."""

    path: str
    shape: tuple[int, ...]
    trainable: bool
    others: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Number of entries, the product of the shape."""
        return math.prod(self.shape)


def name_of(model: Any) -> str:
    """Return the full name of the class of ``model``, made printable in one line."""
    kind = type(model)
    return legible(f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins."))
