"""docs/reader.md: the operations of the catalogue's programs, from docs/operations.json."""

from __future__ import annotations

import json
from collections.abc import Iterator

from docs.writers.blocks import DOCS, place
from paramproof.views.table import markdown_rows

OPERATIONS: dict[str, dict[str, str]] = json.loads((DOCS / "operations.json").read_text("utf-8"))
"""What each operation does, by group."""


@place("operations", "reader")
def _operations() -> str:
    return "\n\n".join(_groups())


def _groups() -> Iterator[str]:
    for title, group in OPERATIONS.items():
        rows = []
        for name, text in group.items():
            arguments, _, meaning = text.partition("):")
            shown = name.replace("|", "\\|")
            rows.append((f"`{shown}`", f"{arguments.removesuffix(')')})", meaning.strip()))
        yield f"### {title}\n\n" + markdown_rows(["operation", "arguments", "meaning"], rows)
