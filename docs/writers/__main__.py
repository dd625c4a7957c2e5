"""Fill the marked places of README and docs: ``python -m docs.writers [PAGE ...] [--measure]``.

Run it in the checkout. Without PAGE it fills all pages. It prints which page it leaves as it is
because a package that it needs is not installed. ``--measure`` first measures anew what the
places show: it builds the models of every framework, and takes long.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping

from docs.writers import (
    benchmarks,
    claims,
    counts,
    differences,
    evidence,
    formulas,
    libraries,
    schema,
    type_pages,
    versions,
)
from docs.writers.blocks import PAGES, TEMPLATES, fill

REGISTERED = (benchmarks, claims, formulas, libraries, schema, type_pages, versions)
"""Modules whose import registers what fills places, and which measure nothing."""

MEASURES: Mapping[str, Callable[[], None]] = {
    "evidence": evidence.measure_foolers,
    "explain": counts.write_index,
    "differences": differences.measure,
    "frameworks": evidence.measure_verify,
}
"""What measures the data of a page or template anew."""


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m docs.writers", description="Fill the pages.")
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="such as formulas; all if none")
    parser.add_argument("--measure", action="store_true", help="measure what the places show")
    options = parser.parse_args(arguments)
    if unknown := set(options.pages) - {*PAGES, *TEMPLATES}:
        sys.exit(f"unknown page: {', '.join(sorted(unknown))}; choose from {', '.join(PAGES | TEMPLATES)}")
    chosen = options.pages or [*PAGES, *TEMPLATES]
    for page in filter(MEASURES.__contains__, chosen if options.measure else ()):
        MEASURES[page]()
    for page in filter(PAGES.__contains__, chosen):
        fill(page)


if __name__ == "__main__":
    main(sys.argv[1:])
