"""How far a worker is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

State: TypeAlias = Literal["waiting", "importing", "running", "done", "broken"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the worker of ``framework`` is: ``steps`` done, ``of`` so many.

    A step is a record, or what the job counts: ``prove`` counts builds. ``of`` is None where only
    the framework can know.
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
