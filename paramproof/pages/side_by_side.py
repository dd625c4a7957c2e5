"""Compare two to four models: as numbers, as bars, and two of them as formulas, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from paramproof.bytes import size_text
from paramproof.formulas.printing import legible
from paramproof.pages.model import active_of, dtype_of, title
from paramproof.pages.viewing import fields_of
from paramproof.resolver import Model
from paramproof.tables import Column, Table, TableRow, numbers, signed_or_zero
from paramproof.views.conventions import ACTIVE, UNDECIDED, shown_first
from paramproof.views.difference import Difference, components, difference_of, paired
from paramproof.views.html import Html, html_table, joined, lines, path, swatch, tag

LETTERS = "abcd"
"""The names of the models in a link."""

BAR = 9
"""The height of a bar and the gap below it."""

TOTAL = "total"
"""The name of the row that adds up the components, which has no bars."""

SEEN = 0.005
"""The share of the longest bar from which a bar is drawn."""


def difference(models: Sequence[Model]) -> Html:
    """Return two to four models side by side, component by component."""
    found = difference_of(*models) if len(models) == 2 else None
    table = found.table() if found else _several(models)
    return joined(
        *(_headline(found) if found else _alike(models)),
        _whole(models),
        _components(models, table),
        _sizes(models),
        lines([f"{title(model)}: {line}" for model in models for line in model.origin()]),
    )


def _several(models: Sequence[Model]) -> Table:
    """Return a table of the components of three or four models."""
    found = components(paired([one.architecture for one in models]))
    rows = [
        TableRow((name, *(None if size is None else int(size) for size in sizes)))
        for name, sizes in found.items()
    ]
    total = TableRow((TOTAL, *(model.inventory().total() for model in models)))
    return Table.of(_columns("component", models), [*rows, total])


def _columns(first: str, models: Sequence[Model]) -> Iterator[Column]:
    yield Column(first, form=legible)
    yield from (numbers(title(model), absent="-") for model in models)


def _headline(found: Difference) -> Iterator[Html]:
    number = signed_or_zero(found.total.difference)
    yield tag("p", tag("output", number, id="total"), " parameters", class_="big")
    yield from (tag("p", cause, class_="sum") for cause in found.causes())


def _alike(models: Sequence[Model]) -> Iterator[Html]:
    first, *others = zip(LETTERS.upper(), models, strict=False)
    alike = [one for one, other in others if difference_of(first[1], other).has_one_formula]
    if alike:
        letters = " and ".join(["A", *alike])
        yield tag("p", f"{letters} have the same formula; the sizes differ", class_="sum")


def _named(models: Sequence[Model]) -> list[Html]:
    return [
        joined(swatch(f"bar-{letter}"), f"{letter.upper()}: {title(model)}")
        for letter, model in zip(LETTERS, models, strict=False)
    ]


def _whole(models: Sequence[Model]) -> Html:
    """Return a table of the models: parameters, active ones, memory, the published number."""
    rows = []
    for model, name in zip(models, _named(models), strict=True):
        number, dtype = model.inventory().total(), dtype_of(model)
        memory = f"{size_text(number, dtype)}, {dtype}" if dtype else "precision unknown"
        published = model.named.published if model.named else "-"
        rows.append(TableRow((name, number, _active(model), memory, published)))
    columns = [Column("model"), numbers("parameters"), numbers("active per token")]
    columns += [Column("memory"), Column("published")]
    return html_table("Models", Table.of(columns, rows), id="models")


def _active(model: Model) -> int | str:
    counts, _ = active_of(model)
    convention, found = shown_first(counts) if counts else ("", None)
    if found is None:
        return UNDECIDED if counts else "all"
    return found.active if convention == ACTIVE else f"{found.active:,} ({convention})"


def _components(models: Sequence[Model], table: Table) -> Html:
    number = len(models) + 1
    sizes = {row.cells[0]: row.cells[1:number] for row in table.rows}
    largest = max((size or 0 for name in sizes if name != TOTAL for size in sizes[name]), default=0)

    def first(row: TableRow) -> Html:
        name = row.cells[0]
        bars = _bars(sizes[name], largest) if name != TOTAL else None
        return joined(path(legible(name)), bars)

    others = (column.heading for column in table.columns[number:])
    return html_table(
        "Components of the models, with a bar for each",
        table,
        first=first,
        headings=["component", *_named(models), *others],
        id="components",
    )


def _sizes(models: Sequence[Model]) -> Html:
    """Return a table of the sizes by field, without those that all models have alike."""
    sizes: list[dict[str, int]] = [
        {field: model.sizes[name] for name, field in fields_of(model).items()} for model in models
    ]
    every = dict.fromkeys(field for one in sizes for field in one)
    found = ((field, *(one.get(field) for one in sizes)) for field in every)
    rows = (TableRow(cells) for cells in found if len({*cells[1:]}) > 1)
    return html_table(
        "Sizes that differ",
        Table.of(_columns("field", models), rows),
        first=lambda row: path(legible(row.cells[0])),
        headings=["field", *_named(models)],
        id="sizes",
    )


def _bars(sizes: Sequence[int | None], largest: int) -> Html | None:
    """Return a bar for each model, one below the other; None if they are too short to be seen."""
    if max(size or 0 for size in sizes) < SEEN * largest:
        return None
    rects = []
    for place, (letter, size) in enumerate(zip(LETTERS, sizes, strict=False)):
        box = {"width": f"{100 * (size or 0) / (largest or 1):.2f}%", "height": BAR - 1}
        rects.append(tag("rect", class_=f"bar-{letter}", y=place * BAR, **box))
    return tag("svg", *rects, class_="bars", height=BAR * len(sizes), aria_hidden="true")
