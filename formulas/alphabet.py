"""The letters of all families in one order: that in which products and sums are printed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

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
