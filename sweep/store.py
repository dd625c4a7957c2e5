"""The files of the catalogue, and the list of what could not be derived."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
DATA = ROOT / "paramproof" / "catalogue" / "data"
FAILED = ROOT / "sweep" / "failed.json"


def read(model_type: str) -> dict[str, Any] | None:
    """Return what the file of a type has, None where there is none."""
    path = DATA / f"{model_type}.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else None


def write(model_type: str, entry: dict[str, Any]) -> None:
    """Write the file of a type."""
    text = json.dumps(entry, indent=1, ensure_ascii=False)
    (DATA / f"{model_type}.json").write_text(text + "\n", "utf-8")


def failed() -> dict[str, dict[str, str]]:
    """Return what could not be derived, by type and class, with the reason."""
    if not FAILED.exists():
        return {}
    found: dict[str, dict[str, str]] = json.loads(FAILED.read_text("utf-8"))
    return found


def write_failed(model_type: str, reasons: dict[str, str]) -> None:
    """Write what could not be derived of a type, in place of what was there."""
    known = failed()
    known.pop(model_type, None)
    if reasons:
        known[model_type] = dict(sorted(reasons.items()))
    text = json.dumps(dict(sorted(known.items())), indent=1, ensure_ascii=False)
    FAILED.write_text(text + "\n", "utf-8")
