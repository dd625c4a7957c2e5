"""The order in which letters are printed: ``BUILT_IN``, or the order of a plug-in's family.

Printing loads no plug-in. The formulas of a plug-in's family are printed in its own order, because
its letters carry that order: they are ``OrderedLetter``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, Self

from paramproof.formulas.order import merged
from paramproof.formulas.spec import KINDS

Kinds = Mapping[str, str]
"""The kind of each letter, in the order of the family."""


class Alphabet(NamedTuple):
    """The letters of each kind, in the order of the families that have them."""

    indicators: tuple[str, ...]
    layers: tuple[str, ...]
    rows: tuple[str, ...]
    widths: tuple[str, ...]

    @classmethod
    def of(cls, families: Mapping[str, Kinds]) -> Alphabet:
        """Return the letters of ``families``; earlier families take precedence for the order.

        A new letter follows its predecessor in its own family. Raises ``ValueError`` if a letter
        has different kinds in two families.
        """
        owners: dict[str, tuple[str, str]] = {}
        for family, kinds in families.items():
            for letter, kind in kinds.items():
                owner, other = owners.setdefault(letter, (family, kind))
                if kind != other:
                    raise ValueError(
                        f"the letter {letter} of {family} is {kind}, but {other} in {owner}: "
                        "a letter must have the same kind in all families"
                    )
        return cls(*(tuple(merged(_of_kind(kind, families.values()))) for kind in KINDS))

    @property
    def factors(self) -> tuple[str, ...]:
        """The order of letters in a product, as in V·H."""
        return (*self.indicators, *self.layers, *self.rows, *self.widths)

    @property
    def summands(self) -> tuple[str, ...]:
        """The order of letters that sorts terms of the same degree, as in 3·H + V."""
        return (*self.indicators, *self.layers, *self.widths, *self.rows)


BUILT_IN = Alphabet(
    indicators=("shared", "learned", "bias", "pooler", "mlm", "untied", "nsp"),
    layers=("N", "M", "L"),
    rows=("V", "U", "P", "T"),
    widths=("H", "A", "G", "K", "F"),
)
"""The letters of the families in this package; other letters follow them, sorted by name."""


class OrderedLetter(str):
    """A letter of a plug-in's family, with the order in which its formulas are printed.

    It equals the plain string of the same name.
    """

    __slots__ = ("order",)

    order: Alphabet

    def __new__(cls, name: str, order: Alphabet) -> Self:
        """Return the letter ``name``."""
        letter = super().__new__(cls, name)
        letter.order = order
        return letter

    def __getnewargs__(self) -> tuple[str, Alphabet]:  # type: ignore[override]
        """Return the arguments of ``__new__``, so that a copy keeps the order."""
        return str(self), self.order


def order_of(letters: Iterable[str]) -> Alphabet:
    """Return the order that one of ``letters`` carries, or ``BUILT_IN`` if none does."""
    orders = (letter.order for letter in letters if isinstance(letter, OrderedLetter))
    return next(orders, BUILT_IN)


def _of_kind(kind: str, families: Iterable[Kinds]) -> Iterator[list[str]]:
    """Yield the letters of one kind in each family."""
    for kinds in families:
        yield [name for name, own in kinds.items() if own == kind]
