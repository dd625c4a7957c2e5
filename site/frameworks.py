"""The page of framework differences, with a filter."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from paramproof.differences.answer import Answer
from paramproof.pages.document import main
from paramproof.pages.markup import Html, breakable, joined, path, row, table, tag

DATA = Path(__file__).parents[1] / "docs/framework-differences.json"

SECTIONS = {
    "shapes": ("Tensors", {"path": "path", "shape": "shape", "layout": "layout"}),
    "defaults": ("Defaults", {"answer": "default"}),
    "counts": (
        "Counts",
        {
            "how": "counted by",
            "bert-tiny": "bert-tiny",
            "bert-base-uncased": "bert-base-uncased",
            "difference": "minus the formula",
        },
    ),
    "abstract": (
        "Models without memory for their weights",
        {"held": "type of a weight", "value": "reading its value"},
    ),
}
"""The title of each section, and the headings of its columns by fact."""

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
    written = json.loads(DATA.read_text("utf-8"))
    cells = [Answer.from_json(cell) for cell in written["cells"]]
    versions = ", ".join(f"{name} {version}" for name, version in written["versions"].items())
    return main(
        "How the frameworks differ",
        tag("p", f"Every answer was found by running the framework itself: {versions}."),
        _filter(sorted({cell.framework for cell in cells})),
        tag("p", "Nothing matches.", id="nothing", role="status", hidden=True),
        *(_section(name, cells) for name in SECTIONS),
    )


def _section(name: str, cells: list[Answer]) -> Html:
    heading, facts = SECTIONS[name]
    own = [cell for cell in cells if cell.section == name]
    heads = ["question", "frameworks", *facts.values()]
    rows = list(_rows(own, facts))
    return tag(
        "details",
        tag("summary", tag("h2", heading), f" {len(rows)} rows"),
        table(heading, heads, rows, class_="answers"),
    )


def _rows(cells: list[Answer], facts: Iterable[str]) -> Iterator[Html]:
    same_cells: dict[tuple[str, ...], list[Answer]] = {}
    for cell in cells:
        key = (cell.row, *(cell.facts[fact] for fact in facts))
        same_cells.setdefault(key, []).append(cell)
    for (question, *answers), same in sorted(same_cells.items(), key=lambda pair: pair[0][0]):
        names = [cell.framework for cell in same]
        title = joined(path(question), " ", same[0].what)
        about = [one for one in COMPONENTS if any(_is_about(cell, one) for cell in same)]
        yield row(
            title,
            ", ".join(names),
            *map(breakable, answers),
            data_row=True,
            data_component=" ".join(about),
            data_framework=" ".join(names),
        )


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
