"""Render the cells of the reference as a page of Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from docs.writers.differences.pitfalls import pitfalls
from paramproof.differences import rows as grid
from paramproof.differences.answer import COUNTED, Answer
from paramproof.differences.ask import counted_spec
from paramproof.differences.tables import difference_table
from paramproof.formulas import closed_form
from paramproof.formulas.layout import LAYOUTS
from paramproof.tables.markdown import markdown, markdown_rows
from paramproof.tables.table import Table, TableRow

TEXT = """\
<!-- Written by `tox run -e docs`; do not edit. -->

# How the frameworks differ

This page has what you need to port a transformer encoder, or to compare its counts. Each cell was
measured in the framework itself, from the shapes that it built, the output of a layer, or its own
count. Each cell is also a test, `differences::FRAMEWORK::ROW`, which measures again and fails if
the answer changes. [framework-differences.json](framework-differences.json) has the same data, and
`paramproof differences` measures the frameworks that are installed.

Asked of {versions}.

## Common pitfalls

{pitfalls}

The rows below that support each statement are in parentheses.

## Tensors

The left columns have the name and shape of a tensor in the formula, with kernels as (in, out); the
others have the framework's own. L is the number of layers, H the hidden size, A the number of heads
of size K, F the feed-forward size, V tokens, P positions, T token types. This project builds the
encoder from the framework's own layers, so names outside those layers are this project's; in
keras-bert and transformers all names are their own. A `*` is the number of a layer. Every tensor is
{dtypes}.

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

Numbers that are called the number of parameters, for two models with both heads and a tied decoder.
The formula's N is {formulas}. The last column is the number minus N, in letters; *tensors* is the
number of stored arrays. If both models have the same count, it is the count of one layer, or zero.
Dropout is counted on its own, since the models are built without it.

{counts}

## Without allocating

Each method makes a kernel of 10⁶ · 10⁶ entries, which would take 4 TB. The figures are for building
and reading {counted} and encoder-175b on one machine: the median time of a warm run in seconds, and
the peak memory of the process in 10⁶ bytes. [benchmarks.md](benchmarks.md) describes how they were
measured.

{held}

{code}
"""

SECTIONS = ("shapes", "defaults", "counts", "abstract")
TENSORS = ("row", "what", "framework", "path", "shape", "layout")
DEFAULTS = ("row", "what", "answer", "framework", "asked")
COUNTS = ("row", "what", "framework", "how", *COUNTED, "difference")
HELD = ("in", "what there is for an array", "asked for its value", "s", "MB", "175b, s", "MB")


def render(
    cells: Sequence[Answer], versions: Mapping[str, str], costs: Mapping[str, Sequence[str]]
) -> str:
    """Return the page. ``costs`` are the last four figures of ``HELD`` for each framework."""
    every = list(dict.fromkeys(cell.framework for cell in cells))
    of = {name: [cell for cell in cells if cell.section == name] for name in SECTIONS}
    (dtype,) = {cell.facts["dtype"] for cell in of["shapes"]}
    return TEXT.format(
        versions=", ".join(f"{name} {version}" for name, version in versions.items()),
        pitfalls="\n".join(f"{n}. {text}" for n, text in enumerate(pitfalls(cells), 1)),
        dtypes=dtype,
        layouts=", ".join(f"*{name}* `{pattern}`" for name, pattern in LAYOUTS.items()),
        tensors="\n\n".join(_tensors(difference_table("shapes", cells).only(*TENSORS))),
        defaults=markdown(difference_table("defaults", cells).only(*DEFAULTS)),
        formulas=" and ".join(f"{closed_form(counted_spec(m).letters()):,}" for m in COUNTED),
        counts=markdown(difference_table("counts", cells).only(*COUNTS)),
        counted=COUNTED[1],
        held=markdown_rows(HELD, _held(of["abstract"], costs)),
        code="\n\n".join(_code(of["abstract"], every)),
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


def _held(cells: Sequence[Answer], costs: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, ...]]:
    for cell in cells:
        figures = costs.get(cell.framework, [""] * 4)
        yield cell.framework, cell.facts["held"], cell.facts["value"], *figures


def _code(cells: Sequence[Answer], every: Sequence[str]) -> Iterator[str]:
    for _, lines in grid.rows([_only_code(cell) for cell in cells], every):
        for line in lines:
            yield f"{line.frameworks}:\n\n```python\n{line.facts['code']}\n```"


def _only_code(cell: Answer) -> Answer:
    return replace(cell, facts={"code": cell.facts["code"]})
