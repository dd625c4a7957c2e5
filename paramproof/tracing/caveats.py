"""Caveats: what a formula rests on that nobody followed, in words.

A caveat is text with the expressions that it mentions, so that their symbols can still be renamed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from paramproof.formulas.condition import Condition
from paramproof.formulas.expression import Expression, letter

Caveat: TypeAlias = tuple[str | Expression | Condition, ...]
"""Text with the expressions it mentions, so that their symbols can still be renamed."""


_INDEX = re.compile(r"^@\w*")
"""The symbol of the index of a loop, at the beginning of a caveat on it."""


def caveat_text(doubt: Caveat, letters: Mapping[str, str] | None = None) -> str:
    """Return a caveat as text, with symbols renamed by ``letters``; that of a loop is spelt out."""
    swap = {name: letter(new) for name, new in (letters or {}).items()}
    parts = (part if isinstance(part, str) else str(part.substitute(swap)) for part in doubt)
    return _INDEX.sub("the index of a loop", "".join(parts))


def sizes_fragment(sizes: Mapping[str, int]) -> Caveat:
    return joined((letter(name), f" = {value}") for name, value in sizes.items())


def joined(doubts: Iterable[Caveat]) -> Caveat:
    return tuple(part for doubt in doubts for part in (", ", *doubt))[1:]
