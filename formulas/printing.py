"""How shapes, differences and long lists are written, in every report and table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from paramproof.formulas.notation import MINUS


def shape_text(shape: Iterable[object] | None) -> str:
    """Return a shape as ``(2, 3)``, ``(4)`` or ``()``; "-" where there is none."""
    return "-" if shape is None else f"({', '.join(map(str, shape))})"


def signed(number: int) -> str:
    """Return ``number`` with separators for thousands and its sign, ``+1,024`` or ``−1,024``."""
    return f"{number:+,}".replace("-", MINUS)


def and_more(names: Sequence[str], limit: int) -> list[str]:
    """Return the first ``limit`` of ``names``, and for the rest their number: ``and 3 more``."""
    rest = len(names) - limit
    return [*names[:limit], f"and {rest} more"] if rest > 0 else list(names)


def some_of(names: Sequence[str], limit: int) -> str:
    """Return the first ``limit`` of ``names`` as one text: ``a, b and 3 more``."""
    rest = and_more(names, limit)[limit:]
    return " ".join([", ".join(names[:limit]), *rest])
