"""Choose the family of a user-supplied formula, by its parameters or by ``--family``."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from paramproof.formulas import FAMILIES, Family, Spec
from paramproof.proof.cases import cases
from paramproof.user_formulas.signature import Formula, FormulaRefused


def chosen_family(formula: Formula, among: Collection[str] = ()) -> Family:
    """Return the family of ``formula``, one of those ``among`` if any are named.

    If its parameters fit several, only those families count for whose fullest spec the formula
    returns a count. Raises ``FormulaRefused`` if no family or more than one is left.
    """
    families = formula.families()
    fits = f"{formula.name} fits {_listed(families)}"
    candidates = [name for name in families if not among or name in among]
    if not candidates:
        raise FormulaRefused(f"{fits}, and not {_listed(tuple(among))}")
    refusals: list[FormulaRefused] = []
    if len(candidates) > 1:
        candidates, refusals = _counted(formula, candidates)
    if not candidates:
        raise refusals[0]
    if len(candidates) > 1:
        names = _listed(candidates)
        raise FormulaRefused(f"{formula.name} fits {names}: choose one with --family")
    return FAMILIES[candidates[0]]


@cache
def fullest_spec(family: Family) -> Spec:
    """Return a spec of ``family`` with every part and with sizes that all differ."""
    fullest = max(cases(family), key=lambda case: (sum(case.parts.values()), len(case.free)))
    return fullest.spec(fullest.sizes)


def _counted(formula: Formula, names: Collection[str]) -> tuple[list[str], list[FormulaRefused]]:
    """Return the families whose fullest spec ``formula`` counts, and the refusals of the others."""
    counted, refusals = [], []
    for name in names:
        try:
            formula.counts(fullest_spec(FAMILIES[name]))
        except FormulaRefused as refusal:
            refusals.append(refusal)
        else:
            counted.append(name)
    return counted, refusals


def _listed(names: Collection[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
