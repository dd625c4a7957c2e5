"""Fill the marked places of README and docs: ``python -m docs.writers [PAGE ...] [--measure]``.

Run it in the checkout. Without PAGE it fills all pages. It prints which page it leaves as it is
because a package that it needs is not installed. ``--measure`` first measures anew what the
places show: it builds the models of every framework, and takes long.
"""

from __future__ import annotations

import argparse
import sys

from docs.writers.blocks import MEASURES, PAGES, TEMPLATES, fill, load


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m docs.writers", description="Fill the pages.")
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="such as formulas; all if none")
    parser.add_argument("--measure", action="store_true", help="measure what the places show")
    options = parser.parse_args(arguments)
    known = [*PAGES, *TEMPLATES]
    if unknown := set(options.pages) - {*known}:
        sys.exit(f"unknown page: {', '.join(sorted(unknown))}; choose from {', '.join(known)}")
    load()
    chosen = options.pages or known
    for page in filter(MEASURES.__contains__, chosen if options.measure else ()):
        MEASURES[page]()
    for page in filter(PAGES.__contains__, chosen):
        fill(page)


if __name__ == "__main__":
    main(sys.argv[1:])
