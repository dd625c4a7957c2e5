"""Count the items of loops for which conditions on their indexes hold, as expressions.

A condition is an indicator: a polynomial that is 1 where it holds and 0 elsewhere. Its variables are
simple relations of one index, the ``Fact``s, so "and" is a product and "not" is 1 minus it. A sum
over the items of a loop is then a sum of products of facts, and many of these have a closed form:
``i < k`` holds k times, ``i % p == r`` holds ⌊(L − r + p − 1)/p⌋ times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeAlias

from paramproof.formulas.expression import Expression, expression, floor, letter, sum_of

Size: TypeAlias = "Expression | int"


class Fact(NamedTuple):
    """A relation of an index: ``below`` a bound, ``at`` a place, ``mod``, or an item's ``kind``.

    ``operands`` are (bound,), (place,), (divisor, rest) or (list, offset, value).
    """

    index: str
    relation: str
    operands: tuple[object, ...]


Product: TypeAlias = frozenset[Fact]


class Indicator:
    """A polynomial in facts. Facts are 0 or 1, so no power of one is needed."""

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[Product, int]) -> None:
        self.terms = {product: n for product, n in terms.items() if n}

    def __mul__(self, other: Indicator) -> Indicator:
        terms: dict[Product, int] = {}
        for one, n in self.terms.items():
            for two, m in other.terms.items():
                if (product := _product(one, two)) is not None:
                    terms[product] = terms.get(product, 0) + n * m
        return Indicator(terms)

    def __add__(self, other: Indicator) -> Indicator:
        terms = dict(self.terms)
        for product, n in other.terms.items():
            terms[product] = terms.get(product, 0) + n
        return Indicator(terms)

    def __sub__(self, other: Indicator) -> Indicator:
        return self + Indicator({product: -n for product, n in other.terms.items()})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Indicator) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __repr__(self) -> str:
        parts = (f"{n}·{'·'.join(map(_text, sorted(p, key=repr)))}" for p, n in self.terms.items())
        return " + ".join(parts) or "0"

    @property
    def constant(self) -> bool | None:
        """Whether this holds for all items or for none; None if it depends on them."""
        if not self.terms:
            return False
        return True if self.terms == {frozenset(): 1} else None


def _text(fact: Fact) -> str:
    return f"{fact.relation}({fact.index}, {', '.join(map(str, fact.operands))})"


ALWAYS = Indicator({frozenset(): 1})
NEVER = Indicator({})


def indicator(holds: bool | Indicator) -> Indicator:
    return holds if isinstance(holds, Indicator) else ALWAYS if holds else NEVER


def fact(index: str, relation: str, *operands: object) -> Indicator:
    return Indicator({frozenset([Fact(index, relation, operands)]): 1})


def _product(one: Product, two: Product) -> Product | None:
    """Return the facts of both, or None if they exclude each other."""
    for a in one - two:
        for b in two - one:
            if a.index != b.index or a.relation != b.relation or a.operands[:-1] != b.operands[:-1]:
                continue
            if a.relation == "kind":
                return None
            if a.relation in ("at", "mod") and _apart(a.operands[-1], b.operands[-1]):
                return None
    return one | two


def _apart(one: object, other: object) -> bool:
    difference = expression(one) - expression(other)  # type: ignore[arg-type]
    return bool(difference.constant)


class Counter:
    """Counts items. What a size decides is asked of ``decide``: whether one is at most another."""

    def __init__(
        self,
        at_most: Callable[[Size, Size], bool],
        kinds: Callable[[object, object], Expression],
        holds: Callable[[Fact, Size], bool],
    ) -> None:
        self.at_most, self.kinds, self.holds = at_most, kinds, holds

    def count(self, where: Indicator, lengths: Mapping[str, Size]) -> Expression | None:
        """Return how many combinations of items ``where`` holds for, or None: no closed form."""
        total = []
        for product, n in where.terms.items():
            number = expression(n)
            for index, length in lengths.items():
                facts = [one for one in product if one.index == index]
                if (found := self._count(facts, length)) is None:
                    return None
                number = number * found
            total.append(number)
        return sum_of(total)

    def _count(self, facts: list[Fact], length: Size) -> Expression | None:
        whole = length
        places = [one for one in facts if one.relation == "at"]
        bounds: list[Size] = [one.operands[0] for one in facts if one.relation == "below"]  # type: ignore[misc]
        others = [one for one in facts if one.relation not in ("at", "below")]
        if places:
            place: Size = places[0].operands[0]  # type: ignore[assignment]
            inside = [self.at_most(0, place), self.at_most(place + 1, length)]
            inside += [self.at_most(place + 1, bound) for bound in bounds]
            inside += [self.at_most(place, at.operands[0]) and self.at_most(at.operands[0], place) for at in places[1:]]  # type: ignore[arg-type]
            return expression(int(all(inside) and all(self.holds(one, place) for one in others)))
        for bound in bounds:
            if self.at_most(bound, length):
                length = bound
        if length is not whole and not self.at_most(0, length):
            length = 0
        match others:
            case []:
                return expression(length)
            case [Fact(relation="mod", operands=(divisor, rest))]:
                return self._of_rest(length, divisor, rest)  # type: ignore[arg-type]
            case [Fact(relation="kind", operands=(of, 0, value))] if length is whole:
                return self.kinds(of, value)
        return expression(0) if length == 0 else None

    def _of_rest(self, length: Size, divisor: Size, rest: Size) -> Expression | None:
        """Return how many i below a length have i ≡ rest (mod divisor)."""
        if divisor == 1:
            return expression(length)
        constants = [expression(one).constant for one in (rest, divisor)]
        if None not in constants:
            rest = int(constants[0]) % int(constants[1])  # type: ignore[arg-type]
        elif not self.at_most(0, rest):
            rest = rest + divisor
        if not (self.at_most(0, rest) and self.at_most(rest + 1, divisor)):
            return None
        return floor(expression(length) - rest + divisor - 1, expression(divisor))


def index_of(one: Iterable[str]) -> list[str]:
    """Return the indexes among letters, the outermost first."""
    return sorted(name for name in one if name.startswith("@"))


def index_letter(variable: int) -> Expression:
    return letter(f"@{variable:02}")
