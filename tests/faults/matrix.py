"""Every fault against every kind of evidence: observed, and as the table in docs/faults.md."""

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
    """The kinds of evidence that catch the fault, run once in a process."""
    builder = Remembering(FAULTS[name])
    return frozenset(kind for kind in EVIDENCE if catches(kind, builder))


def table() -> str:
    """The matrix and its sums, as Markdown."""
    rows = [["fault", *EVIDENCE, "what is wrong"], ["---", *[":-:"] * len(EVIDENCE), "---"]]
    for name, fault in FAULTS.items():
        cells = ["caught" if kind in observed(name) else "·" for kind in EVIDENCE]
        rows.append([name, *cells, fault.about])
    sums = [str(sum(kind in observed(name) for name in FAULTS)) for kind in EVIDENCE]
    rows.append([f"**caught, of {len(FAULTS)}**", *(f"**{number}**" for number in sums), ""])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def summary() -> str:
    """How many faults there are, how many are caught, and what parity alone catches."""
    caught = [name for name in FAULTS if observed(name)]
    parity = [name for name in FAULTS if observed(name) == {"parity"}]
    return (
        f"{len(FAULTS)} faults; {len(caught)} are caught by one kind of evidence or more. "
        f"{len(parity)} leave every name, shape and count as they are, and are caught by parity "
        f"alone: {', '.join(parity)}.\n"
    )
