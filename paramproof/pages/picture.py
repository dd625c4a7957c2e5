"""A picture of a model, in which area is parameters: a component opens, and leads back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import quote

from paramproof.pages.markup import Html, joined, tag
from paramproof.pages.treemap import Box, squarified
from paramproof.pages.viewing import Component

SHEET = Box(0, 0, 1000, 480)

LEVELS = 4
"""So many levels of components are taken apart at once."""

COLOURS = 7
"""Classes ``c0`` …, for the largest cell, the next, and so on in turn."""

LEAST = 1
"""What is thinner is not drawn."""

LETTER, LINE = 9, 20
"""Width and height that a letter takes."""


class Cell(NamedTuple):
    """A component that is not taken apart further: its names below what is opened, and its box."""

    names: tuple[str, ...]
    component: Component
    box: Box


def picture(whole: Component, at: str = "") -> Html:
    """Return the picture opened at a component, or else at the whole; a link is ``#at=…``."""
    return _opened(whole, at, lambda path: f"#at={quote(path)}")


def pictures(whole: Component) -> Html:
    """Return the picture opened at each component that has parts: the address chooses, by ``#``."""
    opened = (one for one in whole.below() if one.parts or one is whole)
    found = (
        tag("div", _opened(whole, one.path, _place), id=_place(one.path)[1:]) for one in opened
    )
    return tag("div", *found, class_="pictures")


def _place(path: str) -> str:
    return f"#at-{quote(path)}"


def _opened(whole: Component, at: str, link: Callable[[str], str]) -> Html:
    way = whole.way(at)
    crumbs = [tag("a", one.name, href=link(one.path), data_at=one.path) for one in way]
    between = [crumbs[0], *(part for one in crumbs[1:] for part in (" › ", one))]
    opened = way[-1]
    links = {one.path: link(one.path) for one in opened.first_apart().parts if one.parts}
    drawn = tag(
        "svg",
        *_linked(opened, whole.total, links),
        viewBox=f"0 0 {SHEET.width} {SHEET.height}",
        role="group",
        aria_label=f"Components of {opened.name}, area is parameters",
    )
    return joined(tag("p", *between), drawn)


def cells(component: Component, box: Box, levels: int, names: tuple[str, ...]) -> Iterator[Cell]:
    """Yield what a component consists of, with boxes that fill its own.

    What has a single part is one with it, and counts as no level.
    """
    parts = component.parts if levels else ()
    if not parts:
        yield Cell(names, component, box)
    for part, its in zip(parts, squarified([one.total for one in parts], box), strict=True):
        yield from cells(part, its, levels - (len(parts) > 1), (*names, part.name))


def _linked(opened: Component, whole: int, links: dict[str, str]) -> Iterator[Html]:
    """Yield the parts of what is opened; one that has parts itself is a link that opens it."""
    parts = opened.first_apart().parts or [opened]
    # A convention may count nothing.
    parts = [one for one in parts if one.total]
    boxes = [*squarified([one.total for one in parts], SHEET)]
    inner = [
        [*cells(part, box, LEVELS - 1, (part.name,))]
        for part, box in zip(parts, boxes, strict=True)
    ]
    sizes = sorted({cell.component.total for row in inner for cell in row}, reverse=True)
    for part, box, row in zip(parts, boxes, inner, strict=True):
        if min(box.width, box.height) < LEAST:
            continue
        drawn = (_cell(cell, sizes.index(cell.component.total), whole) for cell in row)
        yield tag("g", *drawn, class_="cells", aria_hidden="true")
        said = _said(part.name, part, whole)
        edge = _rect(box, tag("title", said), class_="edge")
        if part.path in links:
            at = {"href": links[part.path], "data_at": part.path}
            yield tag("a", edge, **at, aria_label=said, class_="cell")
        else:
            yield tag("g", edge, role="img", aria_label=said, class_="cell")


def _cell(cell: Cell, place: int, whole: int) -> Html | None:
    box = cell.box
    if min(box.width, box.height) < LEAST:
        return None
    said = _said(" › ".join(cell.names), cell.component, whole)
    rect = _rect(box, class_=f"c{place % COLOURS}")
    room = int((box.width - 8) / LETTER)
    if room <= 3 or box.height <= LINE:
        return rect
    name = cell.names[-1]
    fitting = (one for one in (said, _said(name, cell.component, whole), name) if len(one) <= room)
    label = next(fitting, f"{name[: room - 1]}…")
    return joined(rect, tag("text", label, x=_short(box.x + 6), y=_short(box.y + 18)))


def _said(name: str, component: Component, whole: int) -> str:
    return f"{name}: {component.total:,}, {100 * component.total / whole:.2f} %"


def _rect(box: Box, *inside: Html, class_: str) -> Html:
    x, y, width, height = map(_short, box)
    return tag("rect", *inside, x=x, y=y, width=width, height=height, class_=class_)


def _short(length: float) -> str:
    return f"{length:.2f}".rstrip("0").rstrip(".")
