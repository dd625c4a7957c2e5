"""Try releases: ``python -m releases [LIBRARY | LIBRARY==VERSION ...] [--again] [--catalogue]``.

Run this in the checkout; it needs ``uv``. It installs each release in its own environment, together
with this checkout, and runs ``paramproof verify`` there for each framework that uses the library.
It writes each result to ``docs/versions.json`` at once, and skips releases that already have one,
unless ``--again`` is given. ``--catalogue`` compares the catalogue with releases of transformers,
and writes ``docs/catalogue-releases.json``. ``python -m docs.writers versions`` renders both.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from releases import algebra, store
from releases.trying import ROOT, Release, counts, releases, tried
from sweep.library.most_used import MOST_USED

DATA = ROOT / "docs" / "versions.json"


def main(arguments: list[str]) -> int:
    """Try the releases that the arguments name, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m releases", description=__doc__.split("\n")[0])
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="flax or flax==0.12.8; all by default",
    )
    parser.add_argument("--again", action="store_true", help="also try releases that have a result")
    parser.add_argument(
        "--catalogue",
        action="store_true",
        help="compare the most used types",
    )
    options = parser.parse_args(arguments)
    there = algebra.others() if options.catalogue else list(releases())
    named = {one.library for one in there} | {one.name for one in there}
    if unknown := sorted(set(options.names) - named):
        print(f"releases/table.toml does not name {', '.join(unknown)}", file=sys.stderr)
        return 2
    wanted = [
        one for one in there if not options.names or {one.library, one.name} & {*options.names}
    ]
    known = {} if options.again else algebra.written() if options.catalogue else written()
    todo = [one for one in wanted if one.name not in known]
    for number, release in enumerate(todo, 1):
        started = time.perf_counter()
        said = _compared(release) if options.catalogue else _tried(release)
        seconds = time.perf_counter() - started
        print(f"{number}/{len(todo)} {release.name}: {said} ({seconds:.0f} s)", flush=True)
    return 0


def _tried(release: Release) -> str:
    found = dict(tried(release))
    store.write(DATA, release.name, found)
    return ", ".join(f"{name}: {_in_short(one)}" for name, one in found.items())


def _compared(release: Release) -> str:
    found = algebra.compared(release, MOST_USED)
    store.write(algebra.DATA, release.name, found)
    if "error" in found:
        return f"not run: {found['error']}"
    return f"{len(found['otherwise'])} of {len(found['types'])} types differ"


def written() -> dict[str, Any]:
    """Return the results so far, by release and framework."""
    return store.read(DATA)


def _in_short(found: dict[str, Any]) -> str:
    if "error" in found:
        return f"not run: {found['error']}"
    equal, models = counts(found)
    return f"{equal} of {models} equal"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
