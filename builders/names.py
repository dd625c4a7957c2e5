"""Tables that map a framework's native paths to canonical tensors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from paramproof.formulas.path import LAYER


class Storage(NamedTuple):
    """The canonical tensors in one stored array, and their layout, as in ``Weight``.

    ``parts`` is empty if the array has no canonical name.
    """

    parts: tuple[str, ...] = ()
    layout: tuple[str, ...] = ()


NUMBER = re.compile(r"(?<=\.)\d+(?=\.)")
"""The number of a layer in a path whose names are separated by dots."""

NameTable: TypeAlias = Mapping[str, Storage]
"""Native path to canonical parts and layout; ``*`` is the number of a layer in both."""


def storage_of(names: NameTable, path: str, number: re.Pattern[str] = NUMBER) -> Storage:
    """Return what the native ``path`` stores, empty if ``names`` does not list it.

    ``number`` matches the number of a layer in a native path.
    """
    parts, layout = names.get(number.sub(LAYER, path), Storage())
    found = number.search(path)
    if found:
        parts = tuple(part.replace(LAYER, found[0]) for part in parts)
    return Storage(parts, layout)
