"""The protocols of specs and letters, common to all families."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field
from typing import Any, ClassVar, NamedTuple, Protocol, TypeAlias

from paramproof.formulas.spec.quantity import Quantity

FamilyLetters: TypeAlias = NamedTuple
"""The letters of any family, each annotated with its kind. One of them is H, the hidden size.

A family with attention heads has a property ``head_size``, the width of one head.
"""


class Spec(Protocol):
    """A model of any family: a frozen dataclass of sizes (ints) and flags (bools).

    A class may also have the ``ranges`` of its sizes, and a classmethod ``drawn`` that returns a
    random spec: see ``paramproof.formulas.spec.drawing``. A family with attention heads has a
    property ``head_size``, the width of one head.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    family: ClassVar[str]
    """The family's name."""

    @property
    def hidden_size(self) -> int:
        """Width of the hidden states between layers, the letter H."""

    def __hash__(self) -> int: ...

    def letters(self) -> FamilyLetters:
        """Return the letters of the formulas with the values of this spec."""


def head_size_of(described: Spec | FamilyLetters | Mapping[str, Quantity]) -> Quantity:
    """Return the width of one attention head, 1 if there is no property ``head_size``."""
    return getattr(described, "head_size", 1)
