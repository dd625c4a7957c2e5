"""The pages other than those of named models: HTML by hand in ``views``, whose places this fills.

The scripts of the pages fill the elements for answers; the page of framework differences has its
answers. Places have a ``$`` before their names.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from string import Template

from paramproof.catalogue import model_types
from paramproof.differences.answer import FACTS, Answer, Section, recorded, versions_text
from paramproof.formulas.models import model_names
from paramproof.pages.document import main
from paramproof.pages.model import frame
from paramproof.views.html import Html, breakable, html_table, joined, lines, path, tag
from paramproof.views.published import every_named_model, published_table
from paramproof.views.table import Column, Table, TableRow

TITLES = {
    "index": "How many parameters?",
    "model": "Model",
    "number": "Explain a number",
    "difference": "Compare models",
    "frameworks": "How the frameworks differ",
    "about": "About paramproof",
}
"""The heading of each page."""

SHOWN = ("model", "parameters", "active", "published", "verdict", "year", "family")
"""The columns of the list of named models."""

SECTIONS: dict[Section, str] = {
    "shapes": "Tensors",
    "defaults": "Defaults",
    "counts": "Counts",
}
"""The title of each section of framework differences."""

COMPONENTS = (
    "embeddings",
    "attention",
    "feed_forward",
    "layer_norm",
    "pooler",
    "mlm_head",
    "nsp_head",
)

DOCUMENTATION = {
    "All pages": "index",
    "What each kind of evidence covers, and what it cannot see": "evidence",
    "How a formula is derived": "derive",
    "Ways of counting": "conventions",
    "Published numbers": "published",
}


def view(name: str, docs: str = "") -> Html:
    """Return the content of a page.

    ``docs`` is the path to the documentation, "" if that is not beside the site.
    """
    known = dict.fromkeys([*model_names(), *model_types()])
    shared = {
        "known": tag("datalist", *(tag("option", value=one) for one in known), id="known"),
        "no_script": _text("no_script"),
        "frame": frame({}),
        "documentation": lines(_documentation(docs)),
    }
    shared["ask"] = Template(_text("ask")).substitute(shared)
    own = {"index": _index, "frameworks": _frameworks}.get(name, dict)()
    return main(TITLES[name], Html(Template(_text(name)).substitute(shared, **own)))


def _text(name: str) -> str:
    return (Path(__file__).parent / "views" / f"{name}.html").read_text("utf-8").strip()


def _documentation(docs: str) -> Iterable[object]:
    if not docs:
        yield "The folder docs of the source has all pages; start with docs/README.md."
    else:
        yield from (tag("a", k, href=f"{docs}{v}.html") for k, v in DOCUMENTATION.items())


def _index() -> dict[str, object]:
    newest = sorted(every_named_model(), key=lambda pair: (-(pair[0].year or 0), pair[0].name))
    models = published_table(newest, *SHOWN)
    types = (
        tag("li", tag("a", breakable(one), href=f"model.html#model={one}"), data_row=True)
        for one in model_types()
    )
    table = html_table(
        "Trainable parameters, those that are active per token, and published numbers",
        models,
        first=lambda row: tag("a", breakable(row.cells[0]), href=f"models/{row.cells[0]}.html"),
        attributes_of=[_data(row) for row in models.rows],
        class_="models",
    )
    numbers = {"number": len(newest), "types": len(model_types())}
    return {**numbers, "models": table, "listed": joined(*types)}


def _data(row: TableRow) -> dict[str, object]:
    """Return what the script sorts and filters by."""
    name, parameters, _, _, _, year, family = row.cells
    return {
        "data_row": True,
        "data_size": parameters,
        "data_name": name,
        "data_year": year or 0,
        "data_family": family,
    }


def _frameworks() -> dict[str, object]:
    versions, cells = recorded()
    return {
        "versions": versions_text(versions.values()),
        "components": _options(COMPONENTS),
        "frameworks": _options(sorted({cell.framework for cell in cells})),
        "answers": joined(*(_section(name, cells) for name in SECTIONS)),
    }


def _options(values: Iterable[str]) -> Html:
    return joined(*(tag("option", one, value=one) for one in values))


def _section(name: Section, cells: list[Answer]) -> Html:
    heading = SECTIONS[name]
    facts = [replace(fact, form=breakable) for fact in FACTS[name]]
    same: dict[tuple[str, ...], list[Answer]] = {}
    for cell in cells:
        if cell.section == name:
            key = (cell.row, *(cell.facts[fact.key] for fact in facts))
            same.setdefault(key, []).append(cell)
    groups = [group for _, group in sorted(same.items(), key=lambda pair: pair[0][0])]
    columns = (Column("question"), Column("frameworks"), *facts)
    table = Table.of(columns, (_row(group, facts) for group in groups))
    shown = html_table(heading, table, attributes_of=[*map(_answer_data, groups)], class_="answers")
    return tag("details", tag("summary", tag("h2", heading), f" {len(groups)} rows"), shown)


def _row(same: list[Answer], facts: Iterable[Column]) -> TableRow:
    first = same[0]
    names = ", ".join(cell.framework for cell in same)
    question = joined(path(first.row), " ", first.what)
    return TableRow((question, names, *(first.facts[fact.key] for fact in facts)))


def _answer_data(same: list[Answer]) -> dict[str, object]:
    """Return what the script filters by."""
    paths = [path for cell in same for path in cell.components]
    about = [one for one in COMPONENTS if any(one in path for path in paths)]
    return {
        "data_row": True,
        "data_component": " ".join(about),
        "data_framework": " ".join(cell.framework for cell in same),
    }
