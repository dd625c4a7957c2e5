"""What a probe may answer with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

Counts: TypeAlias = Mapping[str, tuple[str, int]]
"""By what is counted: how a user of the framework would count it, and the number."""
