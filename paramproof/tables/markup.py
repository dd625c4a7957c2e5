"""Make HTML from text. All escaping happens in this module."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

VOID = frozenset({"input", "link", "meta", "wbr"})
"""Elements without content."""


class Html(str):
    """Markup, which goes into a page unchanged; any other text is escaped."""

    __slots__ = ()


def joined(*parts: object) -> Html:
    """Join parts, escaping all that are not markup and skipping None."""
    return Html("".join(_escaped(part) for part in parts if part is not None))


def tag(name: str, /, *parts: object, **attributes: object) -> Html:
    """Return an element: ``tag("a", "text", href="#x", class_="link")``.

    An attribute is left out if it is None or False, and has no value if it is True. In its name,
    ``_`` stands for ``-``; a trailing ``_``, as in ``class_``, is dropped.
    """
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{_text(value)}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    end = "" if name in VOID else f"{joined(*parts)}</{name}>"
    return Html(f"<{name}{written}>{end}")


def path(dotted: str) -> Html:
    """Return a path of dotted names, marked up as code."""
    return tag("code", breakable(dotted))


def breakable(name: str) -> Html:
    """Return a name that may be wrapped between its words."""
    first, *words = re.split(r"(?<=[._/])", name)
    return joined(first, *(joined(tag("wbr"), word) for word in words))


def swatch(kind: str | None) -> Html:
    """Return a small sample of a class's colour."""
    rect = tag("rect", width="100%", height="100%", class_=kind)
    return tag("svg", rect, class_="swatch", aria_hidden="true")


def lines(texts: Iterable[object]) -> Html:
    """Return lines of text as a list."""
    return tag("ul", *(tag("li", one) for one in texts), class_="lines")


def _escaped(part: object) -> str:
    return part if isinstance(part, Html) else _text(part)


def _text(value: object) -> str:
    return html.escape(str(value))
