"""Tables of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from paramproof.tables.table import Column, Table


def markdown(table: Table) -> str:
    """Return a table as Markdown, without its notes and without a final line end."""
    rule = ["---:" if column.is_number else "---" for column in table.columns]
    headings = [column.heading for column in table.columns]
    rows = (map(_cell, table.columns, table.written(row)) for row in table.rows)
    return markdown_rows(headings, rows, rule)


def _cell(column: Column, text: str) -> str:
    return f"`{text}`" if column.is_code and text else text


def markdown_rows(
    headings: Sequence[str], rows: Iterable[Iterable[str]], rule: Sequence[str] | None = None
) -> str:
    """Return a table of cells of Markdown; ``rule`` is the line below the headings.

    Bars in cells are escaped.
    """
    cells = ([cell.replace("|", r"\|") for cell in row] for row in rows)
    lines = [headings, rule or ["---"] * len(headings), *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
