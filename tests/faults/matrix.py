"""Observe which kind of evidence catches which fault."""

from __future__ import annotations

from functools import cache

from tests.faults import computation, missing, shared, sizes, storage
from tests.faults.catalogue import FAULTS
from tests.faults.evidence import EVIDENCE, catches
from tests.remembered import Remembering

GROUPS = (missing, shared, sizes, storage, computation)
"""The modules of the catalogue: importing them fills it."""


@cache
def observed(name: str) -> frozenset[str]:
    """Return the kinds of evidence that catch the fault, computed once per process."""
    builder = Remembering(FAULTS[name])
    return frozenset(kind for kind in EVIDENCE if catches(kind, builder))
