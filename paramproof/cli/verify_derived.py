"""``verify --formula`` for a model without a family: compare two formulas at many sizes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from paramproof.cli.output import tables_beside, write_json
from paramproof.counting.derivation_text import certainty
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.printing import legible
from paramproof.formulas.report import totals
from paramproof.json_form import document
from paramproof.resolver import Model
from paramproof.user_formulas.client import FormulaClient
from paramproof.user_formulas.comparison import Comparison, algebra, comparisons


def verify_derived(
    reference: str,
    model: Model,
    examples: int,
    seed: int,
    seconds: float,
    json_file: Path | None,
) -> bool:
    """Compare a user's formula with a model's, print the result, and return whether it is equal.

    ``seconds`` limits the time of each call of the user's formula.
    """
    derivation = model.architecture
    known = (*derivation.sizes, *derivation.fields.values())
    with FormulaClient(reference, known, seconds) as formula:
        found = list(comparisons(formula, derivation, examples, seed))
        differing = [compared for compared in found if not compared.equal]
        difference = algebra(formula, derivation, differing[0]) if differing else ""
    if json_file:
        body = {"model": derivation.name, "seed": seed, "results": list(map(_as_json, found))}
        write_json(json_file, document("verification", {**body, "algebra": difference}))
    out = tables_beside(json_file)
    for line in _lines(reference, derivation, found, differing, difference):
        out.print(line, markup=False, highlight=False, soft_wrap=True)
    return not differing


def _lines(
    reference: str,
    derivation: Architecture,
    found: list[Comparison],
    differing: list[Comparison],
    difference: str,
) -> Iterator[str]:
    yield f"{legible(derivation.name)}: its formula was derived, {certainty(derivation)}"
    own = found[0]
    yield f"at its own sizes: {totals(own.derived, own.theirs)}"
    if differing:
        first = differing[0]
        if first is not own:
            yield ", ".join(f"{letter}={size}" for letter, size in first.sizes.items())
            yield totals(first.derived, first.theirs)
        yield difference
    equal = len(found) - len(differing)
    yield f"{reference}: equal at {equal} of {len(found)} sizes that meet the conditions"


def _as_json(compared: Comparison) -> dict[str, Any]:
    return compared._asdict()
