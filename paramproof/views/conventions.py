"""A model's count under every convention, and the conventions that give a published number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from paramproof.explanation.number import RoundingMode, read
from paramproof.formulas import Inventory
from paramproof.formulas.conventions import (
    CONVENTIONS,
    MEBI,
    STORAGE,
    Undecided,
    as_named,
    count,
    counted,
    in_units,
)
from paramproof.formulas.printing import signed
from paramproof.views.table import Column, Table, TableRow, numbers

UNDECIDED = "undecided"
"""Printed in place of a number that the names of a derived formula's tensors do not decide."""

DEFAULT = "trainable"
"""The rule of what counts as a parameter, unless another is named."""


def with_storage(names: Iterable[str]) -> tuple[str, ...]:
    """Return conventions with the default rule of what a parameter is, unless they have one."""
    chosen = tuple(dict.fromkeys(names))
    return chosen if STORAGE.keys() & chosen else (DEFAULT, *chosen)


def as_counted(named: Inventory, names: Iterable[str]) -> Inventory:
    """Return what conventions count, each tensor as trainable and not tied, so that all add up.

    Raises ``ValueError`` as ``paramproof.formulas.conventions.count`` does.
    """
    kept = counted(named, *with_storage(names))
    tensors = (replace(one, trainable=True, tied_to=None) for one in kept)
    return replace(kept, tensors=tuple(tensors))


def under_every(
    named: Inventory, conventions: Iterable[str] = CONVENTIONS
) -> dict[str, int | None]:
    """Return the count of a model by convention. Those of PARTS count only trainable tensors.

    A count is None if the convention cannot be decided for a derived formula.
    """
    return {name: number for name, number, _ in _counts(named, conventions)}


def _counts(named: Inventory, conventions: Iterable[str]) -> Iterator[tuple[str, int | None, str]]:
    """Yield the count under each convention, or the reason why it cannot be decided."""
    for name in conventions:
        try:
            yield name, int(count(named, *with_storage([name]))), ""
        except Undecided as error:
            yield name, None, str(error)


def conventions_table(named: Inventory) -> Table:
    """Return the count of a model under every convention, exact and rounded, with its meaning.

    The conventions of one count are one row, with the meanings of all as notes.
    """
    columns = (
        Column("convention", "convention"),
        numbers("count", "count"),
        numbers("10⁶", "millions", in_units),
        numbers("2²⁰", "mebi", lambda number: in_units(number, MEBI)),
        numbers(
            "rounded", "rounded", lambda one: f"{as_named(one)}, {as_named(one, 3)}" if one else "0"
        ),
    )
    counts, alike = [*_counts(named, CONVENTIONS)], dict[int | None, list[str]]()
    for name, number, _ in counts:
        alike.setdefault(number, []).append(name)
    rows = (
        TableRow((", ".join(names), UNDECIDED if number is None else number, *[number] * 3))
        for number, names in alike.items()
    )
    meanings = (f"{name}: {function.__doc__}" for name, function in CONVENTIONS.items())
    return Table.of(columns, rows, [*meanings, *(why for *_, why in counts if why)])


LEFT_OUT: tuple[str, ...] = ("total", "tied-each", "listed")
LEFT_OUT += tuple(f"without-{part}" for part in ("pooler", "positions", "heads", "embeddings"))
"""Conventions that a published total may follow, besides the default, the likeliest first."""


class Verdict(NamedTuple):
    """The verdict on a published number.

    ``conventions`` are the ways of counting that give it, if any. ``how`` is "exact", or tells how
    their counts are rounded to the number or, if none gives it, how it differs from the first.
    """

    conventions: tuple[str, ...]
    how: str

    @property
    def in_full(self) -> str:
        """The verdict in words, with every convention that gives the number."""
        return f"{self.how}: {', '.join(self.conventions)}" if self.conventions else self.how

    @property
    def text(self) -> str:
        """The verdict in words, which names the first convention unless it is the default."""
        under = self.conventions[0] if self.conventions else DEFAULT
        return self.how if under == DEFAULT else f"{self.how}, under {under}"


def verdict(published: str, counts: Mapping[str, int]) -> Verdict:
    """Return the verdict on a number as printed; ``counts`` are by convention, the best first.

    Counts rounded to the printed digits are preferred to counts cut off after them, and those to
    counts rounded to fewer digits. Raises ``ValueError`` if it is not a number.
    """

    def among(holds: Callable[[int], bool]) -> tuple[str, ...]:
        return tuple(name for name, number in counts.items() if holds(number))

    written = read(published)
    if exact := among(lambda number: number == written.exact):
        return Verdict(exact, "exact")
    for reading in written.readings:
        if reading.rounding is RoundingMode.BINARY:  # Nobody publishes parameters in 2²⁰ or 2³⁰.
            continue
        if found := among(reading.__contains__):
            return Verdict(found, reading.says)
    (first, number), *_ = counts.items()
    if written.exact is None:
        return Verdict((), f"no convention gives it; {first} is {number:,}")
    difference = signed(written.exact - number)
    return Verdict((), f"no convention gives it; it differs from {first} by {difference}")


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
