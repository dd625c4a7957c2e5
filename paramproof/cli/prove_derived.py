"""``prove --model`` for a model without a family: derive its formula, and tell if it is proved."""

from __future__ import annotations

from pathlib import Path

from paramproof.cli.derive import deriving
from paramproof.cli.output import tables_beside, write_json
from paramproof.counting.derivation_text import evidence_lines, formula_lines
from paramproof.formulas.derivation_data import derivation_data
from paramproof.formulas.printing import legible
from paramproof.json_form import document
from paramproof.resolver import Request
from paramproof.tables.terminal import print_lines


def prove_derived(request: Request, json_file: Path | None) -> bool:
    """Derive the formula of a model, print it with its evidence, and return whether it is proved.

    The model comes from MODULE:FUNCTION or from a configuration.
    """
    derivation = deriving(request)
    if json_file:
        write_json(json_file, document("derivation", derivation_data(derivation)))
    out = tables_beside(json_file)
    print_lines(out, (legible(derivation.name), *formula_lines(derivation)))
    print_lines(out, (f"where {stated.condition}" for stated in derivation.conditions))
    print_lines(out, evidence_lines(derivation))
    return derivation.is_proved_at(derivation.sizes)
