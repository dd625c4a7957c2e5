"""Compare a user's formula with a derived one, at sizes that meet its guards and as algebra."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import NamedTuple

from paramproof.algebra.sampling import sample_inside
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.notation import text
from paramproof.formulas.printing import MINUS
from paramproof.user_formulas.client import FormulaClient
from paramproof.user_formulas.signature import FormulaRefused


class Comparison(NamedTuple):
    """The user's count and the derived one, at ``sizes`` by letter."""

    sizes: Mapping[str, int]
    derived: int
    theirs: int

    @property
    def equal(self) -> bool:
        """Whether both counts are the same."""
        return self.derived == self.theirs


def comparisons(
    formula: FormulaClient, architecture: Architecture, examples: int, seed: int
) -> Iterator[Comparison]:
    """Yield both counts at the model's own sizes, then at random sizes that meet its guards.

    Raises ``FormulaRefused``, as ``FormulaClient`` does.
    """
    yield _compared(formula, architecture, architecture.sizes)
    random = Random(seed)
    for _ in range(examples):
        sizes = sample_inside(random, architecture)
        if sizes is not None and architecture.has(sizes):
            yield _compared(formula, architecture, sizes)


def algebra(formula: FormulaClient, architecture: Architecture, worst: Comparison) -> str:
    """Return what the user's formula lacks, in letters, or why no algebra is possible.

    The formula is called with letters in place of sizes. Its result is used only if it gives the
    same difference at the sizes of ``worst`` as the formula gives for ints.
    """
    try:
        theirs = formula.in_letters(architecture.fields)
    except FormulaRefused as error:
        return f"no algebra: {error}"
    missing = architecture.formula - theirs
    if missing.evaluate(worst.sizes) != worst.derived - worst.theirs:
        return f"no algebra: {formula.name} counts letters and numbers differently"
    return f"actual {MINUS} formula = {text(missing)}"


def _compared(
    formula: FormulaClient, architecture: Architecture, sizes: Mapping[str, int]
) -> Comparison:
    theirs = formula.at_sizes(sizes, architecture.fields)
    return Comparison(sizes, architecture.at(sizes).formula.evaluate(sizes), theirs)
