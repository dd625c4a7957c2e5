"""One model, built by one framework and held to the formula."""

from __future__ import annotations

from builders.protocol import Builder
from formulas import Report, Spec, closed_form, compare, inventory


class FormulaError(ArithmeticError):
    """The inventory and the closed form disagree: no framework has been asked yet."""


def check(builder: Builder, spec: Spec) -> Report:
    """Build ``spec`` without allocating it and compare every tensor with the formula.

    Raises ``FormulaError`` where the two derivations differ and ``UnsupportedSpec`` where
    the framework cannot express the spec.
    """
    letters = spec.letters()
    named, closed = inventory(letters), closed_form(letters)
    if named.total() != closed:
        raise FormulaError(
            f"inventory {named.total():,} and closed form {closed:,} differ for {spec!r}"
        )
    return compare(named, builder.build(spec).weights())
