"""A difference between the catalogue and what transformers builds, on a line of text."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class DifferenceKind(Enum):
    """What a difference is about; the value is its name in JSON."""

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
        """The difference as JSON."""
        return [self.kind.value, self.text]

    @classmethod
    def read(cls, data: list[str]) -> Difference:
        """Return the difference that ``data`` describes."""
        kind, text = data
        return cls(DifferenceKind(kind), text)
