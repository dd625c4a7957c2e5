"""The reference as a page of Markdown, from its cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from builders.differences import grid
from builders.differences.answers import COUNTED, counted_spec
from builders.differences.bites import bites
from builders.differences.cells import Cell
from builders.differences.questions import QUESTIONS
from formulas import closed_form
from formulas.weight import LAYOUTS, STACKED

TEXT = """\
<!-- Written by `tox run -e docs`; do not edit. -->

# How the frameworks differ

What one has to know to port a transformer encoder, or to compare its counts. Every cell below
is an answer that the framework itself gave: by the shapes of what it built, by what a layer
computes, by what it counts. Every cell is a test of its own, named
`differences::FRAMEWORK::ROW`, which asks again and fails where the answer is another; the same
as data is in [framework-differences.json](framework-differences.json), or printed by
`paramproof differences`.

Asked of {versions}.

## The ten that bite most

{bites}

## Tensors

{tensors}

## Defaults

A layer is made as it comes, with no argument that the question does not need. Epsilon is found
from what a norm makes of ever smaller inputs, gelu from its values, the distribution of an
initialiser from 900,000 draws, the sense of a mask from which change of a token is seen. A
framework that has nothing to ask is left out: Keras and Flax have no encoder layer.

{defaults}

In an initialiser σ is the standard deviation and (in, out) the kernel's sizes. Keras counts
(A + K) for the fan of a kernel (in, A, K) where the matrix is (in, A·K).

## Counts

{counts}

## Without allocating

{abstract}
"""


def render(
    cells: Sequence[Cell], versions: Mapping[str, str], costs: Mapping[str, Sequence[str]]
) -> str:
    """The page. ``costs`` are four figures for each framework, from the benchmarks."""
    of = {section: list(group) for section, group in _by_section(cells)}
    return TEXT.format(
        versions=", ".join(f"{name} {version}" for name, version in versions.items()),
        bites="\n".join(f"{n}. {text}" for n, text in enumerate(bites(cells), 1)),
        tensors=_tensors(of["shapes"]),
        defaults=_table(("question", "answer", "in", "asked of"), _defaults(of["defaults"])),
        counts=_counts(of["counts"]),
        abstract=_abstract(of["abstract"], costs),
    )


def _by_section(cells: Sequence[Cell]) -> Iterator[tuple[str, Iterable[Cell]]]:
    order = sorted(cells, key=lambda cell: cell.section)
    return groupby(order, key=lambda cell: cell.section)
