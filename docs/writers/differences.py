"""docs/framework-differences.md, and the recorded answers that it and ``differences`` show.

A place ``answer FRAMEWORKS: ROW`` or ``ROW/FACT`` in a sentence has the answer that all of these
frameworks give; names may have a ``*``. If an answer changes, so does the sentence, and a reader
must check whether it still describes a pitfall.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatch
from functools import partial

from docs.writers.blocks import place, places
from paramproof.builders.registry import frameworks
from paramproof.differences.answer import (
    COUNTED,
    FACTS,
    RECORDED,
    Answer,
    Section,
    by_row,
    facts_of,
    in_order,
    names_text,
    recorded,
    versions_text,
)
from paramproof.differences.ask import answers, counted_spec
from paramproof.formulas import closed_form
from paramproof.formulas.layout import LAYOUTS
from paramproof.tables import Column, Table, TableRow, markdown, markdown_rows
from paramproof.verify.workers import run_in_workers

NAME = "framework-differences"
ANSWER = re.compile(r"answer (?P<frameworks>\S+): (?P<row>[^/\s]+)(?:/(?P<fact>\S+))?")

MAX_QUESTIONS_NAMED = 3
"""So many ways of asking are named beside an answer; where there were more, none is."""

SECTIONS: dict[Section, tuple[str, str, tuple[str, ...]]] = {
    "shapes": ("tensor", "shape", ("framework", "path", "shape", "layout")),
    "defaults": ("row", "question", ("answer", "framework", "asked")),
    "counts": ("row", "number of", ("framework", "how", COUNTED[-1], "difference")),
}
"""The headings of a row's name and of its question, and the other columns, by section."""

place("formula", NAME)(lambda: f"{closed_form(counted_spec(COUNTED[-1]).letters()):,}")
place("layouts", NAME)(lambda: ", ".join(f"*{name}* `{one}`" for name, one in LAYOUTS.items()))


@place("versions", NAME)
def _versions() -> str:
    rows = ((name, versions_text([own])) for name, own in recorded()[0].items())
    return markdown_rows(("framework", "measured with"), rows)


def agreed(name: str, answers: Sequence[Answer] | None = None) -> str:
    """Return the answer that a place names. Raises ``ValueError`` if frameworks do not agree."""
    match = ANSWER.fullmatch(name)
    if match is None:
        raise ValueError(f"not a question: {name}")
    patterns = match["frameworks"].split(",")
    said = {
        one.facts[match["fact"] or ("difference" if one.section == "counts" else "answer")]
        for one in (recorded()[1] if answers is None else answers)
        if one.row == match["row"] and any(fnmatch(one.framework, own) for own in patterns)
    }
    if len(said) != 1:
        raise ValueError(f"{match['frameworks']} do not say one thing of {match['row']}: {said}")
    return said.pop()


for _page, _name, _ in places():
    if _name.startswith("answer "):
        place(_name, _page)(partial(agreed, _name))


def difference_table(section: Section, answers: Sequence[Answer]) -> Table:
    """Return the answers of a section, in which frameworks that agree share a row.

    Each question starts a section of the table.
    """
    name, question, shown = SECTIONS[section]
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
    facts = (Column("framework", "framework"), *FACTS[section], Column("asked", "asked"))
    return Table.of((*columns, *facts), rows).only("row", "what", *shown)


for _section in SECTIONS:
    _table = partial(lambda one: markdown(difference_table(one, recorded()[1])), _section)
    place(_section, NAME)(_table)


def measure() -> None:
    """Measure every framework, and write the record.

    Raises ``RuntimeError``, without writing, if a framework is missing or broken.
    """
    ours = {name: one for name, one in frameworks().items() if one.extra}
    found = run_in_workers([*ours.values()], answers, Answer)
    if reasons := [answer.facts["reason"] for answer in found if answer.failed]:
        raise RuntimeError("; ".join(reasons))
    # ``+cpu`` names a build.
    versions = {
        name: {of: (version or "").split("+")[0] for of, version in one.versions().items()}
        for name, one in ours.items()
    }
    measured = sorted(found, key=lambda answer: [*ours].index(answer.framework))
    RECORDED.write_text(record(versions, measured), "utf-8")


def record(versions: Mapping[str, Mapping[str, str]], answers: Sequence[Answer]) -> str:
    """Return the record as JSON: a line for each answer, with the frameworks that give it."""
    as_json, rows = partial(json.dumps, ensure_ascii=False), []
    for row in in_order(answers):
        same = [answer for answer in answers if answer.row == row]
        found: dict[str, list[str]] = {}
        for answer in same:
            found.setdefault(as_json(answer.facts), []).append(answer.framework)
        said = ",\n ".join(f'["{" ".join(names)}", {facts}]' for facts, names in found.items())
        about = ("section", "row", "what", "components")
        head = ", ".join(f'"{key}": {as_json(getattr(same[0], key))}' for key in about)
        rows.append(f'{{{head}, "answers": [\n {said}]}}')
    written = ",\n".join(rows)
    return f'{{"versions": {as_json(versions)},\n"rows": [\n{written}\n]}}\n'
