"""What a probe may answer with."""

from __future__ import annotations

from typing import TypeAlias

Counts: TypeAlias = dict[str, tuple[str, int]]
"""By what is counted: how a user of the framework would count it, and the number."""
