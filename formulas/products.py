"""Products of letters with powers, which the terms of an expression are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from paramproof.formulas.expression import Expression


class Opaque(Protocol):
    """What stands in a product like a letter: a rounded quotient, or a number computed in steps."""

    def evaluate(self, sizes: Mapping[str, int]) -> int | Fraction:
        """Return its value at these sizes."""
        ...

    @property
    def is_whole(self) -> bool:
        """Whether it is a whole number at all sizes."""
        ...

    def substitute(self, values: Mapping[str, Expression | int | Fraction]) -> Expression:
        """Return the expression with others in place of some letters."""
        ...

    @property
    def letters(self) -> frozenset[str]:
        """The letters that occur in it."""
        ...

    @property
    def key(self) -> str:
        """Return a text that no other one has."""
        ...


Atom: TypeAlias = "str | Opaque"
"""A letter by its name, a quotient, or a number that Python computes in steps."""

Powers: TypeAlias = tuple[tuple[Atom, int], ...]
"""A product: atoms, each with a power that is not 0, letters by name and then quotients."""


def multiplied(left: Powers, right: Powers) -> Powers:
    """Return the product of two products."""
    powers = dict(left)
    for atom, power in right:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted(((a, p) for a, p in powers.items() if p), key=lambda one: atom_key(one[0])))


def inverted(powers: Powers) -> Powers:
    """Return 1 / ``powers``."""
    return tuple((atom, -power) for atom, power in powers)


def shared(products: Iterable[Powers]) -> Powers:
    """Return the largest product that divides each of ``products``."""
    first, *others = map(dict, products)
    lowest = {
        atom: min(power, *(other.get(atom, 0) for other in others)) if others else power
        for atom, power in first.items()
    }
    return tuple((atom, power) for atom, power in lowest.items() if power > 0)


def order(products: Iterable[Powers]) -> Callable[[Powers], tuple[int, list[int]]]:
    """Return a key that sorts products of these atoms by degree, then by their first atoms.

    It is kept by multiplication, as a division of polynomials needs.
    """
    atoms = sorted({atom for powers in products for atom, _ in powers}, key=atom_key)

    def key(powers: Powers) -> tuple[int, list[int]]:
        own = dict(powers)
        return sum(own.values()), [own.get(atom, 0) for atom in atoms]

    return key


def atom_key(atom: Atom) -> tuple[bool, str]:
    """Return a key that sorts letters by name, and quotients after them."""
    return (False, atom) if isinstance(atom, str) else (True, atom.key)
