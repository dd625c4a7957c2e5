"""The iterations of loops over sizes that are running."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from paramproof.formulas.expression import Expression


class Iteration(NamedTuple):
    """One iteration of a loop over sizes.

    ``length`` is the symbolic length of the loop, ``letter`` the symbol of its index and ``number``
    the index of this iteration. In this trace the loop has ``total`` iterations.
    """

    length: Expression
    letter: str
    number: int
    total: int = 0


IterationStack: TypeAlias = tuple[Iteration, ...]
"""The iterations in which a tensor was created, innermost last."""

RUNNING: list[Iteration] = []
"""The iterations that are running, innermost last."""
