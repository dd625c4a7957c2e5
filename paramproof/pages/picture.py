"""The picture of a model: a treemap whose components open.

Areas are numbers of parameters. The treemap is squarified: Bruls, Huizing and van Wijk 2000,
"Squarified treemaps".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import log
from typing import NamedTuple
from urllib.parse import quote

from paramproof.formulas.printing import legible
from paramproof.pages.markup import filled
from paramproof.pages.viewing import Branch, Experts, View
from paramproof.views.html import Html, joined, swatch, tag


class Box(NamedTuple):
    """A rectangle: its upper left corner, its width and its height."""

    x: float
    y: float
    width: float
    height: float


SHEET = Box(0, 0, 1000, 480)

ROOM = (90, 44)
"""The smallest width and height of a box that is divided into parts."""

MATRIX = 0.9
"""If a unit's largest tensor has more than this share of it, the tensor is drawn for all of it."""

COLOURS = 7
"""The number of colour classes: ``c0`` for the largest component, the last for all the rest."""

LEAST = 1
"""The smallest area that is drawn, since a smaller one could not be seen."""

THIN = 0.5
"""The smallest width or height of a box that is drawn."""

LETTER, LINE = 10, 20
"""The width and height of a letter."""

LARGE = 20
"""The width of a letter on a phone, where the style sheet makes the text larger."""


class Cell(NamedTuple):
    """A component that is not divided further, with its names below the opened one, and its box."""

    names: tuple[str, ...]
    component: Branch
    box: Box


def squarified(sizes: Sequence[int], box: Box) -> Iterator[Box]:
    """Yield a box for each size, the largest first; their areas are proportional and fill ``box``.

    Boxes are laid out in rows along the shorter side of what is left: a row takes in the next box
    unless that makes its worst box narrower. Sizes too small to be seen come last, and are empty.
    """
    whole, every = sum(sizes), box.width * box.height
    areas = [size * every / whole for size in sizes]
    seen = [area for area in areas if area >= LEAST]
    left = box
    while seen:
        x, y, width, height = left
        side, row = min(width, height), 1
        while row < len(seen) and _worst(seen[: row + 1], side) <= _worst(seen[:row], side):
            row += 1
        across, along = sum(seen[:row]) / side, 0.0
        for area in seen[:row]:
            length = area / across
            upright = Box(x, y + along, across, length)
            yield upright if height <= width else Box(x + along, y, length, across)
            along += length
        del seen[:row]
        upright = Box(x + across, y, width - across, height)
        left = upright if height <= width else Box(x, y + across, width, height - across)
    for _ in range(sum(area < LEAST for area in areas)):
        yield Box(box.x, box.y, 0, 0)


def _worst(row: Sequence[float], side: float) -> float:
    """Return the largest ratio of sides of the boxes in a row that is ``side`` long."""
    across = sum(row) / side
    return max(max(area / across / across, across * across / area) for area in row)


def picture(view: View, at: str = "") -> Html:
    """Return the treemap of a component, or of the whole model; its links are ``#at=…``."""
    drawn = _opened(view, view.components, at, lambda path: f"#at={quote(path)}")
    return joined(drawn, _legend(view))


def still(view: View) -> Html:
    """Return what is drawn in the treemap of the whole model, without links."""
    whole = view.components
    return joined(*(_cell(view, cell, whole.total) for cell in cells(whole, SHEET, ())))


def pictures(view: View) -> Html:
    """Return the treemaps of all components with parts; the fragment of the URL selects one."""
    whole = view.components
    opened = (one for one in whole.below() if one.parts or one is whole)
    found = (
        tag("div", _opened(view, whole, one.path, _place), id=_place(one.path)[1:])
        for one in opened
    )
    return joined(tag("div", *found, class_="pictures"), _legend(view))


def _legend(view: View) -> Html:
    """Return what the colours mean and, if there are experts, the shades."""
    names = [*view.colours]
    parts = [joined(swatch(colour(view, one)), legible(one)) for one in names[: COLOURS - 1]]
    if len(names) >= COLOURS:
        parts.append(joined(swatch(f"c{COLOURS - 1}"), "others"))
    if any(one.experts for one in view.components.below()):
        parts.append(Html("grid: all experts; dark: those that a token is sent to"))
    return tag("ul", *(tag("li", one) for one in parts), class_="legend")


def colour(view: View, kind: str) -> str | None:
    """Return the colour class of a component of the sum, by its name."""
    return f"c{min(view.colours[kind], COLOURS - 1)}" if kind else None


def cells(component: Branch, box: Box, names: tuple[str, ...]) -> Iterator[Cell]:
    """Yield the cells of a component, whose boxes fill its own; a small box is not divided.

    A unit that consists nearly of a single matrix is not divided either, nor are experts, which are
    drawn as a grid. Parts too small to be seen have an empty box.
    """
    parts = component.parts
    is_matrix = component.is_unit and parts[0].total > MATRIX * component.total
    if is_matrix or component.experts or box.width < ROOM[0] or box.height < ROOM[1]:
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
    total = f": {opened.total:,}, {_share(opened, whole.total)}" if opened is not whole else None
    drawn = joined(*_linked(view, opened, whole.total, link))
    return filled("treemap", way=joined(*between, total), name=opened.name, drawn=drawn)


