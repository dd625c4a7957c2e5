"""What was done with sizes that can decide, and cannot be followed: why nothing is proved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from paramproof.formulas.condition import Condition
from paramproof.formulas.expression import Expression, letter

Caveat: TypeAlias = tuple[str | Expression | Condition, ...]
"""Text, and the sizes that it is about: these can still be written in other letters."""


def caveat_text(doubt: Caveat, letters: Mapping[str, str] | None = None) -> str:
    """Return a doubt as text, with ``letters`` by those that there are now."""
    swap = {name: letter(new) for name, new in (letters or {}).items()}
    return "".join(part if isinstance(part, str) else str(part.substitute(swap)) for part in doubt)


def sizes_fragment(sizes: Mapping[str, int]) -> Caveat:
    """Return ``H = 12, A = 3``: what is said of these sizes."""
    return joined((letter(name), f" = {value}") for name, value in sizes.items())


def joined(doubts: Iterable[Caveat]) -> Caveat:
    """Return ``doubts`` with commas between them, as one."""
    return tuple(part for doubt in doubts for part in (", ", *doubt))[1:]
