"""Conditions: relations of two sizes that must be met for a formula to hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from paramproof.formulas.computed import has_computed
from paramproof.formulas.division import Quotient
from paramproof.formulas.expression import Expression, Number, expression, letter
from paramproof.formulas.notation import text


class Relation(Enum):
    """A relation of two sizes, with its sign and the sign of its negation."""

    EQUAL = ("=", "≠")
    LESS = ("<", "≥")
    MORE = (">", "≤")
    DIVIDES = ("divides", "does not divide")


@dataclass(frozen=True, slots=True)
class Condition:
    """A relation of two sizes, or its negation if not ``holds``: ``A divides H``, ``H ≠ A·K``."""

    relation: Relation
    left: Expression
    right: Expression
    holds: bool

    def __str__(self) -> str:
        shown = self.normalized()
        sign = shown.relation.value[0 if shown.holds else 1]
        return f"{text(shown.left)} {sign} {text(shown.right)}"

    def normalized(self) -> Condition:
        """Return this condition with positive terms on both sides: L > D for L − D > 0."""
        if self.relation not in (Relation.LESS, Relation.MORE):
            return self
        relation, holds, difference = self.relation, self.holds, self.left - self.right
        if relation is Relation.LESS and not holds and self.right == 1:
            relation, holds, difference = Relation.MORE, True, difference + 1
        left = Expression({p: n for p, n in difference.terms.items() if n > 0})
        return Condition(relation, left, left - difference, holds)

    @property
    def letters(self) -> frozenset[str]:
        """The letters that occur on either side."""
        return self.left.letters | self.right.letters

    def substitute(self, values: Mapping[str, Expression | Number]) -> Condition:
        """Return this condition with expressions or numbers substituted for some letters."""
        left, right = self.left.substitute(values), self.right.substitute(values)
        return Condition(self.relation, left, right, self.holds)

    @property
    def only(self) -> tuple[str, int] | None:
        """The letter that this condition fixes, with its value: ``("m", 1)`` for ``m divides 1``.

        None if it does not fix a letter.
        """
        apart = self.left - self.right
        if not (self.holds and len(apart.letters) == 1):
            return None
        (name,) = apart.letters
        if self.relation is Relation.DIVIDES:
            return (name, 1) if (self.left, self.right) == (letter(name), expression(1)) else None
        if self.relation is not Relation.EQUAL or apart.terms.keys() - {(), ((name, 1),)}:
            return None
        value = -apart.terms.get((), 0) / Fraction(apart.terms[((name, 1),)])
        return (name, int(value)) if value == int(value) else None

    @property
    def bound(self) -> Expression | None:
        """The expression that is 0 or more exactly where this condition is met.

        None if the condition is not an inequality of whole sizes.
        """
        apart = self.left - self.right
        if not apart.is_whole:
            return None
        if self.relation is Relation.MORE:
            return apart - 1 if self.holds else -apart
        if self.relation is Relation.LESS:
            return -apart - 1 if self.holds else apart
        return None

    @property
    def _apart_at_least(self) -> Expression | None:
        """The expression ``right - left``, which is 0 or more if left divides a positive right.

        None if the relation is negated, or if the right side may be below 1.
        """
        positive = Condition(Relation.LESS, self.right, expression(1), False)
        always = positive.is_settled and positive.is_met(dict.fromkeys(self.right.letters, 1))
        return self.right - self.left if self.holds and always else None

    def implies(self, other: Condition) -> bool:
        """Return True if ``other`` is met wherever this condition is.

        False may also mean that the difference of the two does not decide it.
        """
        if self.holds and other.holds and self.relation is other.relation is Relation.DIVIDES:
            return self.left == other.left and other.right in (self.right, 2 * self.right)
        known = self.bound if self.relation is not Relation.DIVIDES else self._apart_at_least
        if known is None or other.bound is None:
            return self == other
        apart = (other.bound - known).constant
        return apart is not None and apart >= 0

    def is_met(self, sizes: Mapping[str, int]) -> bool:
        """Return whether the condition is met at these sizes; False if a side has no value."""
        try:
            return self._answer(sizes) is self.holds
        except ArithmeticError:
            return False

    def _answer(self, sizes: Mapping[str, int]) -> bool:
        left, right = self.left.value(sizes), self.right.value(sizes)
        if self.relation is Relation.DIVIDES:
            return left != 0 and right % left == 0
        if self.relation is Relation.EQUAL:
            return left == right
        return left < right if self.relation is Relation.LESS else left > right

    @property
    def is_settled(self) -> bool:
        """Whether the condition is met at all sizes or at none, for letters of 1 or more.

        False if the signs do not decide it, as for ``Computed`` numbers, which may have any sign.
        """
        if has_computed(self.left) or has_computed(self.right):
            return False
        if not all(_have(side, _is_defined) for side in (self.left, self.right)):
            return False
        if not self.letters:
            return True
        if self.relation is Relation.DIVIDES:
            return self.left == 1 and self.right.is_whole
        difference = self.left - self.right
        if difference.constant is not None:
            return True
        if not _have(difference, _is_natural):
            return False
        lowest = _counted_from_one(difference)
        if self.relation is Relation.EQUAL:
            return _signs(lowest) in ({1}, {-1}) and bool(lowest.terms.get(()))
        return _at_least(lowest, self)


def at_least_one(one: Expression) -> tuple[Condition, ...]:
    """Return the conditions that are met exactly where ``one`` is 1 or more.

    A product is 1 or more where all its factors are, and ⌊a / b⌋ where a ≥ b.
    """
    shared = [dict(powers) for powers in one.terms]
    quotients = [
        atom
        for atom in (shared[0] if shared else ())
        if isinstance(atom, Quotient) and all(powers.get(atom, 0) > 0 for powers in shared)
    ]
    rest = one
    for quotient in quotients:
        power = min(powers[quotient] for powers in shared)
        rest = rest / Expression({((quotient, power),): 1})
    left = Condition(Relation.LESS, rest, expression(1), False)
    if not (left.is_settled and left.is_met(dict.fromkeys(rest.letters, 1))):
        return (Condition(Relation.LESS, one, expression(1), False),)
    return tuple(Condition(Relation.LESS, q.numerator, q.denominator, False) for q in quotients)


def _at_least(difference: Expression, asked: Condition) -> bool:
    """Return whether the sign of a difference, with letters of 0 or more, decides ``asked``."""
    signs = _signs(difference)
    apart = bool(difference.terms.get(()))
    never_less, never_more = signs == {1}, signs == {-1}
    if asked.relation is Relation.LESS:
        return never_less or (never_more and apart)
    return never_more or (never_less and apart)


def _quotients(one: Expression) -> list[tuple[Quotient, int]]:
    factors = (factor for powers in one.terms for factor in powers)
    return [(atom, power) for atom, power in factors if isinstance(atom, Quotient)]


def _have(one: Expression, sort: Callable[[Quotient], bool]) -> bool:
    """Return whether ``sort`` is true of each quotient in ``one``, and none is a divisor."""
    return all(power > 0 and sort(quotient) for quotient, power in _quotients(one))


def _is_defined(one: Quotient) -> bool:
    """Return whether the signs show that a quotient never divides by 0."""
    bottom = _counted_from_one(one.denominator)
    apart = _signs(bottom) == {1} and bool(bottom.terms.get(()))
    return apart and _have(one.denominator, _is_natural) and _have(one.numerator, _is_defined)


def _is_natural(one: Quotient) -> bool:
    """Return whether the signs show that a quotient is 0 or more at all sizes."""
    top = _counted_from_one(one.numerator)
    return _is_defined(one) and _signs(top) <= {1} and _have(one.numerator, _is_natural)


def _counted_from_one(one: Expression) -> Expression:
    """Return an expression with the sign of ``one``, and x + 1 for each letter, so that x ≥ 0.

    If ``one`` contains quotients, which are 0 or more too, it is returned unchanged.
    """
    if _quotients(one):
        return one
    whole = _without_divisors(one)
    return whole.substitute({name: letter(name) + 1 for name in whole.letters})


def _without_divisors(one: Expression) -> Expression:
    """Return ``one`` times every letter that is a divisor, which keeps the sign."""
    lowest: dict[Any, int] = {}
    for powers in one.terms:
        for name, power in powers:
            lowest[name] = min(lowest.get(name, 0), power)
    for name, power in lowest.items():
        one = one * letter(name) ** -power
    return one


def _signs(one: Expression) -> set[int]:
    return {1 if number > 0 else -1 for number in one.terms.values()}
