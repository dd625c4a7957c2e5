"""The symbols of a family, for everything that computes with them.

Builders refuse a hidden size that is not a multiple of the number of heads. So where H varies, it
is the product A·K of heads and head size, and printing folds A·K into H again. LLaMA has a symbol
for each of the three, and nothing is folded.
"""

from __future__ import annotations

from typing import TypeVar

from paramproof.formulas import FamilyLetters, Spec
from paramproof.formulas.alphabet import BUILT_IN, OrderedLetter
from paramproof.formulas.expression import Expression, expression, letter
from paramproof.formulas.families import printing_order
from paramproof.formulas.spec.protocols import head_size_of
from paramproof.formulas.spec.quantity import INDICATOR, letter_kinds

AnyLetters = TypeVar("AnyLetters", bound=FamilyLetters)


def symbols(letters: type[AnyLetters]) -> AnyLetters:
    """Return the letters of a family as symbols, including its indicators."""
    return letters._make(symbol(letters, name) for name in letters._fields)


def symbol(letters: type[FamilyLetters], name: str) -> Expression:
    """Return the letter ``name`` of a family, which is printed in the order of that family."""
    order = printing_order(letters)
    return letter(name if order is BUILT_IN else OrderedLetter(name, order))


def in_order(one: Expression, letters: type[FamilyLetters]) -> Expression:
    """Return ``one`` with the letters of a family as its symbols, which print in their order."""
    if printing_order(letters) is BUILT_IN:
        return one
    return one.substitute({name: symbol(letters, name) for name in letters._fields})


def sizes_as_symbols(spec: Spec) -> FamilyLetters:
    """Return the letters of ``spec``: sizes as symbols, indicators as the numbers they are."""
    letters = spec.letters()
    return letters._replace(**{n: symbol(type(letters), n) for n in size_letters(type(letters))})


def size_letters(letters: type[FamilyLetters]) -> tuple[str, ...]:
    """Return the letters of a family that are sizes, and no indicators."""
    return tuple(name for name, kind in letter_kinds(letters).items() if kind != INDICATOR)


def heads_only(letters: type[FamilyLetters]) -> bool:
    """Return whether a family has heads and no letter for their size, so that H is A·K."""
    return "A" in letters._fields and "K" not in letters._fields


def with_head_size(letters: AnyLetters) -> AnyLetters:
    """Return ``letters`` with H written as A·K, if a family has heads and no letter K."""
    own = letters._asdict()
    return letters._replace(H=own["A"] * letter("K")) if heads_only(type(letters)) else letters


def folded(one: Expression | int) -> Expression:
    """Return ``one`` with H for each A·K."""
    hidden = letter("H") / (letter("A") * letter("K"))
    total = Expression()
    for powers, number in expression(one).terms.items():
        own = dict(powers)
        times = min(own.get("A", 0), own.get("K", 0))
        total += Expression({powers: number}) * hidden**times
    return total


def sizes_of(spec: Spec) -> dict[str, int]:
    """Return the sizes of ``spec`` by letter, including the head size K if it has heads."""
    own = spec.letters()._asdict()
    sizes = {name: own[name] for name in size_letters(type(spec.letters()))}
    return sizes | {"K": head_size_of(spec)} if "A" in own else sizes
