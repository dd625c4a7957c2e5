"""A table as data: columns, rows and notes. Views make it, and renderers write it.

Markdown and records for JSON are written here. The renderers for a terminal and for HTML, which do
more, are modules of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from paramproof.formulas.printing import signed

PLAIN = (int, float, str, type(None))
"""The types of cells that JSON has."""


def grouped(cell: int | str) -> str:
    return cell if isinstance(cell, str) else f"{cell:,}"


def signed_or_zero(number: int) -> str:
    """Return a difference with its sign: ``+1,024``, ``−1,024``, ``0``."""
    return signed(number) if number else "0"


def percent(share: float) -> str:
    return f"{share:.2f} %"


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, its name in JSON, and how its cells are written.

    ``form`` writes a cell for readers, and ``absent`` is written for None. A column of numbers is
    aligned right, and Markdown marks up one of code. A narrow terminal breaks texts between words
    and after the dots of names, but not those of a column that ``is_whole``; if that is not enough,
    it leaves out columns that are ``is_optional``.
    """

    heading: str
    key: str = ""
    form: Callable[[Any], str] = grouped
    is_whole: bool = False
    is_optional: bool = False
    is_number: bool = False
    is_code: bool = False
    absent: str = ""

    def write(self, cell: object) -> str:
        return self.absent if cell is None else self.form(cell)


def numbers(
    heading: str, key: str = "", form: Callable[[Any], str] = grouped, **how: Any
) -> Column:
    """Return a column of numbers, which are never broken; ``how`` are fields of ``Column``."""
    return Column(heading, key, form, is_whole=True, is_number=True, **how)


@dataclass(frozen=True, slots=True)
class TableRow:
    """The cells of a row: numbers as numbers, None for nothing.

    ``level`` is the indentation of the first cell. A row that ``starts_section`` stands apart from
    the rows above it.
    """

    cells: tuple[Any, ...]
    level: int = 0
    is_bold: bool = False
    starts_section: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Columns, rows, and notes, which are lines below the table."""

    columns: tuple[Column, ...]
    rows: tuple[TableRow, ...]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, columns: Iterable[Column], rows: Iterable[TableRow], notes: Iterable[str] = ()
    ) -> Table:
        return cls(tuple(columns), tuple(rows), tuple(notes))

    def only(self, *keys: str) -> Table:
        """Return the table with the columns of these keys, in this order."""
        places = {column.key: place for place, column in enumerate(self.columns)}
        return self._at([places[key] for key in keys])

    def without_empty(self) -> Table:
        """Return the table without the columns that have only None."""
        every = range(len(self.columns))
        return self._at([i for i in every if any(row.cells[i] is not None for row in self.rows)])

    def narrower(self) -> Iterator[Table]:
        """Yield the table with fewer of its optional columns: each alone left out, then all."""
        optional = [i for i, column in enumerate(self.columns) if column.is_optional]
        for left_out in [*([i] for i in reversed(optional)), optional]:
            yield self._at([i for i in range(len(self.columns)) if i not in left_out])

    def _at(self, places: Sequence[int]) -> Table:
        rows = (replace(row, cells=tuple(row.cells[i] for i in places)) for row in self.rows)
        return Table.of([self.columns[i] for i in places], rows, self.notes)

    def written(self, row: TableRow) -> list[str]:
        return [column.write(cell) for column, cell in zip(self.columns, row.cells, strict=True)]

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the rows for JSON, by the keys of their columns; formulas become text."""
        for row in self.rows:
            yield {
                column.key: cell if isinstance(cell, PLAIN) else column.form(cell)
                for column, cell in zip(self.columns, row.cells, strict=True)
            }


def markdown(table: Table) -> str:
    """Return a table as Markdown, without its notes and without a final line end."""
    rows = (
        [
            f"`{cell}`" if one.is_code and cell else cell
            for one, cell in zip(table.columns, row, strict=True)
        ]
        for row in map(table.written, table.rows)
    )
    rule = ["---:" if column.is_number else "---" for column in table.columns]
    return markdown_rows([column.heading for column in table.columns], rows, rule)


def markdown_rows(
    headings: Sequence[str], rows: Iterable[Iterable[str]], rule: Sequence[str] | None = None
) -> str:
    """Return a table of cells of Markdown; ``rule`` is the line below the headings."""
    cells = ([cell.replace("|", r"\|") for cell in row] for row in rows)
    lines = [headings, rule or ["---"] * len(headings), *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
