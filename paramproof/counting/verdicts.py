"""Verdicts on published numbers: the way of counting that gives a number as it was printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from paramproof.counting.conventions import DEFAULT, under_every
from paramproof.explanation.number import RoundingMode, read
from paramproof.formulas import Inventory
from paramproof.formulas.printing import signed

LEFT_OUT = (
    "total",
    "tied-each",
    "listed",
    "without-pooler",
    "without-positions",
    "without-heads",
    "without-embeddings",
)
"""Conventions that a published total may follow, besides the default, the likeliest first."""


class Verdict(NamedTuple):
    """The verdict on a published number.

    ``conventions`` are the ways of counting that give it, if any. ``how`` tells how their counts
    are rounded to the number, or if none gives it, how the number differs from the first.
    ``is_exact`` is set if a count is the number itself.
    """

    conventions: tuple[str, ...]
    how: str
    is_exact: bool = False

    @property
    def in_full(self) -> str:
        """The verdict in words, with every convention that gives the number."""
        return f"{self.how}: {', '.join(self.conventions)}" if self.conventions else self.how

    @property
    def text(self) -> str:
        """The verdict in words, which names the first convention unless it is the default."""
        under = "" if not self.conventions else self.conventions[0]
        return self.how if under in ("", DEFAULT) else f"{self.how}, under {under}"


def verdict(published: str, counts: Mapping[str, int]) -> Verdict:
    """Return the verdict on a number as printed; ``counts`` are by convention, the best first.

    Counts rounded to the printed digits are preferred to counts cut off after them, and those to
    counts rounded to fewer digits. Raises ``ValueError`` if it is not a number.
    """
    written = read(published)
    if exact := _among(counts, lambda number: number == written.exact):
        return Verdict(exact, "exact", is_exact=True)
    for reading in written.readings:
        if reading.rounding is RoundingMode.BINARY:  # Nobody publishes parameters in 2²⁰ or 2³⁰.
            continue
        if found := _among(counts, reading.__contains__):
            return Verdict(found, reading.says)
    (first, number), *_ = counts.items()
    if written.exact is None:
        return Verdict((), f"no convention gives it; {first} is {number:,}")
    difference = signed(written.exact - number)
    return Verdict((), f"no convention gives it; it differs from {first} by {difference}")


def _among(counts: Mapping[str, int], holds: Callable[[int], bool]) -> tuple[str, ...]:
    return tuple(convention for convention, number in counts.items() if holds(number))


def verdict_on_total(published: str, named: Inventory) -> Verdict:
    """Return the verdict on a published number of all parameters of a model.

    Trainable parameters, however rounded, come before the counts under other conventions.
    """
    counts = totals(named)
    plainly = verdict(published, {DEFAULT: counts[DEFAULT]})
    return plainly if plainly.conventions else verdict(published, counts)


def totals(named: Inventory) -> dict[str, int]:
    """Return the counts that a published total may mean, by convention, if they are decided."""
    found = under_every(named, (DEFAULT, *LEFT_OUT))
    return {name: number for name, number in found.items() if number is not None}
