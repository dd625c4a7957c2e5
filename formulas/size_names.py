"""The names that configurations give the same size: ``size_names.json``."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple


class SizeName(NamedTuple):
    """A size: its customary letter, its names in transformers, and those of other programs."""

    letter: str
    names: tuple[str, ...]
    foreign: tuple[str, ...]


@cache
def size_names() -> tuple[SizeName, ...]:
    lines = json.loads(Path(__file__).with_name("size_names.json").read_text("utf-8"))
    return tuple(SizeName(one, tuple(own.split()), tuple(no.split())) for one, own, no in lines)


@cache
def sizes_by_name() -> dict[str, tuple[SizeName, ...]]:
    """Return the sizes that a key may mean, such as the two of ``hidden_dim``."""
    found: dict[str, tuple[SizeName, ...]] = {}
    for size in size_names():
        found |= {name: (*found.get(name, ()), size) for name in size.names + size.foreign}
    return found
