"""The page of a model, in parts: what a reader wants to know first, sizes, formula, tree, evidence.

``markup/model.html`` has their places.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import starmap

from paramproof.bytes import BITS, bytes_text, require_dtype, size_text
from paramproof.following.questions import usual_facts
from paramproof.formulas.conventions import as_named
from paramproof.formulas.errors import UnknownName
from paramproof.formulas.expression import text
from paramproof.formulas.models import Published
from paramproof.formulas.path import leaf
from paramproof.formulas.printing import legible, shape_text
from paramproof.pages.markup import filled
from paramproof.pages.picture import colour, picture, pictures
from paramproof.pages.viewing import ACTIVE, MEANINGS, Branch, View, choices, fields_of, routers
from paramproof.resolver import Model
from paramproof.tables import TableRow
from paramproof.views.conventions import ACTIVE as OURS
from paramproof.views.conventions import (
    DEFAULT,
    UNDECIDED,
    Counts,
    Verdict,
    active_table,
    conventions_table,
    routing,
    shown_first,
    total_and_active,
    totals,
    verdict_on,
    verdict_on_active,
)
from paramproof.views.counted import Count, source_of
from paramproof.views.formula import holds_where, latex_sum, letters_in, letters_table, terms_table
from paramproof.views.html import Html, breakable, html_table, joined, lines, path, swatch, tag
from paramproof.views.tree import ties

UNITS = {"L": "layers", "L_text": "layers", "H": "wide", "H_text": "wide"}
"""The letters of the sizes that are in the title of a configuration without a name."""

DTYPE = "float32"
"""The precision that is shown if nothing says in which one a model is published."""

NARROW = 8
"""The most bits of a precision to which weights are quantized."""

PLACES = (
    "number", "facts", "controls", "picture", "formula", "tree", "conventions", "evidence",
)  # fmt: skip
"""The parts of a page."""


def is_pasted(model: Model) -> bool:
    """Return whether a model is a configuration without a name."""
    return not model.name or model.name.startswith("{")


def title(model: Model) -> str:
    """Return the name of a model, or the type, the layers and the width of a configuration."""
    if not is_pasted(model):
        return model.title
    kind = model.reading.model_type if model.reading else model.architecture.name
    sizes = [f"{model.sizes[name]:,} {unit}" for name, unit in UNITS.items() if name in model.sizes]
    return ", ".join([f"pasted {legible(kind)}", *sizes])


def dtype_of(model: Model) -> str:
    """Return the precision in which a model is published, "" if nothing says it."""
    reading = model.reading
    said = [model.named.dtype] if model.named else []
    said += [reading.dtype] if reading else []
    for one in filter(None, said):
        with suppress(UnknownName):
            return require_dtype(one)
    return ""


def sections(view: View, dtype: str = "", *, live: bool) -> Html:
    """Return the whole page below its heading, with controls only if it is ``live``."""
    own, published = view.model, dtype_of(view.model)
    dtype = dtype or published or DTYPE
    found = parts(view, dtype, published, follows=not live)
    if live:
        found["controls"] = form(own, own, view.under, dtype, choices(own, own))
    return frame({**found, "picture": picture(view) if live else pictures(view)})


def frame(found: Mapping[str, Html | None]) -> Html:
    """Return the elements of all parts, with their content; an element without content is empty."""
    return filled("model", **{name: found.get(name) for name in PLACES})


def parts(
    view: View, dtype: str = DTYPE, published: str = "", *, follows: bool = False
) -> dict[str, Html | None]:
    """Return the parts that change with the sizes and the convention, by name.

    ``published`` is the precision in which the model is published, "" if nothing says it. What
    ``follows`` from the tensors is known at a model's own sizes.
    """
    active = active_of(view.model)
    return {
        "number": _number(view),
        "facts": tag("dl", *_facts(view, active, dtype, published, follows), class_="facts"),
        "formula": _formula(view),
        "tree": tree(view),
        "conventions": _conventions(view.model, *active),
        "evidence": lines([*_evidence(view.model)]),
    }


def _number(view: View) -> Html:
    """Return the count, after that under the publisher's convention if it is another one."""
    model, named, shown = view.model, view.model.named, list[Html]()
    if named and not named.component and view.under == DEFAULT:
        why = f" This gives the published {named.published}."
        theirs, counts = verdict_on(named, model).conventions[:1], totals(model.inventory())
        shown = [_count(counts[one], one, why) for one in theirs if one != DEFAULT]
    notes = (tag("p", line, class_="note") for line in model.beside_total())
    return joined(*shown, _count(view.number, view.under, id="total"), *notes)


def _count(number: int, under: str, why: str = "", **attributes: str) -> Html:
    rounded = f" ≈ {as_named(number, 3)}" if number >= 1000 else ""
    output = tag("output", f"{number:,}", **attributes)
    return joined(
        tag("p", output, f" parameters{rounded}", class_="big"),
        tag("p", tag("b", f"{under}:"), f" {MEANINGS[under]}{why}", class_="note"),
    )


def active_of(model: Model) -> tuple[Counts, list[str]]:
    """Return the active parameters per token by convention, and how many experts are used.

    A model without experts has no such counts. If names and shapes do not determine them, there is
    one count, None, and the line has the reason.
    """
    if model.architecture.family:
        return {}, []
    try:
        return total_and_active(model) if routers(model) else {}, [*routing(model)]
    except ValueError as error:
        return {OURS: None}, [str(error)]


