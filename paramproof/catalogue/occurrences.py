"""Count the items of loops for which a condition on their index holds, as an expression.

A condition is an indicator: a polynomial that is 1 where it holds and 0 elsewhere. Its variables
are ``Fact``s, simple relations of one index, so "and" is a product, and "not" is 1 minus it. A sum
over all items is then a sum of products of facts, and these have closed forms: ``i < k`` holds k
times, ``i ≡ r (mod p)`` ⌊(L − r + p − 1)/p⌋ times.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from paramproof.formulas.expression import Expression, expression, floor, sum_of

Size: TypeAlias = "Expression | int"


class Fact(NamedTuple):
    """A relation of an index, and its operands.

    It is ``below`` a bound, ``at`` a place, ``mod`` (divisor, rest), or the item of a list has a
    ``kind`` there (list, offset, kind).
    """

    loop: str
    relation: str
    operands: tuple[Any, ...]

    def excludes(self, other: Fact) -> bool:
        """Return whether no index meets both; false if that is not known."""
        if self[:2] != other[:2] or self.operands[:-1] != other.operands[:-1]:
            return False
        one, two = self.operands[-1], other.operands[-1]
        if self.relation == "kind":
            return bool(one != two)
        return self.relation != "below" and bool((expression(one) - two).constant)


Product: TypeAlias = frozenset[Fact]


class Indicator:
    """A polynomial in facts. Facts are 0 or 1, so no power of one is needed."""

    def __init__(self, terms: Mapping[Product, int]) -> None:
        self.terms = {product: number for product, number in terms.items() if number}

    def __mul__(self, other: Indicator) -> Indicator:
        if self is ALWAYS or other is ALWAYS:
            return other if self is ALWAYS else self
        terms: dict[Product, int] = {}
        for one, n in self.terms.items():
            for two, m in other.terms.items():
                if not any(a.excludes(b) for a in one - two for b in two - one):
                    terms[one | two] = terms.get(one | two, 0) + n * m
        return Indicator(terms)

    def __add__(self, other: Indicator) -> Indicator:
        every = [*self.terms, *other.terms]
        return Indicator({p: self.terms.get(p, 0) + other.terms.get(p, 0) for p in every})

    def __sub__(self, other: Indicator) -> Indicator:
        return self + Indicator({product: -number for product, number in other.terms.items()})

    @property
    def settled(self) -> bool | Indicator:
        """True or false if this holds for all items or for none; else this."""
        return self if self.terms and self.terms != ALWAYS.terms else bool(self.terms)

    @property
    def indexes(self) -> list[str]:
        return sorted({fact.loop for product in self.terms for fact in product})


NEVER, ALWAYS = Indicator({}), Indicator({frozenset(): 1})


def fact(index: str, relation: str, *operands: Any) -> Indicator:
    return Indicator({frozenset([Fact(index, relation, operands)]): 1})


class Counter:
    """Counts items. ``at_most`` decides the order of two sizes, and ``kinds`` counts a kind."""

    def __init__(
        self,
        at_most: Callable[[Size, Size], bool],
        kinds: Callable[[str, Any], Size],
    ) -> None:
        self.at_most, self.kinds = at_most, kinds

    def count(self, where: Indicator, lengths: Mapping[str, Size]) -> Expression | None:
        """Return for how many combinations of items it holds, or None without a closed form."""
        total = []
        for product, number in where.terms.items():
            term = expression(number)
            for index, length in lengths.items():
                one = self._count([one for one in product if one.loop == index], length)
                if one is None:
                    return None
                term = term * one
            total.append(term)
        return sum_of(total)

    def _count(self, facts: list[Fact], length: Size) -> Size | None:
        end = length
        for one in facts:
            if one.relation == "below" and self.at_most(one.operands[0], end):
                end = one.operands[0]
        if end is not length and not self.at_most(0, end):
            return 0
        others = [one for one in facts if one.relation != "below"]
        if places := [one.operands[0] for one in others if one.relation == "at"]:
            return self._count_at(places[0], others, end)
        match others:
            case []:
                return end
            case [Fact(relation="mod", operands=(divisor, rest))]:
                if not self.at_most(0, rest):
                    rest = rest + divisor
                if self.at_most(0, rest) and self.at_most(rest + 1, divisor):
                    return floor(expression(end) - rest + divisor - 1, expression(divisor))
            case [Fact(relation="kind", operands=(path, 0, kind))] if end is length:
                return self.kinds(path, kind)
        return None

    def _count_at(self, place: Size, facts: list[Fact], end: Size) -> int | None:
        """Return whether the item at a place meets the facts: 0 or 1."""
        holds = self.at_most(0, place) and self.at_most(place + 1, end)
        for one in facts:
            apart = expression(place) - one.operands[-1]
            if one.relation == "mod":
                apart = apart % one.operands[0]
            if one.relation == "kind":
                return None
            holds = holds and self.at_most(apart, 0) and self.at_most(0, apart)
        return int(holds)
