"""docs/versions.md: in which releases of the frameworks the formulas hold, and why not in all."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from docs.writers.blocks import ROOT
from paramproof.catalogue import read_type
from paramproof.views.table import markdown_rows
from releases import algebra
from releases.__main__ import written
from releases.trying import EXAMPLES, Release, counts, is_whole, releases
from sweep.library.most_used import MOST_USED

PAGE = ROOT / "docs" / "versions.md"

CAUSES = ROOT / "releases" / "causes.toml"

TEXT = """\
# Releases

This page lists the releases in which the formulas hold. Each release is installed in an environment
of its own, with the packages that `releases/table.toml` names and the current state of this
project. There, `paramproof verify` builds the named models and {examples} random ones of each
family that the framework supports, and compares every tensor. `python -m releases` runs the
releases that have no result yet, and `tox run -e versions` does so in a prepared environment. The
results are in `docs/versions.json`.

"43 of 43" means that in all 43 models every tensor matches the formula. If fewer match, or nothing
could run, the cause is below the table. Models that a release cannot express are not counted, such
as LLaMA before Keras 3.9, which lacks its norm. Only one release of PyTorch was run, since all
others on the package index bring gigabytes of CUDA packages. `keras-torch` and `transformers` use
the same release of PyTorch everywhere.

{sections}
"""

CATALOGUE = """\
## The catalogue in releases of transformers

The files of the [catalogue](catalogue.md) describe transformers {own}. `python -m releases
--catalogue` derives the {number} most used model types again in other releases, class by class and
variant by variant, and compares them symbolically. Below the table are the formulas, classes and
defaults that differ, as they are in that release. All differences are in
`docs/catalogue-releases.json`.

{table}
"""

MOST_LINES = 4
"""The most differences that are listed for one model type."""


def render(found: Mapping[str, Any]) -> str:
    """Return the page about these results, by release and framework."""
    by_library: dict[str, list[Release]] = {}
    for release in releases():
        if release.name in found:
            by_library.setdefault(release.library, []).append(release)
    sections = "\n\n".join(_section(name, there, found) for name, there in by_library.items())
    return TEXT.format(examples=EXAMPLES, sections=sections)


def render_catalogue(found: Mapping[str, Any]) -> str:
    """Return the section about the catalogue in other releases."""
    rows, lines = [], []
    for release, one in found.items():
        name = release.replace("==", " ")
        if "error" in one:
            rows.append([name, "not run", "", ""])
            lines.append(f"- {name}: `{one['error']}`")
            continue
        said = {of: kept["lines"] for of, kept in one["otherwise"].items() if kept["lines"]}
        same, aside = len(one["types"]) - len(one["otherwise"]), len(one["otherwise"]) - len(said)
        rows.append([name, *map(str, (same, aside, len(said)))])
        lines += [f"- {name}, `{of}`: {_first(kept)}" for of, kept in said.items()]
    heads = [
        "release",
        "as written",
        "other conditions, buffers or keys",
        "other formulas or classes",
    ]
    number = max(len(one.get("types", ())) for one in found.values())
    own = read_type(MOST_USED[0]).versions["transformers"]
    text = "\n\n".join([markdown_rows(heads, rows), *(["\n".join(lines)] if lines else [])])
    return CATALOGUE.format(own=own, number=number, table=text)


def _first(lines: list[str]) -> str:
    more = len(lines) - MOST_LINES
    return "; ".join(lines[:MOST_LINES]) + (f"; and {more} more." if more > 0 else ".")


def _section(library: str, there: list[Release], found: Mapping[str, Any]) -> str:
    frameworks = there[0].frameworks
    rows = (
        [one.version, *(_cell(found[one.name][name]) for name in frameworks), _beside(one)]
        for one in there
    )
    text = markdown_rows(["release", *frameworks, "beside"], rows)
    lines = list(_causes(there, found))
    return "\n\n".join([f"## {library}", text, *(["\n".join(lines)] if lines else [])])


def _beside(release: Release) -> str:
    return ", ".join(one.replace("==", " ") for one in release.beside)


def _cell(found: Mapping[str, Any]) -> str:
    if "error" in found:
        return "not run"
    equal, models = counts(found)
    return f"{equal} of {models}"


def _causes(there: list[Release], found: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each release in which models differ: the cause, and an example."""
    for release in there:
        for framework, one in found[release.name].items():
            if not is_whole(one):
                name = release.name.replace("==", " ")
                yield f"- {name}, {framework}: {cause(release, framework)} {_example(one)}"


def _example(found: Mapping[str, Any]) -> str:
    if "error" in found:
        return f"`{found['error']}`"
    firsts = (family["first"] for family in found["families"].values() if "first" in family)
    return "; ".join(f"{model or 'a random model'}: {why}" for model, why in firsts) + "."


def cause(release: Release, framework: str) -> str:
    """Return why models differ in a release. Raises ``KeyError`` if no cause is written."""
    for one in _written_causes():
        if release.name in one["releases"] and framework in one["frameworks"]:
            link = f" ([{one['source']}]({one['link']}))" if "link" in one else ""
            return f"{one['why']}{link}."
    raise KeyError(f"{CAUSES.name} has no cause for {release.name}, {framework}")


@cache
def _written_causes() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads(CAUSES.read_text("utf-8"))["cause"]
    return found


def write() -> None:
    """Write the page from the stored results."""
    PAGE.write_text(page(), "utf-8")


def page() -> str:
    """Return the page about the stored results."""
    compared = algebra.written()
    return "\n".join([render(written()), *([render_catalogue(compared)] if compared else [])])
