"""docs/libraries.md: formulas derived from other libraries, compared at distant sizes."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from typing import Any

from docs.writers.blocks import ROOT
from paramproof.views.table import markdown_rows

PAGE = ROOT / "docs" / "libraries.md"
SETS = ("fixed", "diffusers", "timm")

LONGEST = 160
"""The most characters of a reason in a table."""

TEXT = """\
# Libraries

`paramproof derive` reads a formula from a constructor that it has never seen. This page shows how
far that goes with code that other people wrote: timm, torchvision, vit-pytorch, open_clip,
x-transformers, diffusers and peft.

Each constructor is derived in a process of its own, within four minutes. The formula is then
compared with models that the library builds from plain ints, far from the sizes at which the
formula was derived: up to 9,000 wide and 128 layers deep, all sizes at once, of those sizes that
`count` accepts. *Refused* means that no formula was found. *Fixed* are parameters for which the
formula holds at one value only. *Not built* counts sizes that `count` accepts and the constructor
refuses.

To do it again, run `tox -e libraries -- --again`, `tox -e libraries -- diffusers --again` and
`tox -e libraries -- timm --again`. Each result is stored at once in `docs/libraries-*.jsonl`, and
without `--again` a run continues where the last one ended. If a count differs, the run fails.

## A fixed set

These constructors are functions of a few lines in `tests/libraries`, each with small sizes.
{fixed_totals}

{fixed}

## Classes of diffusers

Every model class of diffusers that builds from its defaults. Nobody wrote a function for these:
the positive ints among the defaults, and in tuples of them, are the sizes. {diffusers_totals}

{diffusers}

## Architectures of timm

The first architecture of each class in timm, with the ints that the architecture gives to its class
as sizes. {timm_totals}

{timm}

## Formulas of the fixed set
{sections}"""

SECTION = """
### {name}

{formula}

{letters}.{conditions}{caveats}
"""


def known(name: str) -> list[dict[str, Any]]:
    """Return the results of a set, the last for each name, or none if it was not run."""
    path = ROOT / "docs" / f"libraries-{name}.jsonl"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return list({one["name"]: one for one in map(json.loads, lines)}.values())


def totals(results: Sequence[dict[str, Any]]) -> str:
    """Return the totals of a set, in sentences."""
    if not results:
        return "This set was not run yet."
    number = {
        status: sum(one["status"] == status for one in results) for status in ("proved", "fitted")
    }
    compared = sum(one.get("compared", 0) for one in results)
    wrong = sum(len(one.get("wrong", ())) for one in results)
    seconds = statistics.median(one["seconds"] for one in results)
    return (
        f"Of {len(results)} constructors {number['proved']} have a proved formula, "
        f"{number['fitted']} a fitted one, and {len(results) - sum(number.values())} none. "
        f"{compared:,} counts were compared, and {wrong} differ. "
        f"Deriving took {seconds:.1f} s in the median."
    )


def render(sets: dict[str, list[dict[str, Any]]]) -> str:
    """Return the page that shows the results of ``sets``."""
    return TEXT.format(
        **{name: _table(results) for name, results in sets.items()},
        **{f"{name}_totals": totals(results) for name, results in sets.items()},
        sections="".join(_section(one) for one in sets["fixed"] if "formula" in one),
    )


def _table(results: Sequence[dict[str, Any]]) -> str:
    headings = ("constructor", "status", "s", "compared", "wrong", "not built", "fixed, or why not")
    rows = (
        (
            f"`{one['name']}`",
            one["status"],
            f"{one['seconds']:.1f}",
            str(one.get("compared", "")),
            str(len(one["wrong"])) if "wrong" in one else "",
            str(len(one["unbuilt"])) if "unbuilt" in one else "",
            _short(one),
        )
        for one in results
    )
    return markdown_rows(headings, rows)


def _short(one: dict[str, Any]) -> str:
    if "reason" not in one:
        return ", ".join(f"`{one['letters'][name]}`" for name in one["fixed"])
    reason = one["reason"]
    return f"`{reason[:LONGEST]}…`" if len(reason) > LONGEST else f"`{reason}`"


def _section(one: dict[str, Any]) -> str:
    letters = ", ".join(f"{letter} `{field}`" for letter, field in one["letters"].items())
    conditions = "; ".join(one["conditions"])
    return SECTION.format(
        name=one["name"],
        formula="\n".join(f"    {line}" for line in one["formula"]),
        letters=letters,
        conditions=f" Holds where {conditions}." if conditions else "",
        caveats=f" Caveats: {'; '.join(one['caveats'])}." if one["caveats"] else "",
    )


def write() -> None:
    """Write the page from the stored results."""
    PAGE.write_text(render({name: known(name) for name in SETS}), "utf-8")
