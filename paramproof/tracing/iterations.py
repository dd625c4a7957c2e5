"""The iterations of loops over sizes that are running."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from paramproof.formulas.expression import Expression


class Iteration(NamedTuple):
    """One iteration of a loop over sizes: its length, its letter and which one it is.

    There are ``total`` of them in this trace.
    """

    length: Expression
    letter: str
    number: int
    total: int = 0


IterationStack: TypeAlias = tuple[Iteration, ...]
"""Where a tensor was made: the iterations that were running, the innermost last."""

RUNNING: list[Iteration] = []
"""The iterations that are running, the innermost last."""
