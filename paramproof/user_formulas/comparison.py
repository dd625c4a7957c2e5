"""A user's formula against a derived one: at sizes inside its conditions, and as algebra."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import NamedTuple

from paramproof.algebra.sampling import sample_inside
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.notation import text
from paramproof.formulas.printing import MINUS
from paramproof.user_formulas.client import FormulaClient
from paramproof.user_formulas.signature import FormulaRefused


class Comparison(NamedTuple):
    """A user's count beside the derived one, at these sizes by letter."""

    sizes: Mapping[str, int]
    derived: int
    theirs: int

    @property
    def equal(self) -> bool:
        """Whether both are the same."""
        return self.derived == self.theirs


def comparisons(
    formula: FormulaClient, derivation: Derivation, examples: int, seed: int
) -> Iterator[Comparison]:
    """Yield both counts at the derivation's own sizes, then at random ones inside its conditions.

    Raises ``FormulaRefused``, as ``FormulaClient`` does.
    """
    yield _compared(formula, derivation, derivation.sizes)
    random = Random(seed)
    for _ in range(examples):
        sizes = sample_inside(random, derivation)
        if sizes is not None and derivation.holds_at(sizes):
            yield _compared(formula, derivation, sizes)


def algebra(formula: FormulaClient, derivation: Derivation, worst: Comparison) -> str:
    """Return what the user's formula lacks, in letters, or why it cannot be said.

    It is called with letters in place of sizes; what comes out is believed only where it gives
    the numbers that it gives for numbers.
    """
    try:
        theirs = formula.in_letters(derivation.fields)
    except FormulaRefused as error:
        return f"no algebra: {error}"
    missing = derivation.formula - theirs
    if missing.evaluate(worst.sizes) != worst.derived - worst.theirs:
        return f"no algebra: {formula.name} is one thing in letters, another in numbers"
    return f"actual {MINUS} formula = {text(missing)}"


def _compared(
    formula: FormulaClient, derivation: Derivation, sizes: Mapping[str, int]
) -> Comparison:
    theirs = formula.at_sizes(sizes, derivation.fields)
    return Comparison(sizes, derivation.count(sizes), theirs)
