"""What a comparison found: two totals and the rows that differ, as data and as text.

The differences of the rows always add up to the difference of the totals: whatever differs
has a row, and the row says by how much.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from paramproof.formulas.path import starred
from paramproof.formulas.printing import shape_text

RowKind: TypeAlias = Literal[
    "missing", "unexpected", "wrong shape", "wrong trainability", "wrong count"
]
Shape: TypeAlias = tuple[int, ...]

HEADINGS = ("component", "what", "expected", "native", "observed", "difference", "")


@dataclass(frozen=True, slots=True)
class Row:
    """One disagreement between formula and model.

    ``difference`` is what it adds to the trainable total. ``expected`` is the stored shape
    that the formula asks for, None where it asks for nothing; ``native`` and ``observed``
    are the framework's path and shape, None where the framework has nothing.
    """

    kind: RowKind
    path: str
    expected: Shape | None
    native: str | None
    observed: Shape | None
    difference: int
    note: str = ""

    @property
    def component(self) -> str:
        """The path with every layer's number written as ``*``."""
        return starred(self.path)


@dataclass(frozen=True, slots=True)
class Report:
    """Totals and the rows that differ; ``equal`` where there are none.

    ``formula`` and ``actual`` count trainable parameters, tied ones once.
    """

    formula: int
    actual: int
    rows: tuple[Row, ...]

    @property
    def difference(self) -> int:
        """actual - formula."""
        return self.actual - self.formula

    @property
    def equal(self) -> bool:
        """Whether every tensor, and so the total, is as the formula says."""
        return not self.rows and not self.difference

    def render(self, spec: object) -> str:
        """Return this report as text: a spec to paste, both totals, only the rows that differ.

        Rows that differ in nothing but the layer are one line, with their number.
        """
        lines = [f"spec = {spec!r}", totals(self.actual, self.formula)]
        if self.equal:
            return "\n".join([*lines, "every tensor is as the formula says"])
        return "\n".join([*lines, *aligned([HEADINGS, *map(_cells, self._alike())])])

    def _alike(self) -> list[list[Row]]:
        groups: dict[tuple[object, ...], list[Row]] = {}
        for row in self.rows:
            key = (row.component, row.kind, row.expected, row.observed)
            groups.setdefault(key, []).append(row)
        return list(groups.values())


def _cells(rows: list[Row]) -> tuple[str, ...]:
    row = rows[0]
    many = len(rows) > 1
    return (
        f"{row.component} (x{len(rows)})" if many else row.path,
        row.kind,
        shape_text(row.expected),
        f"{row.native} ..." if many and row.native else row.native or "-",
        shape_text(row.observed),
        f"{sum(row.difference for row in rows):+,}",
        row.note,
    )


def totals(actual: int, formula: int) -> str:
    """Return both totals and their difference as one line."""
    return f"actual {actual:,} - formula {formula:,} = {actual - formula:+,}"


def aligned(table: list[tuple[str, ...]]) -> list[str]:
    """Return a line for each row, its cells under each other."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]
