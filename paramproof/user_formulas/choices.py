"""Convert a spec to the choices that draw it, and choices to a spec.

``formulas.spec.draw`` draws a spec of any family choice by choice, and the lowest choices give
the simplest spec. So lower choices make a spec smaller, and no code needs to know which of its
fields depend on each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from paramproof.formulas import Family, Spec
from paramproof.formulas.expression import Expression
from paramproof.formulas.families import family_of
from paramproof.formulas.spec import RANGES, draw
from paramproof.proof.cases import Case, cases
from paramproof.tracing.symbolic.symint import SymInt


class Drawn(NamedTuple):
    """A spec with the choices that drew it, and the lowest possible value of each.

    Choices of parts come before sizes.
    """

    spec: Spec
    chosen: dict[str, int]
    lowest: dict[str, int]


def drawn(family: Family, choices: Mapping[str, int]) -> Drawn | None:
    """Return the spec drawn by ``choices``, the lowest for all others, or None if invalid."""
    chosen: dict[str, int] = {}
    lowest: dict[str, int] = {}

    def choose(name: str, low: int, high: int) -> int:
        chosen[name], lowest[name] = choices.get(name, low), low
        return chosen[name]

    try:
        spec = draw(family.spec, choose, {})
    except ValueError:
        return None
    sizes = {**RANGES, **getattr(family.spec, "ranges", {})}
    return Drawn(spec, dict(sorted(chosen.items(), key=lambda item: item[0] in sizes)), lowest)


def redrawn(spec: Spec) -> Drawn | None:
    """Return ``spec`` with the choices that draw it, or None if no choices do."""
    for case in cases(family_of(spec)):
        candidate = drawn(case.family, dict(case.answers) | _solved(case, spec))
        if candidate and candidate.spec == spec:
            return candidate
    return None


def _solved(case: Case, spec: Spec) -> dict[str, int]:
    """Return the free sizes of ``case`` that give the fields of ``spec``."""
    generic = ((name, getattr(case.generic, name)) for name in case.family.field_names)
    sizes = {name: size.expression for name, size in generic if isinstance(size, SymInt)}
    fields = {name: size for name, size in sizes.items() if size is not None}
    solution: dict[str, int] = {}
    for _ in case.free:
        for name, size in fields.items():
            solution |= _root(size.substitute(solution), getattr(spec, name))
    return solution


def _root(expression: Expression, value: int) -> dict[str, int]:
    """Return the size at which an expression in one letter is ``value``, by that letter."""
    if len(expression.letters) != 1 or not expression.is_polynomial:
        return {}
    (name,) = expression.letters
    low, high = (expression.evaluate({name: size}) for size in (0, 1))
    size, rest = divmod(value - low, high - low) if high != low else (0, 1)
    return {} if rest else {name: size}
