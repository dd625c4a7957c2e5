"""Which family a user-supplied formula is about: its parameters say, or ``--family``."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from paramproof.formulas import FAMILIES, Family, Spec
from paramproof.proof.cases import cases
from paramproof.user_formulas.signature import Formula, FormulaRefused


def chosen_family(formula: Formula, among: Collection[str] = ()) -> Family:
    """Return the family that ``formula`` is about, one of those ``among``, or of all.

    Where parameters fit several, those count whose models it can be called for. Raises
    ``FormulaRefused`` where it fits none or several, or raises it for each that would fit.
    """
    fitting = formula.families()
    fits = f"{formula.name} fits {_listed(fitting)}"
    found = [name for name in fitting if not among or name in among]
    if not found:
        raise FormulaRefused(f"{fits}, and not {_listed(tuple(among))}")
    refusals: list[FormulaRefused] = []
    if len(found) > 1:
        found, refusals = _answering(formula, found)
    if not found:
        raise refusals[0]
    if len(found) > 1:
        raise FormulaRefused(f"{formula.name} fits {_listed(found)}: say which by --family")
    return FAMILIES[found[0]]


@cache
def whole(family: Family) -> Spec:
    """Return a spec of ``family`` with every part, its sizes all different."""
    fullest = max(cases(family), key=lambda case: (sum(case.parts.values()), len(case.free)))
    return fullest.spec(fullest.sizes)


def _answering(formula: Formula, names: Collection[str]) -> tuple[list[str], list[FormulaRefused]]:
    """Return the families whose whole model ``formula`` counts, and why not those of others."""
    found, refusals = [], []
    for name in names:
        try:
            formula.counts(whole(FAMILIES[name]))
        except FormulaRefused as refusal:
            refusals.append(refusal)
        else:
            found.append(name)
    return found, refusals


def _listed(names: Collection[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
