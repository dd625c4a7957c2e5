"""The report of a comparison: two totals and the rows that differ, as data and as text.

Every difference has a row with its size, so the differences of the rows always add up to the
difference of the totals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

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
    "missing", "unexpected", "wrong name", "wrong shape", "wrong trainability", "wrong count"
]
Shape: TypeAlias = tuple[int, ...]

HEADINGS = ("component", "what", "expected", "native", "observed", "difference", "")

EQUAL = "every tensor is as the formula says"
"""The last line of a report without a difference."""


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

    ``formula`` and ``actual`` count trainable parameters, with tied ones counted once, and
    ``frozen`` those of the model that are not trainable. ``about`` is a line that names what was
    expected, and ``notes`` are lines on what is not a difference.
    """

    formula: int
    actual: int
    rows: tuple[Row, ...]
    frozen: int = 0
    about: str = ""
    notes: tuple[str, ...] = ()

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Report:
        """Return the report that ``as_data`` wrote, with its totals and rows alone."""
        return cls(data["formula"], data["actual"], tuple(map(_row, data["rows"])))

    def as_data(self) -> dict[str, Any]:
        """Return the totals, their difference and the rows as data for ``json.dumps``."""
        totals = {"formula": self.formula, "actual": self.actual, "difference": self.difference}
        return totals | {"rows": [asdict(row) for row in self.rows]}

    @property
    def difference(self) -> int:
        """The total of the model minus that of the formula."""
        return self.actual - self.formula

    @property
    def equal(self) -> bool:
        """Whether every tensor, and so the total, is as the formula says."""
        return not self.rows and not self.difference

    def render(self, width: int | None = None) -> str:
        """Return this report as text: what is expected, totals, notes, and the rows that differ.

        Rows that differ only in the layer share one line, with their number. After
        ``MAX_ROWS_SHOWN`` lines, a last line has the number of further lines and the sum of their
        differences. Cells are folded if the table is wider than ``width``.
        """
        lines = [self.about, totals(self.actual, self.formula), *self.notes]
        rows = self._table(width) if self.rows else [EQUAL] if self.equal else []
        return "\n".join(line for line in [*lines, *rows] if line)

    def _table(self, width: int | None) -> list[str]:
        groups = self.groups()
        table = [HEADINGS, *map(_cells, groups[:MAX_ROWS_SHOWN])]
        if rest := groups[MAX_ROWS_SHOWN:]:
            difference = signed(sum(map(_sum, rest)))
            table.append((f"and {len(rest):,} more", "", "", "", "", difference, ""))
        return aligned(table, width)

    def groups(self) -> list[list[Row]]:
        """Return the rows in groups: those of one group differ only in the layer."""
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


def _row(data: Mapping[str, Any]) -> Row:
    """Return a row with its shapes as tuples, which JSON turns into lists."""
    shapes = {key: data[key] and tuple(data[key]) for key in ("expected", "observed")}
    return Row(**{**data, **shapes})
