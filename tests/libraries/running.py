"""Run constructors in forks, and store each result as soon as it is available."""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.libraries.comparing import COMPARING_SECONDS, SECONDS, Work, result
from tests.libraries.forks import in_forks


def stored_results(path: Path) -> dict[str, dict[str, Any]]:
    """Return the results in a file of JSON lines, by name; the last one of each name counts.

    A truncated line, left by an interrupted run, is ignored.
    """
    found = {}
    for line in path.read_text("utf-8").splitlines() if path.exists() else ():
        try:
            one = json.loads(line)
        except json.JSONDecodeError:
            continue
        found[one["name"]] = one
    return found


def run(works: Iterable[Work], path: Path) -> Iterator[dict[str, Any]]:
    """Yield each result when it is available; skip constructors with a stored result."""
    known = stored_results(path)
    todo = [work for work in works if work.name not in known]
    for module in dict.fromkeys(work.reference.partition(":")[0] for work in todo):
        import_module(module)
    # Forks need not traverse imported objects for garbage collection.
    gc.freeze()
    longest = SECONDS + 2 * COMPARING_SECONDS
    with path.open("a", encoding="utf-8") as file:
        for done in in_forks(result, todo, longest, len(os.sched_getaffinity(0))):
            failed = {"name": done.item.name, "status": "failed", "seconds": longest}
            one = done.answer or {**failed, "reason": done.why}
            file.write(json.dumps(one, ensure_ascii=False) + "\n")
            file.flush()
            yield one
