"""The tree of a model: components that can be folded, with their shapes, numbers and shares."""

from __future__ import annotations

from paramproof.formulas.notation import text
from paramproof.formulas.printing import legible, shape_text
from paramproof.pages.picture import colour
from paramproof.pages.viewing import Branch, View
from paramproof.views.html import Html, breakable, joined, tag
from paramproof.views.tree import ties

HEADS = ("component", "shape", "at these sizes", "each", "×", "total", "share")

MOST_UNFOLDED = 30
"""The most lines that are unfolded at first, beyond the first level."""


def tree(view: View) -> Html:
    """Return the components as nested lists, followed by the tied tensors."""
    whole = view.components
    depth = _unfolded(whole)
    heads = (tag("span", one) for one in HEADS)
    total = _line(view, whole, [whole.name, "", "", "", "", f"{whole.total:,}"])
    tied = [*ties(view.model.inventory())]
    return joined(
        tag("div", *heads, class_="line heads", aria_hidden="true"),
        tag("ul", *(_branch(view, one, 1, depth) for one in whole.inside), tag("li", total)),
        tag("p", "; ".join(f"tied: {one}" for one in tied)) if tied else None,
    )


def _branch(view: View, part: Branch, depth: int, unfolded: int) -> Html:
    line = _line(view, part, _cells(view, part), depth)
    if not part.inside:
        return tag("li", line)
    below = tag("ul", *(_branch(view, one, depth + 1, unfolded) for one in part.inside))
    is_open = depth < unfolded and not part.is_unit
    summary = tag("summary", line)
    return tag("li", tag("details", summary, below, open=is_open, data_path=part.path))


def _cells(view: View, part: Branch) -> list[str]:
    assert part.row is not None
    row = part.row
    # A folded component that has only tensors shows their shapes.
    shown = part.inside if part.is_unit else [part]
    shapes = [one.row.tensor.shape for one in shown if one.row and one.row.tensor]
    return [
        part.name,
        " + ".join(shape_text(map(text, shape)) for shape in shapes),
        " + ".join(shape_text(map(view.at, shape)) for shape in shapes),
        f"{view.at(row.each):,}",
        f"{view.at(row.times):,}",
        f"{part.total:,}",
    ]


def _line(view: View, part: Branch, cells: list[str], depth: int = 1) -> Html:
    """Return a line, whose numbers have labels for screen readers."""
    name, *numbers = cells
    title = legible(part.row.path) if part.row else None
    whole = view.number or 1
    return tag(
        "span",
        tag("span", breakable(name), class_="name", title=title),
        *(
            tag("span", tag("span", f"{head} ", class_="of") if one else None, one)
            for head, one in zip(HEADS[1:-1], numbers, strict=True)
        ),
        tag("span", _bar(view, part, whole), f" {100 * part.total / whole:.2f} %"),
        class_=f"line d{min(depth, 9)}",
    )


def _bar(view: View, part: Branch, whole: int) -> Html:
    width = f"{100 * part.total / whole:.2f}%"
    rect = tag("rect", width=width, height="100%", class_=colour(view, part.kind))
    return tag("svg", rect, class_="bar", aria_hidden="true")


def _unfolded(whole: Branch) -> int:
    """Return how many levels are unfolded at first: as many as fit, not counting tensors."""
    depth, seen, level = 0, 0, whole.inside
    while level and (depth == 0 or seen + len(level) <= MOST_UNFOLDED):
        depth, seen = depth + 1, seen + len(level)
        level = [one for part in level for one in part.inside if one.inside]
    return depth
