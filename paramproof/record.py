"""What a worker writes about one framework: a record, a line of JSON each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Any, Self

from paramproof.builders.registry import Framework


@dataclass(frozen=True, slots=True)
class Record(ABC):
    """What was found out about ``framework``, as data of dicts, tuples and scalars."""

    framework: str

    @property
    @abstractmethod
    def failed(self) -> bool:
        """Whether this is a reason not to trust the formula or the framework."""

    @classmethod
    @abstractmethod
    def broken(cls, framework: Framework, reason: str) -> Self:
        """Return the record of a worker that died."""

    def as_json(self) -> dict[str, Any]:
        """Return this record as what ``json.dumps`` takes."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Return the record that ``as_json`` wrote; JSON has lists where a record has tuples."""
        fields: Any = {k: tuple(v) if isinstance(v, list) else v for k, v in data.items()}
        return cls(**fields)
