"""The records that a worker writes about a framework, each a line of JSON."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Any, Self

from paramproof.builders.registry import Framework


@dataclass(frozen=True, slots=True)
class Record(ABC):
    """A result about ``framework``, made of dicts, tuples and scalars."""

    framework: str

    @property
    @abstractmethod
    def failed(self) -> bool:
        """Whether this result contradicts the formula, or the framework broke."""

    @classmethod
    @abstractmethod
    def broken(cls, framework: Framework, reason: str) -> Self:
        """Return the record for a worker that died."""

    def as_json(self) -> dict[str, Any]:
        """Return this record as data for JSON."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Return the record that ``as_json`` wrote; JSON has lists where a record has tuples."""
        fields: Any = {k: tuple(v) if isinstance(v, list) else v for k, v in data.items()}
        return cls(**fields)
