"""The agreements that everything else relies on: of two derivations, and of a built model.

A family's inventory and closed form are derived independently. They are compared before anything
is counted, so that no number of a formula that contradicts itself is printed.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from paramproof.algebra.symbols import symbols
from paramproof.builders.protocol import Builder
from paramproof.derivation.sampling import primes_from
from paramproof.formulas import FAMILIES, Family, Report, Spec, closed_form, compare, inventory
from paramproof.formulas.errors import FormulaError, InvalidInput
from paramproof.formulas.expression import text
from paramproof.formulas.families import family_of
from paramproof.formulas.printing import shown
from paramproof.sources.reference import in_one_line

LEAST_PRIME = 100003
"""The smallest of the primes, one for each letter, at which both derivations are compared."""


def check(builder: Builder, spec: Spec) -> Report:
    """Build ``spec`` without allocating memory, and compare every tensor with the formula.

    Raises ``FormulaError`` if the two derivations differ and ``UnsupportedSpec`` if the framework
    cannot express the spec.
    """
    letters = spec.letters()
    named, closed = inventory(letters), closed_form(letters)
    if named.total() != closed:
        # The symbolic difference is 0 if a derivation branches on a size, which none should do.
        difference = _difference(family_of(spec)), f"{closed - named.total():+,}"
        differs = " = ".join(text for text in difference if text != "0")
        raise FormulaError(f"closed form − inventory = {differs}, as in {spec!r}")
    if not hasattr(builder, "build"):
        raise InvalidInput(f"{shown(builder)} is not a builder: paramproof.load returns one")
    return compare(named, builder.build(spec).weights())


def require_agreement(families: Iterable[str]) -> None:
    """Require that both derivations of each of ``families`` agree, before anything is counted.

    They are evaluated once, at primes: two sums of a few small products are equal there only if
    they are the same sum. Indicators are factors of such products, so they are primes, too.
    """
    for family in (FAMILIES[name] for name in families):
        primes = islice(primes_from(LEAST_PRIME), len(family.letters._fields))
        letters = family.letters._make(primes)
        try:
            equal = family.inventory(letters).total() == family.closed_form(letters)
        except Exception as error:  # A formula may raise anything.
            raise FormulaError(
                f"the formula of {family.name} raises {in_one_line(error)}"
            ) from error
        if not equal:
            raise FormulaError(
                f"the two derivations of {family.name} differ: "
                f"closed form − inventory = {_difference(family)}"
            )


def _difference(family: Family) -> str:
    letters = symbols(family.letters)
    return text(family.closed_form(letters) - family.inventory(letters).total())
