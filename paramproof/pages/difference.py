"""Compare two models: as formulas, as numbers, and as bars."""

from __future__ import annotations

from paramproof.counting.difference import Compared, difference_of, size_lines
from paramproof.formulas.notation import text
from paramproof.formulas.printing import legible, signed
from paramproof.pages.markup import Html, joined, lines, path, row, swatch, table, tag
from paramproof.pages.model import title
from paramproof.resolver import AnyModel

BARS = ("first", "other")


def difference(first: AnyModel, other: AnyModel) -> Html:
    """Return how the second model differs from the first, component by component."""
    models = (first, other)
    found = difference_of(first, other)
    rows = [*found.rows, found.total]
    largest = max(max(one.first or 0, one.other or 0) for one in rows[:-1])
    more = rows[-1].letters
    named = [
        joined(swatch(kind), f"{letter}: {title(model)}")
        for kind, letter, model in zip(BARS, "AB", models, strict=True)
    ]
    return joined(
        tag("p", tag("output", _signed(rows[-1]), id="total"), " parameters", class_="big"),
        tag("p", "B − A = ", tag("code", text(more), id="sum"), class_="sum"),
        lines([*size_lines(found)]),
        table(
            "Components of both models (upper bar: A, lower bar: B)",
            ["component", "bars", "B − A", *named, "difference"],
            [_row(one, largest) for one in rows],
            class_="n4 n5 n6",
        ),
        lines([f"{title(model)}: {line}" for model in models for line in model.origin()]),
    )


def _row(one: Compared, largest: int) -> Html:
    numbers = (one.first, one.other)
    bars = _bars(numbers, largest) if one.path != "total" else ""
    shown = ("-" if number is None else f"{number:,}" for number in numbers)
    return row(path(legible(one.path)), bars, text(one.letters), *shown, _signed(one))


def _signed(one: Compared) -> str:
    return signed(one.difference) if one.difference else "0"


def _bars(numbers: tuple[int | None, int | None], largest: int) -> Html:
    """Return a bar for each model, one below the other."""
    rects = (
        tag(
            "rect", class_=kind, y=y, width=f"{100 * (number or 0) / (largest or 1):.2f}%", height=8
        )
        for kind, y, number in zip(BARS, (0, 9), numbers, strict=True)
    )
    return tag("svg", *rects, class_="bars", aria_hidden="true")
