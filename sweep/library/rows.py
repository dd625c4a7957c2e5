"""Write JSON with a line for each row of its tables, so that a diff can be read."""

import json
from collections.abc import Mapping
from typing import Any

from paramproof.following.modules import FILE, read


def write_rows(**tables: Any) -> None:
    """Write these tables of ``following/modules.json``; the other ones stay."""
    every = {name: dict(sorted(rows.items())) for name, rows in {**read(), **tables}.items()}
    FILE.write_text(format_json(every, indent=""), "utf-8")


def as_rows(names: Mapping[str, Any]) -> dict[str, str]:
    return {name: " ".join(sorted(some)) for name, some in names.items() if some}


def format_json(data: Mapping[str, Any], indent: str = "  ") -> str:
    """Return the JSON of a file, with a line for each entry of its tables."""

    def lines(entries: Mapping[str, Any]) -> str:
        each = (f"{json.dumps(name)}: {json.dumps(one)}" for name, one in entries.items())
        return "{\n" + 2 * indent + f",\n{2 * indent}".join(each) + f"\n{indent}}}"

    parts = (
        f"{json.dumps(name)}: {lines(one) if isinstance(one, dict) else json.dumps(one)}"
        for name, one in data.items()
    )
    return "{\n" + indent + f",\n{indent}".join(parts) + "\n}\n"
