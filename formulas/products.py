"""Products of powers of letters and other atoms: the terms of expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from paramproof.formulas.expression import Expression


class Opaque(Protocol):
    """An atom of a product that is not a letter: a rounded quotient or a ``Computed`` number."""

    def evaluate(self, sizes: Mapping[str, int]) -> int | Fraction:
        """Return the value at these sizes."""
        ...

    @property
    def is_whole(self) -> bool:
        """Whether this is a whole number at all sizes."""
        ...

    def substitute(self, values: Mapping[str, Expression | int | Fraction]) -> Expression:
        """Return the expression with expressions or numbers substituted for some letters."""
        ...

    @property
    def letters(self) -> frozenset[str]:
        """The letters that occur in this atom."""
        ...

    @property
    def key(self) -> str:
        """A text that is unique to this atom."""
        ...


Atom: TypeAlias = "str | Opaque"
"""The name of a letter, a quotient, or a ``Computed`` number."""

Powers: TypeAlias = tuple[tuple[Atom, int], ...]
"""A product: atoms with nonzero powers; letters sorted by name, then other atoms."""


def multiplied(left: Powers, right: Powers) -> Powers:
    """Return the product of two products."""
    if not (left and right):
        return left or right
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
    """Return a sort key for products: by degree, then by the powers of their first atoms.

    Multiplication preserves this order (it is a monomial order), as polynomial division requires.
    """
    atoms = sorted({atom for powers in products for atom, _ in powers}, key=atom_key)

    def key(powers: Powers) -> tuple[int, list[int]]:
        own = dict(powers)
        return sum(own.values()), [own.get(atom, 0) for atom in atoms]

    return key


def atom_key(atom: Atom) -> tuple[bool, str]:
    """Return a key that sorts letters by name, and other atoms after them."""
    return (False, atom) if isinstance(atom, str) else (True, atom.key)
