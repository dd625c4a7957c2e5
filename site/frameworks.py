"""The page of framework differences, with a filter."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from paramproof.differences.answer import FACTS, Answer, Section, recorded, versions_text
from paramproof.pages.document import main
from paramproof.views.html import Html, breakable, html_table, joined, path, tag
from paramproof.views.table import Column, Table, TableRow

SECTIONS: dict[Section, str] = {
    "shapes": "Tensors",
    "defaults": "Defaults",
    "counts": "Counts",
}
"""The title of each section."""

COMPONENTS = (
    "embeddings",
    "attention",
    "feed_forward",
    "layer_norm",
    "pooler",
    "mlm_head",
    "nsp_head",
)


def frameworks_view() -> Html:
    """Return the page with every answer; frameworks that agree share a row."""
    versions, cells = recorded()
    said = versions_text(versions.values())
    return main(
        "How the frameworks differ",
        tag("p", f"Every answer was found by running the framework itself: {said}."),
        _filter(sorted({cell.framework for cell in cells})),
        tag("p", "Nothing matches.", id="nothing", role="status", hidden=True),
        *(_section(name, cells) for name in SECTIONS),
    )


def _section(name: Section, cells: list[Answer]) -> Html:
    heading = SECTIONS[name]
    facts = [replace(fact, form=breakable) for fact in FACTS[name]]
    own = [cell for cell in cells if cell.section == name]
    groups = _groups(own, facts)
    columns = (Column("question"), Column("frameworks"), *facts)
    table = Table.of(columns, (_row(same, facts) for same in groups))
    shown = html_table(heading, table, attributes_of=[*map(_data, groups)], class_="answers")
    return tag("details", tag("summary", tag("h2", heading), f" {len(groups)} rows"), shown)


def _groups(cells: list[Answer], facts: Iterable[Column]) -> list[list[Answer]]:
    """Return the answers by row, those that are the same together."""
    same: dict[tuple[str, ...], list[Answer]] = {}
    for cell in cells:
        same.setdefault((cell.row, *(cell.facts[fact.key] for fact in facts)), []).append(cell)
    return [group for _, group in sorted(same.items(), key=lambda pair: pair[0][0])]


def _row(same: list[Answer], facts: Iterable[Column]) -> TableRow:
    first = same[0]
    names = ", ".join(cell.framework for cell in same)
    question = joined(path(first.row), " ", first.what)
    return TableRow((question, names, *(first.facts[fact.key] for fact in facts)))


def _data(same: list[Answer]) -> dict[str, object]:
    """Return what the script filters by."""
    about = [one for one in COMPONENTS if any(_is_about(cell, one) for cell in same)]
    return {
        "data_row": True,
        "data_component": " ".join(about),
        "data_framework": " ".join(cell.framework for cell in same),
    }


def _is_about(cell: Answer, component: str) -> bool:
    return any(component in path for path in cell.components)


def _filter(frameworks: list[str]) -> Html:
    return tag(
        "form",
        tag("label", "Filter ", tag("input", name="q", type="search")),
        _select("component", "Component", list(COMPONENTS)),
        _select("framework", "Framework", frameworks),
        id="filter",
        role="search",
    )


def _select(name: str, label: str, values: list[str]) -> Html:
    options = [tag("option", "all", value=""), *(tag("option", one, value=one) for one in values)]
    return tag("label", f"{label} ", tag("select", *options, name=name))