def _facts(
    view: View, active: tuple[Counts, list[str]], dtype: str, published: str, follows: bool
) -> Iterator[Html]:
    model, (counts, lines) = view.model, active
    convention, found = shown_first(counts) if counts else ("", None)
    if found:
        number = tag("span", f"{found.active:,}", id="active")
        rounded = f"≈ {as_named(found.active, 3)}, {convention}"
        ours = counts[OURS]
        other = f"{ours.active:,}, {OURS}" if ours and convention != OURS else ""
        yield _fact("Active per token", number, rounded, other, *lines)
    elif counts:
        yield _fact("Active per token", UNDECIDED, *lines)
    whose = "precision in the configuration" if is_pasted(model) else "published precision"
    said = f"the {whose}"
    if dtype != published:
        said = f"{whose}: {published or 'unknown'}"
    elif BITS[dtype] <= NARROW:
        said += "; scales, and tensors that are not quantized, come on top"
    exactly = tag("span", bytes_text(view.number, dtype), id="bytes")
    yield _fact("Memory", size_text(view.number, dtype), exactly, said)
    if follows:
        yield from starmap(_fact, usual_facts(Count(model)))
    if named := model.named:
        of = f" for {named.component}" if named.component else ""
        verdict = _verdict(verdict_on(named, model))
        yield _fact("Published", f"{named.published}{of}", verdict, _source(named, named.source))
        if named.active and found:
            verdict = _verdict(verdict_on_active(named.active, counts))
            source = _source(named, named.active_source or named.source)
            yield _fact("Published as active", named.active, verdict, source)
    evidence = tag("a", "How do you know?", href="#evidence-heading")
    yield _fact("How sure", *_certainty(model), evidence)


def _fact(name: str, value: object, *notes: object) -> Html:
    """Return a name and its value, with smaller lines below it."""
    small = (tag("small", one) for one in notes if one)
    return tag("div", tag("dt", name), tag("dd", tag("b", value), *small))


def _verdict(found: Verdict) -> Html:
    return tag("span", found.text, class_="verdict" if found.conventions else "none")


def _source(named: Published, source: str) -> str:
    return f"{named.year}, {source}" if named.year and str(named.year) not in source else source


def _certainty(model: Model) -> tuple[str, str]:
    """Return the status of the formula in a word, and what it means in one line."""
    one = model.architecture
    if one.family:
        return "Written by hand, twice", "and compared with the models that frameworks build"
    code = source_of(one.evidence.versions, legible(one.name))
    if model.reasons:
        return "Fitted", f"to models of {code}, parts of which could not be traced"
    held = f"; validated on {one.evidence.held} held-out models" if one.evidence.held else ""
    return "Proved", f"by tracing {code} with every size symbolic{held}"


def form(
    own: Model, model: Model, under: str, dtype: str, allowed: Mapping[str, list[int]]
) -> Html:
    """Return the controls: convention, dtype, and a field and a slider for each letter.

    They are disabled until the script that handles them has started.
    """

    def select(name: str, label: str, values: Iterable[str], chosen: str) -> Html:
        options = (tag("option", one, value=one, selected=one == chosen) for one in values)
        return tag("label", f"{label} ", tag("select", *options, name=name, disabled=True))

    names = [name for name in MEANINGS if name not in ACTIVE or routers(own)]
    letters = []
    for name, field in fields_of(own).items():
        values, size, written = allowed[name], model.sizes[name], breakable(legible(field))
        least, most = (f"{values[place]:,}" for place in (0, -1))
        places = {"last": len(values) - 1, "at": values.index(size), "least": least, "most": most}
        letters.append(filled("size", name=name, field=written, size=size, **places))
    return filled(
        "sizes",
        under=select("under", "Convention", names, under),
        dtype=select("dtype", "Data type", BITS, dtype),
        letters=joined(*letters),
    )


def _formula(view: View) -> Html:
    def first(row: TableRow) -> object:
        name = row.cells[0]
        is_total = row.starts_section
        return name if is_total else joined(swatch(colour(view, leaf(name))), path(legible(name)))

    table = terms_table(view.named, view.model.sizes).only("component", "formula", "total")
    return filled(
        "formula",
        formula=text(view.formula),
        letters=_letters(view.model, letters_in(view.model, view.formula)),
        conditions=joined(*(tag("p", one) for one in holds_where(view.model))),
        terms=html_table("Terms by component", table, first=first, class_="stacked"),
        latex=latex_sum(view.named, view.formula),
    )


def _letters(model: Model, names: Iterable[str]) -> Html:
    return html_table("Letters", letters_table(model.architecture, names))


def _conventions(model: Model, counts: Counts, routers: list[str]) -> Html:
    table = conventions_table(model.inventory()).only("convention", "count")
    tables, notes = [html_table("Counts by convention", table)], [*table.notes]
    if counts:
        table = active_table(counts)
        tables.append(html_table("Active parameters per token", table.only("convention", "active")))
        notes += table.notes
    return joined(*tables, lines([*notes, *routers]))


def _evidence(model: Model) -> Iterator[str]:
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
    share = f"{100 * part.total / (view.number or 1):.2f}"
    bar = tag("rect", width=f"{share}%", height="100%", class_=colour(view, part.kind))
    title = legible(part.row.path) if part.row else None
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
