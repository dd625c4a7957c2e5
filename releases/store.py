"""Results of releases: a JSON file with an entry for each release, in the order of the table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from releases.trying import releases


def read(data: Path) -> dict[str, Any]:
    """Return the results so far, by release."""
    found: dict[str, Any] = json.loads(data.read_text("utf-8")) if data.exists() else {}
    return found


def write(data: Path, name: str, found: dict[str, Any]) -> None:
    """Write the result of a release, and keep the order of the table."""
    known = {**read(data), name: found}
    ordered = {one.name: known[one.name] for one in releases() if one.name in known}
    data.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", "utf-8")
