"""docs/hunt.md: the output of the command, and the results of the long hunt.

``paramproof hunt --summary FOLDER … --json docs/hunt.json`` writes those results.
"""

from __future__ import annotations

import json
from typing import Any

from docs.writers.blocks import ROOT, kept, place
from paramproof.views.table import markdown_rows

PAGE = ROOT / "docs" / "hunt.md"
RESULTS = ROOT / "docs" / "hunt.json"

SAMPLE = ("hunt", "--framework", "torch", "--family", "encoder,gpt", "--examples", "1000")
"""The command whose output the page shows."""

HEADINGS = ("framework", "family", "seeds", "models", "equal", "parameters in all")
RULE = ("---", "---", "---:", "---:", "---:", "---:")


def known() -> dict[str, Any]:
    """Return the summary of the long hunt."""
    found: dict[str, Any] = json.loads(RESULTS.read_text("utf-8"))
    return found


def render(found: dict[str, Any]) -> str:
    """Return the table of a summary, with the releases that were checked."""
    groups = [group for group in found["groups"] if group["checked"]]
    total = sum(group["checked"] for group in groups)
    lines = [markdown_rows(HEADINGS, map(_row, groups), RULE), "", f"{total:,} models, built in"]
    releases: dict[str, str] = {}
    for group in groups:
        releases |= group["versions"]
    lines.append(", ".join(f"{name} {version}" for name, version in sorted(releases.items())) + ".")
    return "\n".join(lines)


def _row(group: dict[str, Any]) -> tuple[str, ...]:
    first, last = group["seeds"]
    numbers = (f"{group[name]:,}" for name in ("checked", "equal", "parameters"))
    return (group["framework"], group["of"], f"{first} to {last}", *numbers)


kept("hunted", "hunt")
place("long", "hunt")(lambda: render(known()))
