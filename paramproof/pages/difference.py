"""Compare two to four models: as numbers, as bars, and two of them as formulas, too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from paramproof.algebra.difference import side_by_side
from paramproof.counting.active import ACTIVE, total_and_active
from paramproof.counting.difference import Compared, Difference, difference_of, size_lines
from paramproof.counting.dtypes import size_text
from paramproof.counting.letters import in_letters
from paramproof.formulas.notation import text
from paramproof.formulas.printing import legible, signed
from paramproof.pages.facts import dtype_of
from paramproof.pages.markup import Html, joined, lines, path, row, swatch, table, tag
from paramproof.pages.model import title
from paramproof.pages.sizing import fields_of, has_experts
from paramproof.resolver import Model

LETTERS = "abcd"
"""The names of the models in a link."""

BAR = 9
"""The height of a bar and the gap below it."""

SEEN = 0.005
"""The share of the longest bar from which a bar is drawn."""

Numbers = list[int | None]


def difference(models: Sequence[Model]) -> Html:
    """Return two to four models side by side, component by component."""
    found = difference_of(*models) if len(models) == 2 else None
    rows = [(one.path, [one.first, one.other]) for one in found.rows] if found else _rows(models)
    return joined(
        _headline(found) if found else None,
        _whole(models),
        _components(models, rows, found),
        lines([*size_lines(found)]) if found else _sizes(models),
        lines([f"{title(model)}: {line}" for model in models for line in model.origin()]),
    )


def _rows(models: Sequence[Model]) -> list[tuple[str, Numbers]]:
    lettered = [in_letters(model) for model in models]
    return [
        (
            name,
            [
                None if size is None else size.evaluate(model.sizes)
                for size, model in zip(sizes, lettered, strict=True)
            ],
        )
        for name, sizes in side_by_side(lettered).items()
    ]


def _headline(found: Difference) -> Html:
    return joined(
        tag("p", tag("output", _signed(found.total), id="total"), " parameters", class_="big"),
        tag("p", "B − A = ", tag("code", text(found.total.letters), id="sum"), class_="sum"),
    )


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
        rows.append(row(name, f"{number:,}", _active(model), memory, published))
    heads = ["model", "parameters", "active per token", "memory", "published"]
    return table("Models", heads, rows, class_="n2 n3", id="models")


def _active(model: Model) -> str:
    if not has_experts(model):
        return "all"
    try:
        found = total_and_active(model)[ACTIVE]
    except ValueError:
        found = None
    return f"{found.active:,}" if found else "undecided"


def _components(
    models: Sequence[Model], rows: list[tuple[str, Numbers]], found: Difference | None
) -> Html:
    largest = max((number or 0 for _, numbers in rows for number in numbers), default=0)
    totals: Numbers = [model.inventory().total() for model in models]
    formulas = [*found.rows, found.total] if found else []
    shown = [
        row(
            joined(path(legible(name)), _bars(numbers, largest) if name != "total" else None),
            *_cells(numbers),
            *((_signed(formulas[place]), text(formulas[place].letters)) if found else ()),
        )
        for place, (name, numbers) in enumerate([*rows, ("total", totals)])
    ]
    heads = ["component", *_named(models), *(("difference", "B − A") if found else ())]
    numbered = range(2, len(models) + 2 + bool(found))
    return table(
        "Components of the models, with a bar for each",
        heads,
        shown,
        class_=" ".join(f"n{place}" for place in numbered),
        id="components",
    )


def _sizes(models: Sequence[Model]) -> Html:
    """Return a table of the sizes by field, without those that all models have alike."""
    sizes: list[dict[str, int]] = [
        {field: model.sizes[name] for name, field in fields_of(model).items()} for model in models
    ]
    every = dict.fromkeys(field for one in sizes for field in one)
    rows = [
        row(path(legible(field)), *_cells(one.get(field) for one in sizes))
        for field in every
        if len({one.get(field) for one in sizes}) > 1
    ]
    numbered = " ".join(f"n{place}" for place in range(2, len(models) + 2))
    return table("Sizes that differ", ["field", *_named(models)], rows, class_=numbered, id="sizes")


def _cells(numbers: Iterable[int | None]) -> Iterator[str]:
    return ("-" if number is None else f"{number:,}" for number in numbers)


def _signed(one: Compared) -> str:
    return signed(one.difference) if one.difference else "0"


def _bars(numbers: Numbers, largest: int) -> Html | None:
    """Return a bar for each model, one below the other; None if they are too short to be seen."""
    if max(number or 0 for number in numbers) < SEEN * largest:
        return None
    rects = (
        tag(
            "rect",
            class_=f"bar-{letter}",
            y=place * BAR,
            width=f"{100 * (number or 0) / (largest or 1):.2f}%",
            height=BAR - 1,
        )
        for place, (letter, number) in enumerate(zip(LETTERS, numbers, strict=False))
    )
    return tag("svg", *rects, class_="bars", height=BAR * len(numbers), aria_hidden="true")
