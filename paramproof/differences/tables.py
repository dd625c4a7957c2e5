"""The differences between frameworks as tables: frameworks that agree share a row."""

from __future__ import annotations

from collections.abc import Sequence

from paramproof.differences.answer import COUNTED, Answer, Section
from paramproof.differences.rows import rows, tensors
from paramproof.tables.table import Column, Table, TableRow

QUESTIONS: dict[Section, tuple[str, str]] = {
    "shapes": ("tensor", "shape"),
    "defaults": ("row", "question"),
    "counts": ("row", "number of"),
    "abstract": ("row", "without memory"),
}
"""The headings of a row's name and of its question, by section."""

FACTS: dict[Section, tuple[Column, ...]] = {
    "shapes": (
        Column("path", "path", is_code=True),
        Column("stored", "shape"),
        Column("layout", "layout"),
    ),
    "defaults": (Column("answer", "answer"),),
    "counts": (
        Column("counted by", "how", is_code=True),
        *(Column(model, model) for model in COUNTED),
        Column("minus the formula", "difference"),
    ),
    "abstract": (Column("type of a weight", "held"), Column("reading its value", "value")),
}
"""The columns of the answers, by section."""


def difference_table(section: Section, answers: Sequence[Answer]) -> Table:
    """Return the answers of a section; each question starts a section of the table."""
    every = list(dict.fromkeys(answer.framework for answer in answers))
    own = [answer for answer in answers if answer.section == section]
    name, question = QUESTIONS[section]
    facts = FACTS[section]
    columns = (
        Column(name, "row", is_code=True),
        Column(question, "what"),
        Column("framework", "framework"),
        *facts,
        Column("asked", "asked"),
    )
    found = []
    for row, lines in rows(tensors(own) if section == "shapes" else own, every):
        for number, line in enumerate(lines):
            asked = (None, None) if number else (row, line.what)
            answer = (line.facts[fact.key] for fact in (*facts, columns[-1]))
            cells = (*asked, line.frameworks, *answer)
            found.append(TableRow(cells, starts_section=not number))
    return Table.of(columns, found)
