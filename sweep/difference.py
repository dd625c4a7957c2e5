"""What is otherwise than the catalogue has it, a line for each thing."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class DifferenceKind(Enum):
    """What a line is about; the value is its word in JSON."""

    FORMULA = "formula"
    GONE = "class that is gone"
    NEW = "new class"
    NOT_DERIVED = "class that is not derived"
    DEFAULT = "default"
    TENSOR = "tensor"
    LETTER = "letter"
    PROPERTY = "property"
    KEY = "new key"
    MODEL = "random model"
    FAILED = "type that is not derived"


class Difference(NamedTuple):
    """A line of text, and what it is about."""

    kind: DifferenceKind
    text: str

    def __str__(self) -> str:
        return self.text

    @property
    def data(self) -> list[str]:
        """What JSON has of it."""
        return [self.kind.value, self.text]

    @classmethod
    def read(cls, data: list[str]) -> Difference:
        """Return the finding that ``data`` is of."""
        kind, text = data
        return cls(DifferenceKind(kind), text)
