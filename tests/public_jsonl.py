"""The configurations of public repositories in ``catalogue/public.jsonl``."""

import json
from functools import cache
from pathlib import Path
from typing import Any

FOUND = Path(__file__).parent / "catalogue" / "public.jsonl"


@cache
def public_configurations() -> tuple[dict[str, Any], ...]:
    """Return the keys of each configuration."""
    lines = FOUND.read_text("utf-8").splitlines()
    return tuple(json.loads(line)["config"] for line in lines)
