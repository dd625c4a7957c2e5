"""Render the cells of the reference as a page of Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from docs.writers.differences.pitfalls import pitfalls
from paramproof.differences.answer import (
    COUNTED,
    FACTS,
    Answer,
    Section,
    by_row,
    facts_of,
    names_text,
    versions_text,
)
from paramproof.differences.ask import counted_spec
from paramproof.formulas import closed_form
from paramproof.formulas.layout import LAYOUTS
from paramproof.views.table import Column, Table, TableRow, markdown, markdown_rows

TEXT = """\
<!-- Written by `tox run -e docs`; do not edit. -->

# How the frameworks differ

This page has what you need to port a transformer encoder, or to compare its counts. Each answer was
measured in the framework itself, from the shapes that it built, the output of a layer, or its own
count. Each answer is also a test, `differences::FRAMEWORK::ROW`, which measures again and fails if
the answer changes. `paramproof differences` prints the same answers for the frameworks that you
name, and `paramproof differences --measure` asks those that are installed.

{versions}

## Common pitfalls

{pitfalls}

The rows below that support each statement are in parentheses.

## Tensors

The left columns have the name and shape of a tensor in the formula, with kernels as (in, out); the
others have the framework's own. L is the number of layers, H the hidden size, A the number of heads
of size K, F the feed-forward size, V tokens, P positions, T token types. This project builds the
encoder from the framework's own layers, so names outside those layers are this project's; in
keras-bert and transformers all names are their own. A `*` is the number of a layer.

The layouts, from the formula's tensor to the stored one: {layouts}; *stacked* puts the
layers on a new first axis.

{tensors}

In Keras, Flax and keras-bert a tied decoder is computed from the table and is not a tensor.

## Defaults

Each layer is built with default arguments, except those that the question needs. Epsilon is
measured from the output of a norm for ever smaller inputs, gelu from its values, an initialiser
from its draws, and the meaning of a mask from the tokens whose change affects the output. A
framework without the layer in question is left out: Keras, Flax and Equinox do not have an encoder
layer.
The last column has the code that was measured, unless it is long.

{defaults}

In an initialiser σ is the standard deviation, and in and out are the sizes of the matrix. "All keys
alike" is the mean of all values.

## Counts

Numbers that are called the number of parameters, for {model} with both heads and a
tied decoder. The formula's N is {formula}. The last column is the number minus N, in letters. If
other models have the same number, it is the count of one layer, or that of buffers. Dropout is
counted on its own, since the models are built without it.

{counts}
"""

MAX_QUESTIONS_NAMED = 3
"""So many ways of asking are named beside an answer; where there were more, none is."""

QUESTIONS: dict[Section, tuple[str, str]] = {
    "shapes": ("tensor", "shape"),
    "defaults": ("row", "question"),
    "counts": ("row", "number of"),
}
"""The headings of a row's name and of its question, by section."""

TENSORS = ("row", "what", "framework", "path", "shape", "layout")
DEFAULTS = ("row", "what", "answer", "framework", "asked")
COUNTS = ("row", "what", "framework", "how", COUNTED[-1], "difference")


def render(versions: Mapping[str, Mapping[str, str | None]], answers: Sequence[Answer]) -> str:
    """Return the page."""
    return TEXT.format(
        versions=markdown_rows(
            ("framework", "measured with"),
            ((name, versions_text([own])) for name, own in versions.items()),
        ),
        pitfalls="\n".join(f"{n}. {text}" for n, text in enumerate(pitfalls(answers), 1)),
        layouts=", ".join(f"*{name}* `{pattern}`" for name, pattern in LAYOUTS.items()),
        tensors="\n\n".join(_tensors(difference_table("shapes", answers).only(*TENSORS))),
        defaults=markdown(difference_table("defaults", answers).only(*DEFAULTS)),
        model=COUNTED[-1],
        formula=f"{closed_form(counted_spec(COUNTED[-1]).letters()):,}",
        counts=markdown(difference_table("counts", answers).only(*COUNTS)),
    )


def difference_table(section: Section, answers: Sequence[Answer]) -> Table:
    """Return the answers of a section, in which frameworks that agree share a row.

    Each question starts a section of the table.
    """
    name, question = QUESTIONS[section]
    every = list(dict.fromkeys(answer.framework for answer in answers))
    rows: list[TableRow] = []
    for own in by_row(section, answers):
        found: dict[tuple[str, ...], list[Answer]] = {}
        for answer in own:
            found.setdefault(facts_of(answer), []).append(answer)
        about: tuple[str | None, ...] = (own[0].row, own[0].what)
        for said, same in found.items():
            asked = dict.fromkeys(one.facts.get("asked", "") for one in same)
            few = "; ".join(asked) if len(asked) <= MAX_QUESTIONS_NAMED else ""
            cells = (*about, names_text([one.framework for one in same], every), *said, few)
            rows.append(TableRow(cells, starts_section=about[0] is not None))
            about = (None, None)
    columns = (Column(name, "row", is_code=True), Column(question, "what"))
    return Table.of(
        (*columns, Column("framework", "framework"), *FACTS[section], Column("asked", "asked")),
        rows,
    )


def _tensors(table: Table) -> Iterator[str]:
    """Yield a heading and a table for each component."""
    groups: dict[str, list[TableRow]] = {}
    for row in table.rows:
        if row.starts_section:
            own = groups.setdefault(_component(row.cells[0]), [])
        own.append(row)
    for component, rows in groups.items():
        yield f"### {component}\n\n{markdown(replace(table, rows=tuple(rows)))}"


def _component(row: str) -> str:
    """Return the component of a row's tensors, with ``*`` for layers."""
    first, *rest = row.split(".")
    return f"{first}.*.{rest[1]}" if rest[0] == "*" else first
