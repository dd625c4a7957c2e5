"""The page of a model: its number, letters, formula, tree, conventions and evidence, by part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from paramproof.algebra.terms import latex_sum
from paramproof.counting.active import routing
from paramproof.counting.conventions import UNDECIDED, under_every
from paramproof.counting.dtypes import BITS, bytes_text
from paramproof.counting.letters import each_text, letters_of, times_text
from paramproof.counting.published import verdict_on
from paramproof.counting.tree import TreeRow, ties
from paramproof.derive.models import AnyModel, DerivedModel
from paramproof.formulas.conventions import Undecided, as_named
from paramproof.formulas.notation import text
from paramproof.formulas.printing import legible, shape_text
from paramproof.pages.markup import Html, joined, lines, row, table, tag
from paramproof.pages.picture import picture, pictures
from paramproof.pages.sizing import choices, fields_of, has_experts, sizes_of
from paramproof.pages.viewing import ACTIVE, MEANINGS, View, label

DTYPE = "float32"
UNNAMED = "the configuration"
"""What a model is called that has no name."""

HEADINGS = {
    "picture": "Picture",
    "formula": "Formula",
    "tree": "Tree",
    "conventions": "Conventions",
    "evidence": "Evidence",
}
"""The parts of a page below its number and its letters, in order."""

NOTES = {
    "fields": "The numbers change as a letter does; a slider stays where the formula holds.",
    "picture": "Area is parameters. A component opens by a click; the path above leads back.",
}


def parts(view: View, dtype: str = DTYPE) -> dict[str, Html]:
    """Return what changes with sizes and convention, by the name of the part."""
    return {
        "number": _number(view, dtype),
        "formula": _formula(view),
        "tree": _tree(view),
        "conventions": _conventions(view.model),
        "evidence": lines([*_evidence(view.model)]),
    }


def title(model: AnyModel) -> str:
    """Return the name of a model, of a configuration that it is one."""
    return UNNAMED if model.name.startswith("{") or not model.name else model.title


def sections(view: View, dtype: str, *, live: bool) -> Html:
    """Return the whole page below its heading; what is not ``live`` has no fields to fill in."""
    own, components = view.model, view.components()
    if live:
        controls = form(own, own, view.under, dtype, choices(own, own))
        drawn = picture(components)
    else:
        controls, drawn = letters(own), pictures(components)
    found = {**parts(view, dtype), "picture": drawn}
    return joined(
        tag("div", found.pop("number"), id="number", aria_live="polite"),
        tag("div", controls, id="controls"),
        *(
            tag(
                "section",
                tag("h2", heading, id=f"{name}-heading"),
                tag("p", NOTES[name]) if name in NOTES else None,
                tag("div", found[name], id=name),
                aria_labelledby=f"{name}-heading",
            )
            for name, heading in HEADINGS.items()
        ),
    )


def letters(model: AnyModel) -> Html:
    """Return the letters with their fields and sizes."""
    sizes = sizes_of(model)
    known = [f"{name} = {sizes[name]:,} ({legible(f)})" for name, f in fields_of(model).items()]
    return lines(known)


def form(
    own: AnyModel, model: AnyModel, under: str, dtype: str, allowed: Mapping[str, list[int]]
) -> Html:
    """Return the fields: convention, dtype, and a slider for each letter over what it may be.

    They are switched off: what listens to them switches them on.
    """
    sizes, fields = sizes_of(model), fields_of(own)
    names = [name for name in MEANINGS if name not in ACTIVE or has_experts(own)]
    return tag(
        "form",
        _select("under", "counted are", names, under),
        _select("dtype", "bytes at", list(BITS), dtype),
        tag("p", NOTES["fields"]),
        tag(
            "div",
            *(_letter(name, field, sizes[name], allowed[name]) for name, field in fields.items()),
            class_="letters",
        ),
        tag("button", "own sizes again", type="reset", disabled=True),
        id="fields",
        aria_label="What is counted, and at which sizes",
    )


def _select(name: str, said: str, values: list[str], chosen: str) -> Html:
    options = (tag("option", one, value=one, selected=one == chosen) for one in values)
    return tag("label", said, " ", tag("select", *options, name=name, disabled=True))


def _letter(name: str, field: str, size: int, allowed: list[int]) -> Html:
    number = tag(
        "input",
        id=f"size-{name}",
        name=name,
        value=size,
        inputmode="numeric",
        autocomplete="off",
        disabled=True,
    )
    slider = tag(
        "input",
        type="range",
        data_letter=name,
        aria_label=f"{name}, within the conditions",
        min=0,
        max=len(allowed) - 1,
        value=allowed.index(size),
        disabled=True,
    )
    said = tag("label", tag("b", name), " ", tag("small", legible(field)), for_=f"size-{name}")
    return tag("div", said, tag("div", number, slider))


def _number(view: View, dtype: str) -> Html:
    number = view.number
    rounded = f" ≈ {as_named(number)}, {as_named(number, 3)}" if number >= 1000 else ""
    return joined(
        tag("p", tag("output", f"{number:,}", id="total"), rounded, class_="big"),
        tag("p", f"parameters, {view.under}: {MEANINGS[view.under]}"),
        tag("p", bytes_text(number, dtype), id="bytes"),
    )


def _formula(view: View) -> Html:
    rows = [
        row(
            tag("code", legible(term.path)),
            f"{each_text(term)} {times_text(term)}",
            f"{view.at(term.times * term.each):,}",
        )
        for term in view.terms
    ]
    rows.append(row("total", text(view.formula), f"{view.number:,}"))
    where = [one for one in letters_of(view.model, view.formula) if one]
    return joined(
        tag("p", tag("code", text(view.formula), id="sum"), class_="sum"),
        _copied("text", "sum"),
        lines(where),
        table("The sum by component", ["component", "in letters", "number"], rows),
        tag(
            "details",
            tag("summary", "LaTeX"),
            tag("pre", latex_sum(view.terms, view.formula) if view.formula else "0", id="latex"),
            _copied("LaTeX", "latex"),
        ),
    )


def _copied(what: str, of: str) -> Html:
    return tag("button", f"copy {what}", type="button", data_copy=of, hidden=True)


def _tree(view: View) -> Html:
    whole = view.number
    rows = [_row(view, one, whole) for one in view.rows if view.at(one.total)]
    heads = ["component", "shape", "at these sizes", "each", "×", "total", "share"]
    rows.append(row("total", "", "", "", "", f"{whole:,}", "100.00 %"))
    tied = [*ties(view.model.inventory())]
    note = tag("p", "; ".join(f"tied: {one}" for one in tied)) if tied else None
    return joined(table("Components and tensors", heads, rows, class_="tree"), note)


def _row(view: View, one: TreeRow, whole: int) -> Html:
    total, times = view.at(one.total), view.at(one.times)
    shapes = ["", ""]
    if one.tensor is not None:
        shape = one.tensor.shape
        shapes = [shape_text(map(text, shape)), shape_text(map(view.at, shape))]
    name = tag("span", label(one), class_=f"d{min(one.depth, 9)}", title=legible(one.path))
    share = joined(_bar(total, whole), f" {100 * total / whole:.2f} %")
    return row(name, *shapes, f"{view.at(one.each):,}", f"{times:,}", f"{total:,}", share)


def _bar(part: int, whole: int) -> Html:
    rect = tag("rect", width=f"{100 * part / whole:.2f}%", height="100%")
    return tag("svg", rect, class_="bar", aria_hidden="true")


def _conventions(model: AnyModel) -> Html:
    every: dict[str, int | None] = {**under_every(model.inventory()), **_active(model)}
    rows = [
        row(name, UNDECIDED if number is None else f"{number:,}", MEANINGS[name])
        for name, number in every.items()
    ]
    return joined(
        table("What the number may count", ["convention", "count", "what is counted"], rows),
        lines(_routing(model)),
    )


def _active(model: AnyModel) -> dict[str, int | None]:
    """Return what one token passes by convention, of a model with experts."""
    return {name: _decided(model, name) for name in ACTIVE} if has_experts(model) else {}


def _decided(model: AnyModel, under: str) -> int | None:
    try:
        return View(model, under).number
    except Undecided:
        return None


def _routing(model: AnyModel) -> list[str]:
    """Return how many experts a token passes, or why nobody can say."""
    if not isinstance(model, DerivedModel):
        return []
    try:
        return [*routing(model)]
    except ValueError as error:
        return [str(error)]


def _evidence(model: AnyModel) -> Iterator[str]:
    if model.named:
        yield f"verdict on what is published: {verdict_on(model.named, model).text}"
    yield from model.origin()
    if not isinstance(model, DerivedModel):
        family = model.spec.family
        yield (
            f"formula: of the family {family}, derived twice, tensor by tensor and as one "
            "polynomial, and held to every framework that can build it"
        )
        yield f"to hold it to those that you have: paramproof verify --family {family}"
