"""What every family's spec and letters have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field
from typing import Any, ClassVar, NamedTuple, Protocol, TypeAlias

from paramproof.formulas.spec.quantity import Quantity

FamilyLetters: TypeAlias = NamedTuple
"""The symbols of any family, each annotated with its kind, and H, the hidden size, one of them.

Where the family has heads there is a property ``head_size``, the width of one of them.
"""


class Spec(Protocol):
    """A model of any family: a frozen dataclass of sizes and flags that knows its letters.

    A size is an int and a flag a bool. A class may have, beside what is here, the ``ranges`` of
    its sizes and how one is ``drawn`` at random, as in ``paramproof.formulas.spec.drawing``.
    Where the family has heads there is a property ``head_size``, the width of one of them.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    family: ClassVar[str]
    """The family's name."""

    @property
    def hidden_size(self) -> int:
        """Width of the vectors between layers, the letter H."""

    def __hash__(self) -> int: ...

    def letters(self) -> FamilyLetters:
        """Return this spec in the symbols of the formulas."""


def head_size_of(described: Spec | FamilyLetters | Mapping[str, Quantity]) -> Quantity:
    """Return the width of one attention head, 1 where a family has no heads, or none is said."""
    return getattr(described, "head_size", 1)
