"""Tell from a key's name whether it is a size, and whether it is another key, misspelt."""

from __future__ import annotations

import re
from functools import lru_cache

from paramproof.formulas.models import sizes_by_name
from paramproof.formulas.path import leaf

LOOKS_LIKE_SIZE = re.compile(
    r"(n|num|d|dim)_.+|.+_(size|dim|dims|layers|heads|rank|channels|depth)"
)

MAX_SIZE = 10**9
"""The largest size that is accepted: larger than any model's."""

SHORT_NAME = 6
"""Names shorter than this may be misspelt by one letter, longer ones by two."""


def looks_like_size(path: str) -> bool:
    """Return whether the name of a key is that of a size in some model type or program."""
    key = leaf(path)
    return key in sizes_by_name() or bool(LOOKS_LIKE_SIZE.fullmatch(key))


def is_too_large(value: object) -> bool:
    """Return whether a number, or one in a list, is too large for a size of a model."""
    every = value if isinstance(value, list) else [value]
    return any(type(one) is int and abs(one) > MAX_SIZE for one in every)


@lru_cache(2**14)  # Most files of one type have the same unknown keys.
def is_misspelt(given: str, meant: str) -> bool:
    """Return whether two names differ by a letter or two: missing, added, replaced, swapped."""
    return _is_within(given, meant, 1 if len(meant) < SHORT_NAME else 2)


def _is_within(one: str, other: str, most: int) -> bool:
    pairs = enumerate(zip(one, other, strict=False))
    same = next((i for i, (mine, its) in pairs if mine != its), min(len(one), len(other)))
    one, other = one[same:], other[same:]
    if not (one and other and most):
        return len(one) + len(other) <= most
    ways = [(one[1:], other), (one, other[1:]), (one[1:], other[1:])]
    if one[:2] == other[1::-1]:
        ways.append((one[2:], other[2:]))
    return any(_is_within(*way, most - 1) for way in ways)
