"""The order in which products and sums are printed: ``BUILT_IN``, or that of a family from outside.

Printing loads no family from outside. A family from outside is printed in its own order, because
its letters carry it: they are ``OrderedLetter``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, Self

from paramproof.formulas.spec.quantity import KINDS

Kinds = Mapping[str, str]
"""Letter to kind, in the family's order."""


class Alphabet(NamedTuple):
    """The letters of each kind. Within a kind they are in the order that families have them in."""

    indicators: tuple[str, ...]
    layers: tuple[str, ...]
    rows: tuple[str, ...]
    widths: tuple[str, ...]

    @classmethod
    def of(cls, families: Mapping[str, Kinds]) -> Alphabet:
        """Return the letters of ``families``, of which the first decide on the order.

        A letter that is new stands behind the one before it in its family. Raises ``ValueError``
        where it is of one kind in one family and of another in another.
        """
        owners: dict[str, tuple[str, str]] = {}
        for family, kinds in families.items():
            for letter, kind in kinds.items():
                owner, other = owners.setdefault(letter, (family, kind))
                if kind != other:
                    raise ValueError(
                        f"the letter {letter} of {family} is {kind}, and {other} in {owner}: "
                        "a letter is of one kind in all families"
                    )
        return cls(*(_in_order(families.values(), kind) for kind in KINDS))

    @property
    def factors(self) -> tuple[str, ...]:
        """The order of letters in a product, as in V·H."""
        return (*self.indicators, *self.layers, *self.rows, *self.widths)

    @property
    def summands(self) -> tuple[str, ...]:
        """The order of letters by which terms of one degree are sorted, as in 3·H + V."""
        return (*self.indicators, *self.layers, *self.widths, *self.rows)


BUILT_IN = Alphabet(
    indicators=("shared", "learned", "bias", "pooler", "mlm", "untied", "nsp"),
    layers=("N", "M", "L"),
    rows=("V", "U", "P", "T"),
    widths=("H", "A", "G", "K", "F"),
)
"""The letters of the families in this package; any other letter follows them by name."""


class OrderedLetter(str):
    """A letter of a family from outside, with the order in which its formulas are printed.

    It equals the string that has the same name.
    """

    __slots__ = ("order",)

    order: Alphabet

    def __new__(cls, name: str, order: Alphabet) -> Self:
        """Return the letter ``name``."""
        one = super().__new__(cls, name)
        one.order = order
        return one

    def __getnewargs__(self) -> tuple[str, Alphabet]:  # type: ignore[override]
        """Return what ``__new__`` takes, so that a copy has the order too."""
        return str(self), self.order


def order_of(letters: Iterable[str]) -> Alphabet:
    """Return the order that one of ``letters`` carries, or ``BUILT_IN`` if none does."""
    found = (one.order for one in letters if isinstance(one, OrderedLetter))
    return next(found, BUILT_IN)


def _in_order(families: Iterable[Kinds], kind: str) -> tuple[str, ...]:
    """The letters of one kind."""
    order: list[str] = []
    for kinds in families:
        place = 0
        for letter in (name for name, own in kinds.items() if own == kind):
            if letter not in order:
                order.insert(place, letter)
            place = order.index(letter) + 1
    return tuple(order)
