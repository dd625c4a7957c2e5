"""The differences between frameworks as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from paramproof.differences import rows as side_by_side
from paramproof.differences.answer import Answer, Section
from paramproof.formulas import EncoderSpec, inventory
from paramproof.formulas.columns import Cells, aligned, folded, row_lines
from paramproof.formulas.lookup import no_such
from paramproof.formulas.path import LAYER, parent
from paramproof.tables.table import Column, Table, TableRow

MARGIN = "   "
NUMBERS = ("bert-tiny", "bert-base-uncased")
HEADINGS: dict[Section, tuple[str, ...]] = {
    "shapes": ("tensor", "framework", "path", "stored", "layout"),
    "defaults": ("default", "framework", "answer"),
    "counts": ("number of", "framework", "counted by", *NUMBERS, "minus N"),
    "abstract": ("without memory", "framework", "type", "reading its value"),
}
FACTS: dict[Section, tuple[str, ...]] = {
    "shapes": ("path", "shape", "layout"),
    "defaults": ("answer",),
    "counts": ("how", *NUMBERS, "difference"),
    "abstract": ("held", "value"),
}


def difference_tables(answers: Sequence[Answer], width: int) -> Iterator[Table | str]:
    """Yield a table for each section that has answers, and a line for each broken framework.

    A table wider than ``width`` is laid out as text, with the title of each row on its own line.
    """
    every = list(dict.fromkeys(answer.framework for answer in answers))
    for section, headings in HEADINGS.items():
        own = [answer for answer in answers if answer.section == section]
        if own:
            own = side_by_side.tensors(own) if section == "shapes" else own
            groups = list(_groups(section, own, every))
            yield (
                _table(headings, groups)
                if _needs(headings, groups) <= width
                else _text(headings, groups, width)
            )
    for answer in answers:
        if answer.section == "broken":
            yield f"{answer.framework} is installed but broken: {answer.facts['reason']}"


Group: TypeAlias = tuple[str, list[Cells]]
"""A title, and a row for each group of frameworks that give the same answer."""


def _groups(section: Section, answers: Sequence[Answer], every: Sequence[str]) -> Iterator[Group]:
    for row, lines in side_by_side.rows(answers, every):
        title = f"{row} {lines[0].what}" if section == "shapes" else lines[0].what
        facts = FACTS[section]
        yield title, [(line.frameworks, *(line.facts[f] for f in facts)) for line in lines]


def _needs(headings: Cells, groups: Sequence[Group]) -> int:
    """Return the width of a table with each row on one line, margins included."""
    rows = [headings, *((title, *cells) for title, own in groups for cells in own)]
    return max(map(len, aligned(rows))) + 2


def _table(headings: Cells, groups: Sequence[Group]) -> Table:
    rows = (
        TableRow((None if number else title, *cells), starts_section=not number)
        for title, group in groups
        for number, cells in enumerate(group)
    )
    return Table.of((Column(heading) for heading in headings), rows)


def _text(headings: Cells, groups: Sequence[Group], width: int) -> str:
    inner = width - 2 * len(MARGIN)
    rows = [cells for _, own in groups for cells in own]
    head, *lines = row_lines([headings[1:], *rows], inner)
    texts = [f" {headings[0]}", *(f"{MARGIN}{line}" for line in head), f" {'─' * (width - 2)}"]
    remaining = iter(lines)
    for title, own in groups:
        texts += [f" {line}" for line in folded(title, inner)]
        texts += [f"{MARGIN}{line}" for _ in own for line in next(remaining)]
        texts.append("")
    return "\n".join(["", *texts])


def require_component(component: str) -> None:
    """Raise ``ValueError``, which lists the components, for one that no encoder has."""
    if not any(f".{component}." in f".{path}." for path in _paths() if component):
        raise no_such("component", component, components())


def components() -> list[str]:
    """Return the names of an encoder's components, at any depth."""
    parts = (part for path in _paths() for part in path.split("."))
    return list(dict.fromkeys(part for part in parts if part not in (LAYER, "layers")))


def _paths() -> list[str]:
    """Return the path of each tensor's component, in an encoder that has every part."""
    spec = EncoderSpec(
        vocab_size=1,
        hidden_size=1,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=1,
        max_position_embeddings=1,
        type_vocab_size=1,
        mlm_head=True,
        nsp_head=True,
    )
    return [parent(tensor.path) for tensor in inventory(spec.letters())]
