"""Build the site into a folder: ``python site/build.py FOLDER NODE_MODULES [DOCS]``.

``paramproof.pages`` makes the HTML, both here and in the browser. The pages other than those of
named models are HTML by hand in ``views``, with a ``$`` before the places that ``view`` fills; the
scripts of the pages fill the elements for answers. NODE_MODULES is the folder in which npm has
installed the packages of package.json. DOCS is the path from FOLDER to the documentation, if both
are on one site. The same source gives the same files at each build.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import astuple, replace
from itertools import combinations
from pathlib import Path
from string import Template
from typing import Any
from zipfile import ZipFile

from paramproof.catalogue.names import FOLDER, model_types, programs, usual_class
from paramproof.catalogue.program import Refused
from paramproof.differences import answer
from paramproof.explanation.index import named
from paramproof.explanation.search import TOTAL
from paramproof.formulas.models import named_configurations, named_models
from paramproof.pages.document import main, model_page, page
from paramproof.pages.model import frame
from paramproof.pages.picture import still
from paramproof.pages.viewing import View
from paramproof.resolver import resolve
from paramproof.resolver.spellings import HUB, NAMES
from paramproof.sources import data_file
from paramproof.tables import Column, Table, TableRow
from paramproof.views.conventions import every_named_model, published_table
from paramproof.views.counted import Count
from paramproof.views.html import Html, breakable, html_table, joined, path, tag

HERE = Path(__file__).parent
PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json")
PYTHON = "python_stdlib.zip"

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

COMPONENTS = answer.components()
PITFALL = re.compile(r"^\d+\. \*\*(.+?)\*\* (.*<!-- answer .*)$", re.MULTILINE)


def build(folder: Path, modules: Path, docs: str = "") -> None:
    """Write the site into ``folder``, replacing an earlier build."""
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("models", "frameworks", "pyodide"):
        (folder / name).mkdir(parents=True)
    for name in (*PYODIDE, PYTHON):
        shutil.copyfile(modules / "pyodide" / name, folder / "pyodide" / name)
    static = HERE.parent / "paramproof/pages/static"
    for file in (*HERE.glob("*.js"), HERE / "icon.svg", *static.iterdir()):
        shutil.copyfile(file, folder / file.name)
    (folder / "names.json").write_text(json.dumps(names(), ensure_ascii=False), "utf-8")
    shutil.copytree(FOLDER, folder / "programs")
    whole = shutil.copyfile(wheel(), folder / "paramproof.whl")
    shutil.copyfile(HERE.parent / "LICENSE", folder / "licence.txt")
    ZipFile(folder / "empty.zip", "w").close()
    made = (folder / "python.image", folder / "python.files")
    start_up = [HERE / "image.mjs", folder.resolve() / "pyodide", whole, *made]
    subprocess.run(["node", *start_up], check=True)
    for name in (*named_models(), *named_configurations()):
        file = folder / "models" / f"{name}.html"
        file.write_text(model_page(resolve(name), "../", docs), "utf-8")
    for pair in combinations(sorted(answer.recorded()[0]), 2):
        text = page(" and ".join(pair), "frameworks", _side_by_side(pair), root="../", docs=docs)
        (folder / "frameworks" / f"{'-and-'.join(pair)}.html").write_text(text, "utf-8")
    for name, title in TITLES.items():
        text = page(title, name, view(name, docs), docs=docs)
        (folder / f"{name}.html").write_text(text, "utf-8")


def wheel() -> Path:
    folder = tempfile.mkdtemp()
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "-d", folder]
    subprocess.run(command, cwd=HERE.parent, check=True, stdout=subprocess.DEVNULL)
    (found,) = Path(folder).glob("*.whl")
    return found


def names() -> dict[str, Any]:
    """Return the names that have a page, with their numbers and what is published of them.

    ``names.js`` reads names as ``paramproof.resolver.spellings`` does, by the same data.
    """
    models = [
        {
            "name": one.name,
            "also": one.short_names,
            "counts": {w.what: w.number for w in one.ways if w[:2] == TOTAL or w.kind == "active"},
            "published": [*map(astuple, one.published)],
        }
        for one in named().values()
    ]
    types: dict[str, list[Any]] = {name: [usual_class(name), None] for name in model_types()}
    for name, found in types.items():
        with suppress(Refused):  # A configuration may have no defaults.
            found[1] = programs().configuration({"model_type": name}).count(found[0])["trainable"]
    return {"hub": HUB.replace("?P<", "?<"), **data_file(NAMES), "models": models, "types": types}


def view(name: str, docs: str = "") -> Html:
    """Return the content of a page.

    ``docs`` is the path to the documentation, "" if that is not beside the site.
    """
    written = tag("a", "Read the documentation", href=f"{docs}index.html")
    shared = {
        "no_script": _text("no_script"),
        "frame": frame({}),
        "documentation": written if docs else "Read docs/README.md in the source.",
        "types": len(model_types()),
    }
    shared["ask"] = Template(_text("ask")).substitute(shared)
    own = {"index": _index, "frameworks": _frameworks}.get(name, dict)()
    return main(TITLES[name], Html(Template(_text(name)).substitute(shared, **own)))


def _text(name: str) -> str:
    return (HERE / "views" / f"{name}.html").read_text("utf-8").strip()


def _index() -> dict[str, object]:
    newest = sorted(every_named_model(), key=lambda pair: (-(pair[0].year or 0), pair[0].name))
    models = published_table(newest).only(*SHOWN)
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
    example = Count(resolve("gpt2"))
    shown = {"total": f"{example.total:,}", "formula": example.formula, "number": len(newest)}
    shown |= {"picture": still(View(example.model)), "models": table, "listed": joined(*types)}
    return shown


def _data(row: TableRow) -> dict[str, object]:
    """Return what the script sorts and filters by."""
    name, parameters, _, _, _, year, family = row.cells
    values = {"size": parameters, "name": name, "year": year or 0, "family": family}
    return {"data_row": True, **{f"data_{key}": value for key, value in values.items()}}


def _frameworks() -> dict[str, object]:
    versions, answers = answer.recorded()
    components, frameworks = (
        joined(*(tag("option", one, value=one) for one in values))
        for values in (COMPONENTS, versions)
    )
    return {
        "versions": answer.versions_text(versions.values()),
        "components": components,
        "frameworks": frameworks,
        "pitfalls": joined(*_pitfalls()),
        "pairs": joined(*_pairs([*versions])),
        "answers": joined(*(_section(name, answers) for name in answer.FACTS)),
    }


def _side_by_side(pair: Sequence[str]) -> Html:
    """Return tables of what differs between two frameworks."""
    own = [one for one in answer.recorded()[1] if one.framework in pair]
    tables = answer.difference_tables(answer.differing(own), pair, apart=False)
    shown = (html_table(one.columns[0].heading, one, headings=["", *pair]) for one in tables)
    return main(" and ".join(pair), Html(_text("pair")), *shown)


def _pitfalls() -> Iterator[Html]:
    """Yield the pitfalls of the documentation: its numbered lines with recorded answers."""
    for file in sorted((HERE.parent / "docs").glob("*.md")):
        for name, said in PITFALL.findall(file.read_text("utf-8")):
            parts = re.sub(r"<!--.*?-->", "", said).split("`")
            marked = (tag("code", one) if n % 2 else one for n, one in enumerate(parts))
            yield tag("li", tag("b", name), " ", *marked)


def _pairs(names: Sequence[str]) -> Iterator[Html]:
    for name in names:
        others = ((one, "-and-".join(sorted([one, name]))) for one in names if one != name)
        links = (tag("a", one, href=f"frameworks/{pair}.html") for one, pair in others)
        yield joined(tag("dt", name, " and"), tag("dd", *links))


def _section(name: answer.Section, answers: list[answer.Answer]) -> Html:
    """Return the answers of a section, with what the script filters by."""
    heading = name.capitalize()
    facts = [replace(fact, form=breakable) for fact in answer.FACTS[name]]
    same: dict[tuple[str, ...], list[answer.Answer]] = {}
    for one in answers:
        if one.section == name:
            key = (one.row, *(one.facts[fact.key] for fact in facts))
            same.setdefault(key, []).append(one)
    rows, data = [], []
    for (row, *said), alike in sorted(same.items(), key=lambda pair: pair[0][0]):
        names = [one.framework for one in alike]
        rows.append(TableRow((joined(path(row), " ", alike[0].what), ", ".join(names), *said)))
        about = [one for one in COMPONENTS if any(other.concerns(one) for other in alike)]
        filters = {"data_component": " ".join(about), "data_framework": " ".join(names)}
        data.append({"data_row": True, **filters})
    table = Table.of((Column("question"), Column("frameworks"), *facts), rows)
    shown = html_table(heading, table, attributes_of=data, class_="answers")
    return tag("details", tag("summary", tag("h2", heading), f" {len(rows)} rows"), shown)


if __name__ == "__main__":
    target, packages, *beside = sys.argv[1:]
    build(Path(target), Path(packages), *beside)
