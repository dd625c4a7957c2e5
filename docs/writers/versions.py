"""releases/README.md: in which releases of the frameworks the formulas hold, and why not in all."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from itertools import groupby
from operator import attrgetter
from typing import Any

from docs.writers.blocks import ROOT, place
from paramproof.tables import markdown_rows
from releases.__main__ import (
    CATALOGUE,
    EXAMPLES,
    VERSIONS,
    Release,
    counts,
    is_whole,
    releases,
    results,
)

CAUSES = ROOT / "releases" / "causes.toml"

MOST_LINES = 4
"""The most differences that are listed for one model type."""


place("examples", "releases")(lambda: str(EXAMPLES))


@place("releases", "releases")
def tables() -> str:
    """Return a section for each library: a table of its releases, and the causes."""
    found = results(VERSIONS)
    tried = (one for one in releases() if one.name in found)
    by_library = groupby(tried, attrgetter("library"))
    return "\n\n".join(_section(library, [*there], found) for library, there in by_library)


def _section(library: str, there: list[Release], found: Mapping[str, Any]) -> str:
    frameworks = there[0].frameworks
    rows = []
    for one in there:
        results = (found[one.name][name] for name in frameworks)
        cells = ("not run" if "error" in of else "{} of {}".format(*counts(of)) for of in results)
        rows.append([one.version, *cells, ", ".join(of.replace("==", " ") for of in one.beside)])
    table = markdown_rows(["release", *frameworks, "beside"], rows)
    causes = "\n".join(_causes(there, found))
    return f"## {library}\n\n{table}\n\n{causes}".rstrip()


def _causes(there: list[Release], found: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each release in which models differ: the cause, and an example."""
    for release in there:
        for framework, one in found[release.name].items():
            if not is_whole(one):
                families = one.get("families", {}).values()
                firsts = (family["first"] for family in families if "first" in family)
                shown = "; ".join(f"{model or 'a random model'}: {why}" for model, why in firsts)
                example = f"`{one['error']}`" if "error" in one else f"{shown}."
                name = release.name.replace("==", " ")
                yield f"- {name}, {framework}: {cause(release, framework)} {example}"


def cause(release: Release, framework: str) -> str:
    """Return why models differ in a release. Raises ``KeyError`` if no cause is written."""
    for one in tomllib.loads(CAUSES.read_text("utf-8"))["cause"]:
        if release.name in one["releases"] and framework in one["frameworks"]:
            link = f" ([{one['source']}]({one['link']}))" if "link" in one else ""
            return f"{one['why']}{link}."
    raise KeyError(f"{CAUSES.name} has no cause for {release.name}, {framework}")


@place("catalogue", "releases")
def catalogue(found: Mapping[str, Any] | None = None) -> str:
    """Return the differences of the catalogue in other releases of transformers."""
    rows, lines = [], []
    for release, one in (found or results(CATALOGUE)).items():
        name = release.replace("==", " ")
        if "error" in one:
            rows.append([name, "not run", "", ""])
            lines.append(f"- {name}: `{one['error']}`")
            continue
        said = {of: kept["lines"] for of, kept in one["otherwise"].items() if kept["lines"]}
        same, aside = len(one["types"]) - len(one["otherwise"]), len(one["otherwise"]) - len(said)
        rows.append([name, *map(str, (same, aside, len(said)))])
        for of, kept in said.items():
            more = len(kept) - MOST_LINES
            rest = f"; and {more} more." if more > 0 else "."
            lines.append(f"- {name}, `{of}`: {'; '.join(kept[:MOST_LINES])}{rest}")
    other = ("other conditions, buffers or keys", "other formulas or classes")
    table = markdown_rows(["release", "as written", *other], rows)
    return "\n".join([table, "", *lines]).rstrip()
