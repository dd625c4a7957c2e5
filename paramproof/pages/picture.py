"""A picture of a model, in which area is parameters: a component opens, and leads back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import quote

from paramproof.pages.markup import Html, joined, tag
from paramproof.pages.treemap import Box, squarified
from paramproof.pages.viewing import Branch, View

SHEET = Box(0, 0, 1000, 480)

ROOM = (90, 44)
"""What is less wide or high than this is not taken apart."""

MATRIX = 0.9
"""The share of its unit from which on a matrix stands for all of it."""

COLOURS = 7
"""Classes ``c0`` …, for what has the most parameters, the next …; the last for all the rest."""

THIN = 0.5
"""What is thinner is not drawn."""

LETTER, LINE = 9, 20
"""Width and height that a letter takes."""


class Cell(NamedTuple):
    """A component that is not taken apart further: its names below what is opened, and its box."""

    names: tuple[str, ...]
    component: Branch
    box: Box


def picture(view: View, at: str = "") -> Html:
    """Return the picture opened at a component, or else at the whole; a link is ``#at=…``."""
    return _opened(view, view.components, at, lambda path: f"#at={quote(path)}")


def pictures(view: View) -> Html:
    """Return the picture opened at each component that has parts: the address chooses, by ``#``."""
    whole = view.components
    opened = (one for one in whole.below() if one.parts or one is whole)
    found = (
        tag("div", _opened(view, whole, one.path, _place), id=_place(one.path)[1:])
        for one in opened
    )
    return tag("div", *found, class_="pictures")


def colour(view: View, kind: str) -> str | None:
    """Return the class of what lies in a component of the sum of this name."""
    return f"c{min(view.colours[kind], COLOURS - 1)}" if kind else None


def cells(component: Branch, box: Box, names: tuple[str, ...]) -> Iterator[Cell]:
    """Yield what a component consists of, with boxes that fill its own; no part where it is small.

    A unit that is nearly all one matrix is not taken apart. What could not be seen has an empty
    box.
    """
    parts = component.parts if box.width >= ROOM[0] and box.height >= ROOM[1] else []
    if component.is_unit and parts and parts[0].total > MATRIX * component.total:
        parts = []
    if not parts:
        yield Cell(names, component, box)
    for part, its in zip(parts, squarified([one.total for one in parts], box), strict=True):
        yield from cells(part, its, (*names, part.name))


def _place(path: str) -> str:
    return f"#at-{quote(path)}"


def _opened(view: View, whole: Branch, at: str, link: Callable[[str], str]) -> Html:
    way = whole.way(at)
    crumbs = [tag("a", one.name, href=link(one.path), data_at=one.path) for one in way]
    between = [crumbs[0], *(part for one in crumbs[1:] for part in (" › ", one))]
    opened = way[-1]
    links = {one.path: link(one.path) for one in opened.first_apart().parts if one.parts}
    drawn = tag(
        "svg",
        *_linked(view, opened, whole.total, links),
        viewBox=f"0 0 {SHEET.width} {SHEET.height}",
        role="group",
        aria_label=f"Components of {opened.name}, area is parameters",
    )
    said = f": {opened.total:,}, {_share(opened, whole.total)}" if opened is not whole else None
    return joined(tag("p", *between, said, class_="way"), drawn)


def _linked(view: View, opened: Branch, whole: int, links: dict[str, str]) -> Iterator[Html]:
    """Yield the parts of what is opened; one that has parts itself is a link that opens it."""
    parts = opened.first_apart().parts or [opened]
    # A convention may count nothing.
    parts = [one for one in parts if one.total]
    for part, box in zip(parts, squarified([one.total for one in parts], SHEET), strict=True):
        if not _is_seen(box):
            continue
        drawn = (_cell(view, cell, whole) for cell in cells(part, box, (part.name,)))
        yield tag("g", *drawn, class_="cells", aria_hidden="true")
        said = _said(part, whole)
        edge = _rect(box, tag("title", said), class_="edge")
        if part.path in links:
            at = {"href": links[part.path], "data_at": part.path}
            yield tag("a", edge, **at, aria_label=said, class_="cell")
        else:
            yield tag("g", edge, role="img", aria_label=said, class_="cell")


def _cell(view: View, cell: Cell, whole: int) -> Html | None:
    box, component = cell.box, cell.component
    if not _is_seen(box):
        return None
    rect = _rect(box, class_=colour(view, component.largest_kind()))
    room = int((box.width - 12) / LETTER)
    if room <= 3 or box.height <= LINE + 4:
        return rect
    ends = (" › ".join(cell.names[start:]) for start in range(len(cell.names)))
    name = cell.names[-1]
    text = next((one for one in ends if len(one) <= room), f"{name[: room - 1]}…")
    number, share = f"{component.total:,}", _share(component, whole)
    fitting = [one for one in (f"{number}, {share}", number, share) if len(one) <= room]
    x, lines = _short(box.x + 8), [text, *fitting[: box.height > 2 * LINE + 4]]
    written = (tag("text", one, x=x, y=_short(box.y + LINE * n)) for n, one in enumerate(lines, 1))
    return joined(rect, *written)


def _is_seen(box: Box) -> bool:
    return min(box.width, box.height) >= THIN


def _said(part: Branch, whole: int) -> str:
    return f"{part.name}: {part.total:,}, {_share(part, whole)}"


def _share(part: Branch, whole: int) -> str:
    return f"{100 * part.total / whole:.2f} %"


def _rect(box: Box, *inside: Html, class_: str | None) -> Html:
    x, y, width, height = map(_short, box)
    return tag("rect", *inside, x=x, y=y, width=width, height=height, class_=class_)


def _short(length: float) -> str:
    return f"{length:.2f}".rstrip("0").rstrip(".")
