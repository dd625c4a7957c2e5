"""Tables as HTML: for a page, whose style sheet aligns them, and for a notebook, which has none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest

from paramproof.tables.markup import Html, tag
from paramproof.tables.table import Table, TableRow

RIGHT = "text-align:right"


def html_table(
    caption: str,
    table: Table,
    *,
    first: Callable[[TableRow], object] | None = None,
    headings: Sequence[object] = (),
    attributes_of: Sequence[Mapping[str, object]] = (),
    class_: str = "",
    **attributes: object,
) -> Html:
    """Return a table for a page; if it is wide, it scrolls.

    The first column has the headings of the rows, which ``first`` makes from rows. ``headings``
    replace those of the columns, and ``attributes_of`` are the attributes of each row. The class
    names the columns of numbers, as ``n2 n3``.
    """
    heads = headings or [column.heading for column in table.columns]
    of_numbers = [f"n{n}" for n, column in enumerate(table.columns, 1) if column.is_number]
    rows = (
        _row(first(row) if first else cells[0], cells[1:], own or {})
        for row, cells, own in zip_longest(
            table.rows, map(table.written, table.rows), attributes_of
        )
    )
    whole = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", *(tag("th", one, scope="col") for one in heads))),
        tag("tbody", *rows),
        class_=" ".join([*of_numbers, *[class_] * bool(class_)]) or None,
        **attributes,
    )
    return tag("div", whole, class_="wide", tabindex="0", role="region", aria_label=caption)


def _row(heading: object, cells: Sequence[str], attributes: Mapping[str, object]) -> Html:
    others = (tag("td", cell) for cell in cells)
    return tag("tr", tag("th", heading, scope="row"), *others, **attributes)


def notebook_table(table: Table, caption: str = "") -> Html:
    """Return a table whose cells are aligned without a style sheet."""
    styles = [RIGHT if column.is_number else None for column in table.columns]

    def row(element: str, cells: Iterable[str]) -> Html:
        styled = zip(cells, styles, strict=True)
        return tag("tr", *(tag(element, cell, style=style) for cell, style in styled))

    return tag(
        "table",
        tag("caption", caption) if caption else None,
        row("th", (column.heading for column in table.columns)),
        *(row("td", table.written(one)) for one in table.rows),
    )
