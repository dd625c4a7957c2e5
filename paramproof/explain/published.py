"""The verdict on a published number: which way to count gives it, at the precision it is printed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from paramproof.explain.number import RoundedReading, read
from paramproof.formulas import Inventory
from paramproof.formulas.conventions import PARTS, Undecided, count
from paramproof.formulas.printing import signed

DEFAULT = "trainable"
LEFT_OUT = (
    "total",
    "tied-each",
    "listed",
    "without-pooler",
    "without-positions",
    "without-heads",
    "without-embeddings",
)
"""Conventions that a published total may be of, after the default, those that say most first."""

BINARY = "in 2"


class Verdict(NamedTuple):
    """What is true of a published number.

    ``convention`` is the way to count that gives it, "" where none does; ``how`` says how the
    count becomes the number, or what the number has more than the first convention's count.
    """

    convention: str
    how: str

    @property
    def holds(self) -> bool:
        """Whether some convention gives the number."""
        return bool(self.convention)


def verdict(published: str, counts: Mapping[str, int]) -> Verdict:
    """Return the verdict on a number as it is printed; ``counts`` are by convention, best first.

    What is rounded to the digits that are printed comes before what is cut off behind them, and
    that before what has zeros that may be rounded. Raises ``ValueError`` for what is no number.
    """
    written = read(published)
    for convention, number in counts.items():
        if number == written.exact:
            return Verdict(convention, "exact")
    for reading in filter(_is_decimal, written.readings):
        for convention, number in counts.items():
            if number in reading:
                return Verdict(convention, reading.says)
    (first, number), *_ = counts.items()
    if written.exact is None:
        return Verdict("", f"no convention gives it; {first} is {number:,}")
    return Verdict("", f"{signed(written.exact - number)} to {first}")


def totals(named: Inventory) -> dict[str, int]:
    """Return the counts that a published total may be, by convention, as far as they are known."""
    found: dict[str, int] = {}
    for convention in (DEFAULT, *LEFT_OUT):
        storage = (DEFAULT,) if convention in PARTS else ()
        try:
            found[convention] = count(named, *storage, convention)
        except Undecided:
            continue
    return found


def _is_decimal(reading: RoundedReading) -> bool:
    return BINARY not in reading.says
