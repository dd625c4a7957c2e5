"""One layer of each kind: a bar for each, whose segments are the parts of the layer."""

from __future__ import annotations

from collections.abc import Iterator

from paramproof.formulas.path import LAYER, leaf, parent
from paramproof.formulas.printing import legible
from paramproof.pages.picture import colour, experts_text
from paramproof.pages.viewing import Branch, View
from paramproof.views.html import Html, breakable, joined, tag

MOST = 12
"""The most kinds of layers that are shown, the largest first."""


def kinds(view: View) -> Html | None:
    """Return a bar for each kind of layers, all at one scale; None for a model without layers."""
    found = sorted(_stacks(view.components), key=lambda one: -one.total // one.times)[:MOST]
    if not found:
        return None
    largest = found[0].total // found[0].times
    return tag("ul", *(_kind(view, one, largest) for one in found), class_="kinds")


def _stacks(component: Branch) -> Iterator[Branch]:
    """Yield the kinds of layers, but not the layers inside others."""
    for part in component.inside:
        if part.row is not None and leaf(part.row.path) == LAYER:
            yield part
        else:
            yield from _stacks(part)


def _kind(view: View, layer: Branch, largest: int) -> Html:
    times, whole = layer.times, layer.total // layer.times
    assert layer.row is not None
    stack = tag("small", breakable(legible(parent(layer.row.path))))
    shown = list(_parts(layer))
    segments, x = [], 0.0
    for part in shown:
        width = 100 * part.total / times / largest
        segments.append(_segment(x, width, colour(view, part.largest_kind())))
        if part.experts and part.experts.per_token < part.experts.every:
            active = width * part.experts.per_token / part.experts.every
            segments.append(_segment(x + active, width - active, "pale"))
        x += width
    return tag(
        "li",
        tag("p", tag("b", layer.name), " ", stack, f": {whole:,} each"),
        tag("svg", *segments, class_="layer", aria_hidden="true"),
        tag("p", *_described(shown, times), class_="note"),
    )


def _segment(x: float, width: float, kind: str | None) -> Html:
    return tag("rect", x=f"{x:.3f}%", width=f"{width:.3f}%", height="100%", class_=kind)


def _parts(component: Branch) -> Iterator[Branch]:
    """Yield the parts of a layer, without the levels that have a single part.

    A part that has experts among others is taken apart, too.
    """
    for part in component.parts:
        has_others = any(one.experts for one in part.below()) and not part.experts
        if has_others or (len(part.inside) == 1 and part.inside[0].inside):
            yield from _parts(part)
        else:
            yield part


def _described(parts: list[Branch], times: int) -> Iterator[Html]:
    for place, part in enumerate(parts):
        number = f"{part.total // times:,}"
        one = f" ({experts_text(part)})" if part.experts else ""
        before = "; " if place else ""
        yield joined(before, tag("span", f"{part.name} {number}"), one)