def _linked(view: View, opened: Branch, whole: int, link: Callable[[str], str]) -> Iterator[Html]:
    """Yield the parts of the opened component, and the experts inside them.

    Those with parts of their own are links.
    """
    parts = opened.first_apart().parts or [opened]
    parts = [one for one in parts if one.total]  # A convention may count nothing.
    for part, box in zip(parts, squarified([one.total for one in parts], SHEET), strict=True):
        if not _is_seen(box):
            continue
        inside = [*cells(part, box, (part.name,))]
        drawn = (_cell(view, cell, whole) for cell in inside)
        yield tag("g", *drawn, class_="cells", aria_hidden="true")
        experts = [(one.component, one.box) for one in inside if one.component.experts]
        shown = [one for one in experts if one[0].parts and one[0] is not part]
        for one, its in [(part, box), *shown]:
            label = f"{one.name}: {one.total:,}, {_share(one, whole)}"
            edge = _rect(its, tag("title", label), class_="edge")
            if one.parts:
                at = {"href": link(one.path), "data_at": one.path}
                yield tag("a", edge, **at, aria_label=label, class_="cell")
            else:
                yield tag("g", edge, role="img", aria_label=label, class_="cell")


def _cell(view: View, cell: Cell, whole: int) -> Html | None:
    box, component = cell.box, cell.component
    if not _is_seen(box):
        return None
    rect = _rect(box, class_=colour(view, component.largest_kind()))
    if component.experts:
        rect = joined(rect, *_grid(component.experts, box))
    if not (text := _label(cell, LETTER)):
        return rect
    number, share = f"{component.total:,}", _share(component, whole)
    fitting = [one for one in (f"{number}, {share}", number, share) if _fits(one, box)]
    lines = [text, *fitting[: box.height > 2 * LINE + 4]]
    if component.experts:
        lines += [one for one in (experts_text(component),) if _fits(one, box)]
    x, y = _short(box.x + 8), box.y + LINE
    written = [tag("text", one, x=x, y=_short(y + LINE * n)) for n, one in enumerate(lines)]
    if large := _label(cell, LARGE):
        written.append(tag("text", large, x=x, y=_short(y + LINE / 2), class_="large"))
    return joined(rect, *written)


def _label(cell: Cell, letter: int) -> str:
    """Return as many of the last names as fit, or the beginning of the last one, or ""."""
    names, box = cell.names, cell.box
    room = int((box.width - 12) / letter)
    if room <= 3 or box.height <= LINE * letter / LETTER + 4:
        return ""
    ends = (" › ".join(names[start:]) for start in range(len(names)))
    return next((one for one in ends if len(one) <= room), f"{names[-1][: room - 2]}…")


def _fits(line: str, box: Box) -> bool:
    return len(line) * LETTER <= box.width - 12


def experts_text(component: Branch) -> str:
    """Return how many experts a token is sent to, and what one of them has in a layer."""
    assert component.experts is not None
    every, per_token = component.experts
    one = component.total // (component.times * every)
    return f"{per_token:,} of {every:,} per token; one has {one:,}"


def _grid(experts: Experts, box: Box) -> Iterator[Html]:
    """Yield a grid with a cell for each expert; those that a token is not sent to are pale."""
    columns, rows = _columns(experts.every, box)
    width, height = box.width / columns, box.height / rows
    whole, rest = divmod(experts.per_token, columns)
    right = Box(box.x + rest * width, box.y + whole * height, (columns - rest) * width, height)
    top = box.y + (whole + 1) * height
    below = Box(box.x, top, box.width, max(0, box.y + box.height - top))
    yield from (
        _rect(one, class_="pale") for one in (right, below) if one.y < box.y + box.height - 1
    )
    down, across = f"v{_short(box.height)}", f"h{_short(box.width)}"
    at = [f"M{_short(box.x + n * width)} {_short(box.y)}{down}" for n in range(columns)]
    at += [f"M{_short(box.x)} {_short(box.y + n * height)}{across}" for n in range(rows)]
    yield tag("path", d="".join(at), class_="grid")


def _columns(number: int, box: Box) -> tuple[int, int]:
    """Return the columns and rows of a grid of ``number`` cells that are nearly square."""
    divisors = [one for one in range(1, number + 1) if number % one == 0]
    columns = min(divisors, key=lambda one: abs(log(one * one * box.height / number / box.width)))
    return columns, number // columns


def _is_seen(box: Box) -> bool:
    return min(box.width, box.height) >= THIN


def _share(part: Branch, whole: int) -> str:
    return f"{100 * part.total / whole:.2f} %"


def _rect(box: Box, *inside: Html, class_: str | None) -> Html:
    x, y, width, height = map(_short, box)
    return tag("rect", *inside, x=x, y=y, width=width, height=height, class_=class_)


def _short(length: float) -> str:
    return f"{length:.2f}".rstrip("0").rstrip(".")
