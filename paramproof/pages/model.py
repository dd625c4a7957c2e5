"""The page of a model, in parts: number, letters, formula, tree, conventions and evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from paramproof.formulas.conventions import as_named
from paramproof.formulas.notation import text
from paramproof.formulas.path import leaf
from paramproof.formulas.printing import legible, shape_text
from paramproof.pages.facts import DTYPE, Active, active_of, dtype_of, facts
from paramproof.pages.picture import colour, kinds, picture, pictures
from paramproof.pages.sizing import choices, form
from paramproof.pages.viewing import MEANINGS, Branch, View, fields_of
from paramproof.resolver import Model
from paramproof.views.conventions import UNDECIDED, conventions_table
from paramproof.views.formula import holds_where, latex_sum, letters_in, letters_table, terms_table
from paramproof.views.html import (
    Html,
    breakable,
    filled,
    html_table,
    joined,
    lines,
    path,
    swatch,
    tag,
)
from paramproof.views.published import verdict_on
from paramproof.views.table import TableRow
from paramproof.views.tree import ties

UNNAMED = "the configuration"
"""The title of a model without a name."""

HEADINGS = {
    "picture": "Where the parameters are",
    "kinds": "One layer of each kind",
    "formula": "Formula",
    "tree": "Tree",
    "conventions": "Conventions",
    "evidence": "Evidence",
}
"""The sections of a page, in order."""

NOTES = {
    "picture": "Areas are numbers of parameters, colours are components of the formula. Click a "
    "component to open it, and use the path to go back. Experts are a grid, in which those of one "
    "token are dark.",
    "kinds": "Bars have one scale. What differs between layers has a bar of its own.",
    "tree": "Click a component or press Enter to unfold it.",
}


def parts(view: View, dtype: str = DTYPE, published: str = "") -> dict[str, Html | None]:
    """Return the parts that change with the sizes and the convention, by name."""
    active = active_of(view.model)
    return {
        "number": _number(view),
        "facts": facts(view, active, dtype, published),
        "kinds": kinds(view),
        "formula": _formula(view),
        "tree": tree(view),
        "conventions": _conventions(view.model, active),
        "evidence": lines([*_evidence(view.model)]),
    }


def title(model: Model) -> str:
    """Return the name of a model, or ``UNNAMED`` for a configuration."""
    return UNNAMED if model.name.startswith("{") or not model.name else model.title


def sections(view: View, dtype: str = "", *, live: bool) -> Html:
    """Return the whole page below its heading, with controls only if it is ``live``."""
    own = view.model
    published = dtype_of(own)
    dtype = dtype or published or DTYPE
    if live:
        controls = form(own, own, view.under, dtype, choices(own, own))
        drawn = picture(view)
    else:
        controls, drawn = _letters(own, fields_of(own)), pictures(view)
    return frame({**parts(view, dtype, published), "picture": drawn, "controls": controls})


FRAME = (
    '<div id="number" aria-live="polite">{number}</div><div id="facts">{facts}</div>'
    '<div class="model"><details class="panel"><summary>Sizes and ways to count</summary>'
    '<div id="controls">{controls}</div></details><div class="sections">{sections}</div></div>'
)
SECTION = (
    '<section aria-labelledby="{name}-heading"><h2 id="{name}-heading">{heading}</h2>{note}'
    '<div id="{name}">{found}</div></section>'
)


def frame(found: Mapping[str, Html | None]) -> Html:
    """Return the elements of all parts, with their content; an element without content is empty."""
    every = []
    for name, heading in HEADINGS.items():
        note = tag("p", NOTES[name], class_="note") if name in NOTES else None
        every.append(filled(SECTION, name=name, heading=heading, note=note, found=found.get(name)))
    own = {name: found.get(name) for name in ("number", "facts", "controls")}
    return filled(FRAME, **own, sections=joined(*every))


def _number(view: View) -> Html:
    number = view.number
    rounded = f" ≈ {as_named(number, 3)}" if number >= 1000 else ""
    return joined(
        tag("p", tag("output", f"{number:,}", id="total"), f" parameters{rounded}", class_="big"),
        tag("p", tag("b", f"{view.under}:"), f" {MEANINGS[view.under]}", class_="note"),
        *(tag("p", line, class_="note") for line in view.model.beside_total()),
    )


FORMULA = (
    '<p class="sum"><code id="sum">{formula}</code></p>'
    '<button type="button" data-copy="sum" hidden>Copy text</button>{letters}{conditions}{terms}'
    '<details><summary>LaTeX</summary><pre id="latex">{latex}</pre>'
    '<button type="button" data-copy="latex" hidden>Copy LaTeX</button></details>'
)


def _formula(view: View) -> Html:
    def first(row: TableRow) -> object:
        name = row.cells[0]
        is_total = row.starts_section
        return name if is_total else joined(swatch(colour(view, leaf(name))), path(legible(name)))

    table = terms_table(view.named, view.model.sizes).only("component", "formula", "total")
    return filled(
        FORMULA,
        formula=text(view.formula),
        letters=_letters(view.model, letters_in(view.model, view.formula)),
        conditions=joined(*(tag("p", one) for one in holds_where(view.model))),
        terms=html_table("Terms by component", table, first=first, class_="stacked"),
        latex=latex_sum(view.named, view.formula),
    )


def _letters(model: Model, names: Iterable[str]) -> Html:
    return html_table("Letters", letters_table(model.architecture, names))


def _conventions(model: Model, active: Active) -> Html:
    table = conventions_table(model.inventory()).only("convention", "count")
    rows, notes = [*table.rows], [*table.notes]
    for convention, one in active.counts.items():
        name = f"active, {convention}"
        rows.append(TableRow((name, one.active if one else UNDECIDED)))
        notes.append(f"{name}: {MEANINGS[name]}")
    return joined(
        html_table("Counts by convention", replace(table, rows=tuple(rows))),
        lines(filter(None, (*notes, *active.lines, active.problem))),
    )


def _evidence(model: Model) -> Iterator[str]:
    if model.named:
        yield f"verdict on the published number: {verdict_on(model.named, model).text}"
    yield from model.origin()
    yield from model.remarks()
    if family := model.architecture.family:
        yield (
            f"formula: written by hand for the family {family}, twice: tensor by tensor "
            "and as one polynomial; compared with every framework that can build it"
        )


HEADS = ("component", "shape", "at these sizes", "each", "×", "total", "share")

MOST_UNFOLDED = 30
"""The most lines that are unfolded at first, beyond the first level."""


def tree(view: View) -> Html:
    """Return the components as nested lists, followed by the tied tensors."""
    whole = view.components
    depth, seen, level = 0, 0, whole.inside
    # As many levels are unfolded at first as fit, not counting tensors.
    while level and (depth == 0 or seen + len(level) <= MOST_UNFOLDED):
        depth, seen = depth + 1, seen + len(level)
        level = [one for part in level for one in part.inside if one.inside]
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
    share = f"{100 * part.total / (view.number or 1):.2f}"
    bar = tag("rect", width=f"{share}%", height="100%", class_=colour(view, part.kind))
    return tag(
        "span",
        tag("span", breakable(name), class_="name", title=title),
        *(
            tag("span", tag("span", f"{head} ", class_="of") if one else None, one)
            for head, one in zip(HEADS[1:-1], numbers, strict=True)
        ),
        tag("span", tag("svg", bar, class_="bar", aria_hidden="true"), f" {share} %"),
        class_=f"line d{min(depth, 9)}",
    )
