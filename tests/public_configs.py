"""Public configurations: what each says, and where it is from."""

import json
from pathlib import Path

PUBLIC = [
    json.loads(line)
    for line in (Path(__file__).parent / "catalogue" / "public.jsonl")
    .read_text("utf-8")
    .splitlines()
]
"""Objects with the ``config`` and its ``source``."""
