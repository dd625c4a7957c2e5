"""Verdicts on published numbers: the way to count that gives one at its printed precision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from paramproof.explanation.number import RoundingMode, read
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


class Verdict(NamedTuple):
    """What is true of a published number.

    ``conventions`` are the ways to count that give it, none where no way does; ``how`` says how
    their counts become the number, or what the number has more than the first way's.
    """

    conventions: tuple[str, ...]
    how: str

    @property
    def in_full(self) -> str:
        """The verdict in words, with every convention that gives the number."""
        return f"{self.how}: {', '.join(self.conventions)}" if self.conventions else self.how

    @property
    def text(self) -> str:
        """The verdict in words, where the first convention goes without saying."""
        under = "" if not self.conventions else self.conventions[0]
        return self.how if under in ("", DEFAULT) else f"{self.how}, under {under}"


def verdict(published: str, counts: Mapping[str, int]) -> Verdict:
    """Return the verdict on a number as it is printed; ``counts`` are by convention, best first.

    What is rounded to the digits that are printed comes before what is cut off behind them, and
    that before what has zeros that may be rounded. Raises ``ValueError`` where it is not a number.
    """
    written = read(published)
    if exact := _among(counts, lambda number: number == written.exact):
        return Verdict(exact, "exact")
    for reading in written.readings:
        if reading.rounding is RoundingMode.BINARY:  # Nobody publishes parameters in 2²⁰ or 2³⁰.
            continue
        if found := _among(counts, reading.__contains__):
            return Verdict(found, reading.says)
    (first, number), *_ = counts.items()
    if written.exact is None:
        return Verdict((), f"no convention gives it; {first} is {number:,}")
    return Verdict((), f"no convention gives it; {signed(written.exact - number)} to {first}")


def _among(counts: Mapping[str, int], holds: Callable[[int], bool]) -> tuple[str, ...]:
    return tuple(convention for convention, number in counts.items() if holds(number))


def verdict_on_total(published: str, named: Inventory) -> Verdict:
    """Return the verdict on a published number of all parameters of a model.

    The trained ones, however they were rounded, come before what other conventions count.
    """
    counts = totals(named)
    plainly = verdict(published, {DEFAULT: counts[DEFAULT]})
    return plainly if plainly.conventions else verdict(published, counts)


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
