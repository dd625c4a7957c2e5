"""The page of a model, in parts: what a reader wants to know first, sizes, formula, tree, evidence.

``markup/model.html`` has their places.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from paramproof.bytes import BITS, bytes_text, require_dtype, size_text
from paramproof.formulas.conventions import as_named
from paramproof.formulas.errors import InvalidInput, UnknownName
from paramproof.formulas.expression import text
from paramproof.formulas.models import Published
from paramproof.formulas.path import leaf
from paramproof.formulas.printing import legible, shape_text
from paramproof.pages.markup import filled
from paramproof.pages.picture import colour, kinds, picture, pictures
from paramproof.pages.viewing import ACTIVE, MEANINGS, Branch, View, choices, fields_of, routers
from paramproof.resolver import Model
from paramproof.tables import TableRow
from paramproof.views.conventions import (
    UNDECIDED,
    Counts,
    Verdict,
    conventions_table,
    routing,
    shown_first,
    total_and_active,
    verdict_on,
    verdict_on_active,
)
from paramproof.views.counted import Count
from paramproof.views.formula import holds_where, latex_sum, letters_in, letters_table, terms_table
from paramproof.views.html import Html, breakable, html_table, joined, lines, path, swatch, tag
from paramproof.views.tree import ties

UNNAMED = "the configuration"
"""The title of a model without a name."""

DTYPE = "float32"
"""The precision that is shown if nothing says in which one a model is published."""

NARROW = 8
"""The most bits of a precision to which weights are quantized."""

PLACES = (
    "number", "facts", "controls", "picture", "kinds", "formula", "tree", "conventions", "evidence",
)  # fmt: skip
"""The parts of a page."""


def title(model: Model) -> str:
    if model.name and not model.name.startswith("{"):
        return model.title
    layers = f", {model.sizes['L']} layers" if "L" in model.sizes else ""
    return f"pasted {model.reading.model_type}{layers}" if model.reading else UNNAMED


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
    own = view.model
    published = dtype_of(own)
    found = parts(view, dtype or published or DTYPE, published, follows=not live)
    if live:
        controls = form(own, own, view.under, dtype or published or DTYPE, choices(own, own))
        return frame({**found, "picture": picture(view), "controls": controls})
    return frame({**found, "picture": pictures(view), "controls": _letters(own, fields_of(own))})


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
        "kinds": kinds(view),
        "formula": _formula(view),
        "tree": tree(view),
        "conventions": _conventions(view.model, active),
        "evidence": lines([*_evidence(view.model)]),
    }


def _number(view: View) -> Html:
    number = view.number
    rounded = f" ≈ {as_named(number, 3)}" if number >= 1000 else ""
    return joined(
        tag("p", tag("output", f"{number:,}", id="total"), f" parameters{rounded}", class_="big"),
        tag("p", tag("b", f"{view.under}:"), f" {MEANINGS[view.under]}", class_="note"),
        *(tag("p", line, class_="note") for line in view.model.beside_total()),
    )


class Active(NamedTuple):
    """The active parameters per token by convention, how many experts are used, or a problem."""

    counts: Counts
    lines: tuple[str, ...] = ()
    problem: str = ""


def active_of(model: Model) -> Active:
    """Return the active parameters of a model; there are no counts if it has no experts."""
    if model.architecture.family:
        return Active({})
    try:
        counts = total_and_active(model) if routers(model) else {}
        return Active(counts, (*routing(model),))
    except ValueError as error:
        return Active({}, problem=str(error))


def _facts(view: View, active: Active, dtype: str, published: str, follows: bool) -> Iterator[Html]:
    model = view.model
    convention, found = shown_first(active.counts) if active.counts else ("", None)
    if found:
        number = tag("span", f"{found.active:,}", id="active")
        rounded = f"≈ {as_named(found.active, 3)}, {convention}"
        yield _fact("Active per token", number, rounded, *active.lines)
    elif active.counts or active.problem:
        yield _fact("Active per token", UNDECIDED, active.problem, *active.lines)
    said = "as published"
    if dtype != published:
        said = f"published in {published or 'a precision that is not known here'}"
    elif BITS[dtype] <= NARROW:
        said += "; scales, and tensors that are not quantized, come on top"
    exactly = tag("span", bytes_text(view.number, dtype), id="bytes")
    yield _fact("Memory", size_text(view.number, dtype), exactly, said)
    if follows:
        yield from _following(Count(model))
    if named := model.named:
        of = f" for {named.component}" if named.component else ""
        verdict = _verdict(verdict_on(named, model))
        yield _fact("Published", f"{named.published}{of}", verdict, _source(named, named.source))
        if named.active:
            counts = active.counts
            verdict = _verdict(verdict_on_active(named.active, counts)) if counts else Html()
            source = _source(named, named.active_source or named.source)
            yield _fact("Published as active", named.active, verdict, source)
    evidence = tag("a", "How do you know?", href="#evidence-heading")
    yield _fact("How sure", *_certainty(model), evidence)


def _following(count: Count) -> Iterator[Html]:
    """Yield what follows from the tensors, where it is known."""
    with suppress(InvalidInput):
        cache = count.cache(1).data
        formula = f"{cache['formula']}, for n tokens of b sequences in {cache['dtype']}"
        yield _fact("Cache of a token", f"{cache['bytes']:,} bytes", formula)
    with suppress(InvalidInput):
        lora = count.lora(16, "all-linear").data
        yield _fact("LoRA, rank 16, all-linear", f"{lora['parameters']:,}", lora["formula"])


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
    if model.architecture.family:
        return (
            "Written by hand, twice",
            "tensor by tensor and as a polynomial; compared with the models that frameworks build",
        )
    one, code = model.architecture, "the code that makes the model"
    if model.reading:
        library = model.reading.library
        code = f"the code of {library} {one.evidence.versions.get(library, '')}".rstrip()
    if model.reasons:
        return "Fitted", f"not all of {code} was followed with every size unknown"
    how = f"{code} was followed with every size unknown"
    if held := one.evidence.held:
        how += f"; the formula was compared with {held} models that were not used to find it"
    return "Proved", how


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
        values, size = allowed[name], model.sizes[name]
        least, most = (f"{values[place]:,}" for place in (0, -1))
        places = {"last": len(values) - 1, "at": values.index(size), "least": least, "most": most}
        letters.append(
            filled("size", name=name, field=breakable(legible(field)), size=size, **places)
        )
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
