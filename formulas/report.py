"""The report of a comparison: two totals and the rows that differ, as data and as text.

Every difference has a row with its size, so the differences of the rows always add up to the
difference of the totals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

from paramproof.formulas.columns import Cells, aligned
from paramproof.formulas.path import starred
from paramproof.formulas.printing import (
    MAX_NOTE_SHOWN,
    MAX_ROWS_SHOWN,
    MINUS,
    legible,
    shape_text,
    signed,
)

RowKind: TypeAlias = Literal[
    "missing", "unexpected", "wrong shape", "wrong trainability", "wrong count"
]
Shape: TypeAlias = tuple[int, ...]

T = TypeVar("T")

DIFFERENCE = "difference"
HEADINGS = ("component", "what", "expected", "native", "observed", DIFFERENCE, "")


@dataclass(frozen=True, slots=True)
class Row:
    """One difference between formula and model.

    ``difference`` is what the row adds to the trainable total, observed − expected. ``expected`` is
    the stored shape that the formula expects, None if it expects no tensor. ``native`` and
    ``observed`` are the framework's path and shape, None if the framework has no tensor.
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
        """The path with ``*`` in place of the numbers of layers."""
        return starred(self.path)


@dataclass(frozen=True, slots=True)
class Report:
    """The totals, and the rows that differ; ``equal`` if there are none.

    ``formula`` and ``actual`` count trainable parameters, with tied ones counted once.
    """

    formula: int
    actual: int
    rows: tuple[Row, ...]

    @property
    def difference(self) -> int:
        """The total of the model minus that of the formula."""
        return self.actual - self.formula

    @property
    def equal(self) -> bool:
        """Whether every tensor, and so the total, is as the formula says."""
        return not self.rows and not self.difference

    def render(self, spec: object, width: int | None = None) -> str:
        """Return this report as text: a spec to paste, both totals, and the rows that differ.

        Rows that differ only in the layer share one line, with their number. After
        ``MAX_ROWS_SHOWN`` lines, a last line has the number of further lines and the sum of their
        differences. Cells are folded if the table is wider than ``width``.
        """
        lines = [f"spec = {spec!r}", totals(self.actual, self.formula)]
        if self.equal:
            return "\n".join([*lines, "every tensor is as the formula says"])
        return "\n".join([*lines, *bounded(HEADINGS, self._groups(), _cells, _sum, width)])

    def _groups(self) -> list[list[Row]]:
        groups: dict[tuple[object, ...], list[Row]] = {}
        for row in self.rows:
            key = (row.component, row.kind, row.expected, row.observed)
            groups.setdefault(key, []).append(row)
        return list(groups.values())


def _cells(rows: list[Row]) -> Cells:
    row = rows[0]
    many = len(rows) > 1
    native = legible(row.native or "-")
    return (
        f"{legible(row.component)} (x{len(rows)})" if many else legible(row.path),
        row.kind,
        legible(shape_text(row.expected)),
        f"{native} ..." if many and row.native else native,
        legible(shape_text(row.observed)),
        signed(_sum(rows)),
        legible(row.note, MAX_NOTE_SHOWN),
    )


def _sum(rows: list[Row]) -> int:
    return sum(row.difference for row in rows)


def totals(actual: int, formula: int) -> str:
    """Return both totals and their difference as one line."""
    difference = signed(actual - formula) if actual != formula else "0"
    return f"actual {actual:,} {MINUS} formula {formula:,} = {difference}"


def bounded(
    headings: Cells,
    rows: Sequence[T],
    cells: Callable[[T], Cells],
    difference: Callable[[T], int],
    width: int | None = None,
) -> list[str]:
    """Return the lines of a table with at most ``MAX_ROWS_SHOWN`` rows.

    A last row has the number of further rows and the sum of their differences.
    """
    table = [headings, *map(cells, rows[:MAX_ROWS_SHOWN])]
    rest = rows[MAX_ROWS_SHOWN:]
    if rest:
        line = dict.fromkeys(headings, "")
        line[headings[0]] = f"and {len(rest):,} more"
        line[DIFFERENCE] = signed(sum(map(difference, rest)))
        table.append(tuple(line.values()))
    return aligned(table, width)
