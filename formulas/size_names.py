"""The names that configurations give the same size: ``size_names.json``.

Each line has the size's customary letter, the names that model types of transformers have for it,
the most usual first, and the names that only other programs have.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple


class SizeName(NamedTuple):
    """A size: its letter, and its names in transformers and in other programs."""

    letter: str
    names: tuple[str, ...]
    foreign: tuple[str, ...]


@cache
def sizes_by_name() -> dict[str, tuple[SizeName, ...]]:
    """Return the sizes that a key may mean, such as the two of ``hidden_dim``."""
    found: dict[str, tuple[SizeName, ...]] = {}
    for size in size_names():
        for name in size.names + size.foreign:
            found[name] = (*found.get(name, ()), size)
    return found


@cache
def size_names() -> tuple[SizeName, ...]:
    """Return all sizes that have a customary letter."""
    lines = json.loads(Path(__file__).with_name("size_names.json").read_text("utf-8"))
    return tuple(SizeName(one, tuple(own.split()), tuple(no.split())) for one, own, no in lines)
