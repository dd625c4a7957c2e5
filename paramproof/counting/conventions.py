"""A model's count under every convention."""

from __future__ import annotations

from collections.abc import Iterator

from paramproof.formulas import Inventory
from paramproof.formulas.conventions import CONVENTIONS, PARTS, Undecided, count

UNDECIDED = "undecided"
"""Stands for a number where the names of a derived formula's tensors do not say it."""

DEFAULT = "trainable"
"""The rule of what counts as a parameter, unless another is named."""


def under_every(named: Inventory) -> dict[str, int | None]:
    """Return the count of a model by convention; under those of PARTS, of trained tensors.

    None where a convention cannot be decided for a derived formula.
    """
    return {
        convention: _under(named, *((DEFAULT,) if convention in PARTS else ()), convention)
        for convention in CONVENTIONS
    }


def undecided(named: Inventory) -> Iterator[str]:
    """Yield why conventions cannot be decided, a line for each that cannot."""
    for convention in CONVENTIONS:
        try:
            count(named, *((DEFAULT,) if convention in PARTS else ()), convention)
        except Undecided as error:
            yield str(error)


def _under(named: Inventory, *conventions: str) -> int | None:
    try:
        number: int = count(named, *conventions)
    except Undecided:
        return None
    return number
