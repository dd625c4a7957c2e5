"""docs/versions.md: in which releases of the frameworks the formulas hold, and why not in all."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from docs.writers.blocks import ROOT
from docs.writers.markdown import table
from paramproof.catalogue import read_type
from releases import algebra
from releases.__main__ import written
from releases.trying import EXAMPLES, Release, counts, is_whole, releases
from sweep.most_used import MOST_USED

PAGE = ROOT / "docs" / "versions.md"

CAUSES = ROOT / "releases" / "causes.toml"

TEXT = """\
# Releases

In which releases the formulas hold. Each release stands in an environment of its own, beside what
`releases/table.toml` says, with this project as it is; `paramproof verify` builds the named models
there and {examples} random ones of each family that the framework has, and compares every tensor.
`python -m releases` tries what is not written yet, `tox run -e versions` the same in an environment
that has what it needs; what was found is in `docs/versions.json`.

"43 of 43" are models of which every tensor is as the formula says. Where there are fewer, or
nothing could be run, the cause stands below the table. What a release cannot express is not among
them, as LLaMA before Keras 3.9, which has no norm for it. Of PyTorch one release was run: on the
package index any other brings CUDA's packages, by the gigabyte. Through `keras-torch` and
`transformers` it is the same one everywhere.

{sections}
"""

CATALOGUE = """\
## The catalogue in releases of transformers

The files of the [catalogue](catalogue.md) are of transformers {own}. The {number} model types that
are used most are derived again in other releases, class by class and variant by variant, and
compared in letters: `python -m releases --catalogue`. What is otherwise of formulas, classes and
defaults stands below the table, with what it is there; all of it is in
`docs/catalogue-releases.json`.

{table}
"""

MOST_LINES = 4
"""Of what is otherwise of one model type."""


def render(found: Mapping[str, Any]) -> str:
    """Return the page of what was found, by release and framework."""
    by_library: dict[str, list[Release]] = {}
    for release in releases():
        if release.name in found:
            by_library.setdefault(release.library, []).append(release)
    sections = "\n\n".join(_section(name, there, found) for name, there in by_library.items())
    return TEXT.format(examples=EXAMPLES, sections=sections)


def render_catalogue(found: Mapping[str, Any]) -> str:
    """Return what is said of the catalogue in other releases, by release."""
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
    text = "\n\n".join([table(heads, rows), *(["\n".join(lines)] if lines else [])])
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
    text = table(["release", *frameworks, "beside"], rows)
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
    """Yield a line for each release that is not equal throughout: the cause, and an example."""
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
    """Return why a release is not equal throughout. Raises ``KeyError`` where none is written."""
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
    """Write the page of what the releases' data say."""
    PAGE.write_text(page(), "utf-8")


def page() -> str:
    """Return the page of what was found."""
    compared = algebra.written()
    return "\n".join([render(written()), *([render_catalogue(compared)] if compared else [])])
