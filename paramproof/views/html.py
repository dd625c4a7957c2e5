"""HTML: elements, of which all text is escaped here, and tables.

The style sheet of a page aligns its tables. A notebook has none, so there each cell has its own.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from paramproof.tables import Table, TableRow


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
    rows = []
    for place, row in enumerate(table.rows):
        heading, *cells = table.written(row)
        own = attributes_of[place] if attributes_of else {}
        head = tag("th", first(row) if first else heading, scope="row")
        rows.append(tag("tr", head, *(tag("td", cell) for cell in cells), **own))
    whole = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", *(tag("th", one, scope="col") for one in heads))),
        tag("tbody", *rows),
        class_=" ".join([*of_numbers, *[class_] * bool(class_)]) or None,
        **attributes,
    )
    return tag("div", whole, class_="wide", tabindex="0", role="region", aria_label=caption)


def notebook_table(table: Table, caption: str = "") -> Html:
    """Return a table whose cells are aligned without a style sheet."""
    styles = ["text-align:right" if column.is_number else None for column in table.columns]

    def row(element: str, cells: Iterable[str]) -> Html:
        styled = zip(cells, styles, strict=True)
        return tag("tr", *(tag(element, cell, style=style) for cell, style in styled))

    return tag(
        "table",
        tag("caption", caption) if caption else None,
        row("th", (column.heading for column in table.columns)),
        *(row("td", table.written(one)) for one in table.rows),
    )


VOID = frozenset({"input", "link", "meta", "wbr"})
"""Elements without content."""


class Html(str):
    """Markup, which goes into a page unchanged; any other text is escaped."""

    __slots__ = ()


def joined(*parts: object) -> Html:
    """Join parts, escaping all that are not markup and skipping None."""
    texts = (part if isinstance(part, Html) else _text(part) for part in parts if part is not None)
    return Html("".join(texts))


def tag(name: str, /, *parts: object, **attributes: object) -> Html:
    """Return an element: ``tag("a", "text", href="#x", class_="link")``.

    An attribute is left out if it is None or False, and has no value if it is True. In its name,
    ``_`` becomes ``-``; a trailing ``_``, as in ``class_``, is dropped.
    """
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{_text(value)}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    end = "" if name in VOID else f"{joined(*parts)}</{name}>"
    return Html(f"<{name}{written}>{end}")


def path(dotted: str) -> Html:
    return tag("code", breakable(dotted))


def breakable(name: str) -> Html:
    """Return a name that may be wrapped between its words."""
    first, *words = re.split(r"(?<=[._/])", name)
    return joined(first, *(joined(tag("wbr"), word) for word in words))


def swatch(kind: str | None) -> Html:
    rect = tag("rect", width="100%", height="100%", class_=kind)
    return tag("svg", rect, class_="swatch", aria_hidden="true")


def lines(texts: Iterable[object]) -> Html:
    return tag("ul", *(tag("li", one) for one in texts), class_="lines")


def _text(value: object) -> str:
    return html.escape(str(value))
