"""The progress of a worker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

State: TypeAlias = Literal["waiting", "importing", "running", "done", "broken"]


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of the worker of ``framework``: ``steps`` done, of ``of`` in all.

    A step is a record, or what the job counts: ``prove`` counts builds. ``of`` is None if only the
    framework knows.
    """

    framework: str
    state: State
    steps: int = 0
    of: int | None = None

    def __str__(self) -> str:
        if self.state != "running":
            return self.state
        return f"{self.steps}" if self.of is None else f"{self.steps} of {self.of}"


OnProgress: TypeAlias = Callable[[Progress], None]
