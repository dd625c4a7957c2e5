"""Make a formula in numbers of experts alone, or in none.

Active parameters need to know what belongs to the experts: what their number changes.
"""

from __future__ import annotations

from dataclasses import replace

from paramproof.catalogue import Entry
from paramproof.catalogue.names import versions_of
from paramproof.derivation.exact_traces import Conditions, derived
from paramproof.derivation.letters import NotSymbolic, Only, Trace, sized
from paramproof.formulas.active import has_experts, says_per_token
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.path import joined


def formula_in_experts(found: Entry) -> Derivation:
    """Return a formula in which only numbers of experts are letters. Raises ``ValueError``."""
    # A key that no class declares, such as the top_k of sampling, is no number of experts.
    declared = {
        joined(path, part.program.aliases.get(name, name))
        for path, part in found.parts.items()
        for name in part.program.types
    }

    def is_of_experts(path: str, size: int) -> bool:
        if says_per_token(path):
            return size > 0 and path in declared
        return size > 1 and has_experts([path])

    return formula_in(found, is_of_experts)


def formula_at_sizes(found: Entry) -> Derivation:
    """Return a formula without letters."""
    formula = formula_in(found, lambda path, size: False)
    return replace(formula, caveats=("the formula holds for these sizes only",))


def formula_in(found: Entry, only: Only) -> Derivation:
    part, name = found.part, found.class_name
    trace = Trace(part, name, sized(part.catalogue), {}, only=only)
    versions = versions_of(found.model_type)
    formula = derived(name, [trace], Conditions(trace.sizes), [], versions)
    if formula.formula.value(formula.sizes) != part.count(name)["trainable"]:
        raise NotSymbolic("the number of parameters")
    return formula
