"""Conditions: relations of two sizes that must be met for a formula to hold.

A stated condition is one of a formula: it says what the constructor does where it is violated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from typing import NamedTuple

from paramproof.formulas.expression import (
    Computed,
    Expression,
    Number,
    common_factor,
    expression,
    letter,
    sides,
    text,
)
from paramproof.formulas.notation import expression_in
from paramproof.formulas.printing import shown


class Relation(Enum):
    """A relation of two sizes, with its sign and the sign of its negation."""

    EQUAL = ("=", "≠")
    LESS = ("<", "≥")
    MORE = (">", "≤")
    DIVIDES = ("divides", "does not divide")


DIFFERENCE = {Relation.EQUAL: 0, Relation.LESS: -1, Relation.MORE: 1}  # Signs of left − right.

RELATIONS = {
    sign: (relation, holds)
    for relation in Relation
    for sign, holds in zip(relation.value, (True, False), strict=True)
}

RELATION = re.compile(f" ({'|'.join(RELATIONS)}) ")


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
        if not DIFFERENCE.get(self.relation):
            return self
        relation, holds, difference = self.relation, self.holds, self.left - self.right
        atoms = (atom for powers in self.left.terms for atom, _ in powers)
        is_float = any(isinstance(atom, Computed) and atom.is_float for atom in atoms)
        if relation is Relation.LESS and not holds and self.right == 1 and not is_float:
            relation, holds, difference = Relation.MORE, True, difference + 1
        left = Expression({p: n for p, n in difference.terms.items() if n > 0})
        return Condition(relation, left, left - difference, holds)

    @property
    def letters(self) -> frozenset[str]:
        return self.left.letters | self.right.letters

    def substitute(self, values: Mapping[str, Expression | Number]) -> Condition:
        left, right = self.left.substitute(values), self.right.substitute(values)
        return Condition(self.relation, left, right, self.holds)

    @property
    def only(self) -> tuple[str, int] | None:
        """The letter that this condition fixes, with its value: ("m", 1) for ``m divides 1``."""
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
        """The expression that is 0 or more exactly where this inequality of whole sizes is met."""
        apart, sign = self.left - self.right, DIFFERENCE.get(self.relation)
        if not (sign and apart.is_whole):
            return None
        return sign * apart - 1 if self.holds else -sign * apart

    def implies(self, other: Condition) -> bool:
        """Return True if ``other`` is met wherever this is. False may mean: not decided."""
        if self.holds and other.holds and self.relation is other.relation is Relation.DIVIDES:
            return self.left == other.left and other.right in (self.right, 2 * self.right)
        if left_out := replace(other, holds=not other.holds).only:
            return self.letters == {left_out[0]} and not self.is_met(dict([left_out]))
        known = self.bound
        # What divides a number of 1 or more is at most that number.
        if self.relation is Relation.DIVIDES and self.holds and is_never_negative(self.right - 1):
            known = self.right - self.left
        if known is None or other.bound is None:
            return self == other
        apart = (other.bound - known).constant
        return apart is not None and apart >= 0

    def is_met(self, sizes: Mapping[str, int]) -> bool:
        """Return whether the condition is met at these sizes; False if a side has no value."""
        try:
            left, right = self.left.value(sizes), self.right.value(sizes)
        except ArithmeticError:
            return False
        if self.relation is Relation.DIVIDES:
            return bool(left != 0 and right % left == 0) is self.holds
        return (_sign(left - right) == DIFFERENCE.get(self.relation)) is self.holds

    @property
    def is_settled(self) -> bool:
        """Whether the condition is met at all sizes or at none, for letters of 1 or more.

        False if the signs do not decide it, as for ``Computed`` numbers, which may have any sign.
        """
        if not all(_have(side, _is_defined) for side in (self.left, self.right)):
            return False
        if not self.letters:
            return True
        if self.relation is Relation.DIVIDES:
            return self.left == 1 and self.right.is_whole
        sign, possible = DIFFERENCE.get(self.relation), signs_of(self.left - self.right)
        return possible == {sign} or sign not in possible


def condition_in(written: str) -> Condition:
    """Return the condition that is printed so, normalized: ``A divides H``, ``V ≤ 25000``."""
    parts = RELATION.split(written)
    if len(parts) != 3:
        raise ValueError(f"{shown(written)} is not a condition")
    left, sign, right = parts
    relation, holds = RELATIONS[sign]
    return Condition(relation, expression_in(left), expression_in(right), holds).normalized()


def at_least_one(one: Expression) -> tuple[Condition, ...]:
    """Return the conditions that are met exactly where ``one`` is 1 or more.

    A product is 1 or more where all its natural factors are, and ⌊a / b⌋ where a ≥ b > 0.
    """
    factor = common_factor(one.terms.items()) if one else one
    shared = [(atom, power) for powers in factor.terms for atom, power in powers if sides(atom)]
    pairs, is_single = [*filter(None, (sides(a) for a, _ in shared))], [n for _, n in shared] == [1]
    known = (signs_of(b) == {1} and (is_single or is_never_negative(a)) for a, b in pairs)
    if not (all(known) and is_never_negative(one / Expression({tuple(shared): 1}) - 1)):
        return (Condition(Relation.LESS, one, expression(1), False),)
    return tuple(Condition(Relation.LESS, top, bottom, False) for top, bottom in pairs)


def is_never_negative(one: Expression, at_zero: Collection[str] = ()) -> bool:
    """Return True if the signs show that an expression is defined, and 0 or more, at all sizes.

    Every letter is 1 or more, except that those in ``at_zero`` may be 0.
    """
    # Most expressions subtract nothing, and then do so at the lowest sizes neither.
    if all(number > 0 for number in one.terms.values()):
        return _have(one, _is_natural, at_zero)
    return -1 not in signs_of(one, at_zero)


def signs_of(one: Expression, at_zero: Collection[str] = ()) -> set[int]:
    """Return the signs that an expression has at some sizes: all three if they are not known."""
    if _have(one, _is_natural, at_zero):
        lowest = _from_lowest(one, at_zero)
        signs = set(map(_sign, lowest.terms.values()))
        if len(signs) < 2:
            return signs if () in lowest.terms else {*signs, 0}
    return {-1, 0, 1}


def _have(one: Expression, sort: Callable[..., bool], at_zero: Collection[str] = ()) -> bool:
    """Return whether all atoms but letters are quotients of a ``sort``, and no divisor is 0."""
    return all(
        power > 0 or atom not in at_zero
        if isinstance(atom, str)
        else power > 0 and (pair := sides(atom)) is not None and sort(*pair, at_zero)
        for powers in one.terms
        for atom, power in powers
    )


def _is_defined(top: Expression, bottom: Expression, at_zero: Collection[str]) -> bool:
    return signs_of(bottom, at_zero) == {1} and _have(top, _is_defined, at_zero)


def _is_natural(top: Expression, bottom: Expression, at_zero: Collection[str]) -> bool:
    return _is_defined(top, bottom, at_zero) and is_never_negative(top, at_zero)


def _from_lowest(one: Expression, at_zero: Collection[str] = ()) -> Expression:
    """Return an expression with the sign of ``one``, whose letters are 0 at the lowest sizes.

    So x + 1 is in place of each letter that is 1 or more. If ``one`` contains quotients, which are
    0 or more too, it is returned unchanged.
    """
    if one.has_quotients:
        return one
    for name in one.letters:  # Times every letter that is a divisor, which keeps the sign.
        one = one * letter(name) ** -min(0, *(dict(powers).get(name, 0) for powers in one.terms))
    return one.substitute({name: letter(name) + 1 for name in one.letters if name not in at_zero})


def _sign(number: Number) -> int:
    return int(number > 0) - int(number < 0)


class Outcome(Enum):
    """What happens if a condition is violated: as it is named in data, and in words."""

    REFUSED = ("refused", "the constructor refuses")
    OTHERS = ("others", "other tensors are created")
    NOT_TRIED = ("", "not tried")
    NEGATIVE = ("a length is less than 0", "a length is less than 0")
    OTHER_COUNT = (
        "a kind of layer is there another number of times",
        "the number of layers of some kind differs",
    )


class Consequence(NamedTuple):
    outcome: Outcome
    why: str = ""

    def __str__(self) -> str:
        _, words = self.outcome.value
        return f"{words}: {self.why}" if self.why else words


@dataclass(frozen=True, slots=True)
class StatedCondition:
    """A condition, what happens if it is violated, and the call sites that evaluate it."""

    condition: Condition
    consequence: Consequence
    places: tuple[tuple[str, int], ...] = ()
