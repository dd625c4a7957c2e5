"""The choices by which a spec is drawn, and the spec that choices make.

A spec of any family is drawn choice by choice (``formulas.spec.drawing``), and its lowest choices
are the simplest. Whoever knows the choices of a spec can make it smaller, and never ask which of
its fields depend on each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from paramproof.formulas import Family, Spec
from paramproof.formulas.expression import Expression
from paramproof.formulas.families import family_of
from paramproof.formulas.spec.drawing import RANGES, draw
from paramproof.proof.cases import Case, cases
from paramproof.tracing.symbolic.symint import SymInt


class Drawn(NamedTuple):
    """A spec with every choice that it was drawn by, and the lowest there was for each.

    Parts, which are no sizes, come first.
    """

    spec: Spec
    chosen: dict[str, int]
    lowest: dict[str, int]


def drawn(family: Family, choices: Mapping[str, int]) -> Drawn | None:
    """Return what ``choices`` and else the lowest draw, None where that is not possible."""
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
    """Return ``spec`` with the choices by which it is drawn, None where it never is."""
    for case in cases(family_of(spec)):
        found = drawn(case.family, dict(case.answers) | _solved(case, spec))
        if found and found.spec == spec:
            return found
    return None


def _solved(case: Case, spec: Spec) -> dict[str, int]:
    """The free sizes of ``case`` that give the fields of ``spec``, each found by a field."""
    generic = ((name, getattr(case.generic, name)) for name in case.family.field_names)
    sizes = {name: one.expression for name, one in generic if isinstance(one, SymInt)}
    made = {name: one for name, one in sizes.items() if one is not None}
    found: dict[str, int] = {}
    for _ in case.free:
        for name, one in made.items():
            found |= _root(one.substitute(found), getattr(spec, name))
    return found


def _root(one: Expression, value: int) -> dict[str, int]:
    """The letter of ``one`` with the size at which it is ``value``, if that is its only letter."""
    if len(one.letters) != 1 or not one.is_polynomial:
        return {}
    (name,) = one.letters
    low, high = (one.evaluate({name: size}) for size in (0, 1))
    size, rest = divmod(value - low, high - low) if high != low else (0, 1)
    return {} if rest else {name: size}
