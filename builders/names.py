"""How a framework's file says what its stored arrays are: a table of native paths."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from paramproof.formulas.path import LAYER


class Storage(NamedTuple):
    """The canonical tensors in one stored array, and their layout, as in ``Weight``.

    Without ``parts`` nobody knows what the array is.
    """

    parts: tuple[str, ...] = ()
    layout: tuple[str, ...] = ()


NameTable: TypeAlias = Mapping[str, Storage]
"""Native path -> canonical parts and layout; ``*`` in either is the number of a layer."""


def storage_of(names: NameTable, path: str, number: re.Pattern[str]) -> Storage:
    """Return what is stored at the native ``path``; nothing, for a path not in ``names``.

    ``number`` finds a layer's number in a path of the framework's.
    """
    parts, layout = names.get(number.sub(LAYER, path), Storage())
    found = number.search(path)
    if found:
        parts = tuple(part.replace(LAYER, found[0]) for part in parts)
    return Storage(parts, layout)
