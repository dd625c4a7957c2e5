"""Derive constructors of other libraries: ``python -m tests.libraries [SET] [--results FILE]``.

Run in the checkout, where the libraries are installed. SET is ``fixed`` (the default), the
constructors of the registry, or ``diffusers`` or ``timm``, the constructors that these libraries
list. FILE, by default docs/libraries-SET.jsonl, gets one result per line; constructors with a
result are not run again, so that an interrupted run can resume; ``--again`` runs everything. The
status is 1 if a count differs from what the library builds, or if a run failed.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.libraries.comparing import Work
from tests.libraries.registry import ENTRIES
from tests.libraries.running import run, stored_results

SETS = ("fixed", "diffusers", "timm")

NUMBER = 20
"""Distant sizes at which each constructor of the registry is compared."""


RESULTS = Path(__file__).parents[2] / "docs"
"""The results that docs/libraries.md shows."""


def works(chosen: str) -> list[Work]:
    """Return the work to run for a set."""
    if chosen == "fixed":
        return [Work(one.name, one.reference, NUMBER, one.limits) for one in ENTRIES]
    from tests.libraries import breadth

    return breadth.works(chosen)


def result_line(one: dict[str, Any]) -> str:
    """Return one result in a line."""
    line = f"{one['name']}: {one['status']}, {one['seconds']} s"
    if "compared" in one:
        line += f", {one['compared']} compared, {len(one['wrong'])} wrong"
        line += f", {len(one['unbuilt'])} not built" if one["unbuilt"] else ""
        line += f", fixed: {', '.join(one['fixed'])}" if one["fixed"] else ""
    return f"{line}: {one['reason'][:160]}" if "reason" in one else line


def summary(results: Iterable[dict[str, Any]]) -> str:
    """Return the totals of a run in a line."""
    found = list(results)
    by_status = Counter(one["status"] for one in found)
    counted = ", ".join(f"{number} {status}" for status, number in sorted(by_status.items()))
    compared = sum(one.get("compared", 0) for one in found)
    wrong = sum(len(one.get("wrong", ())) for one in found)
    median = statistics.median(one["seconds"] for one in found)
    return (
        f"{len(found)} constructors: {counted}; {compared} counts compared, {wrong} wrong; "
        f"median {median:.1f} s"
    )


def main(arguments: list[str]) -> int:
    """Run a set; return the status."""
    parser = argparse.ArgumentParser(prog="python -m tests.libraries")
    parser.add_argument("set", nargs="?", choices=SETS, default="fixed")
    parser.add_argument("--results", type=Path, default=None, metavar="FILE")
    parser.add_argument("--again", action="store_true", help="discard the stored results")
    parser.add_argument("--only", nargs="*", help="names of the set")
    options = parser.parse_args(arguments)
    results = options.results or RESULTS / f"libraries-{options.set}.jsonl"
    if options.again:
        results.unlink(missing_ok=True)
    todo = [one for one in works(options.set) if not options.only or one.name in options.only]
    for number, one in enumerate(run(todo, results), 1):
        print(f"{number} {result_line(one)}", flush=True)
    names = {work.name for work in todo}
    found = [one for name, one in stored_results(results).items() if name in names]
    print(summary(found))
    return int(any(one["status"] == "failed" or one.get("wrong") for one in found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
