"""The answer to a question about a model: what every form of output is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paramproof.tables import Table


@dataclass(frozen=True, slots=True)
class Answer:
    """A heading, a table, and lines below it, for people; ``data`` is the answer as JSON.

    The ``heading`` names the convention, such as "LoRA of rank 16 on all-linear".
    """

    heading: str
    table: Table
    lines: tuple[str, ...]
    data: Mapping[str, Any]
