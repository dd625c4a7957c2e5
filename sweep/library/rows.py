"""Write ``paramproof/following/modules.json``, a line for each row."""

import json
from collections.abc import Mapping
from typing import Any

from paramproof.following.modules import FILE, read


def write_rows(**tables: Any) -> None:
    """Write these tables; the other ones stay."""
    parts = []
    for name, rows in {**read(), **tables}.items():
        lines = [f"{json.dumps(end)}: {json.dumps(rows[end])}" for end in sorted(rows)]
        parts.append(f"{json.dumps(name)}: {{\n" + ",\n".join(lines) + "\n}")
    FILE.write_text("{\n" + ",\n".join(parts) + "\n}\n", "utf-8")


def as_rows(names: Mapping[str, Any]) -> dict[str, str]:
    return {name: " ".join(sorted(some)) for name, some in names.items() if some}
