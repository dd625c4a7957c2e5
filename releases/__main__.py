"""Try releases: ``python -m releases [LIBRARY | LIBRARY==VERSION ...] [--again] [--catalogue]``.

Run in the checkout, with ``uv`` at hand. Each release is installed in an environment of its own,
with this project as it is, and ``paramproof verify`` is run there for each framework that stands on
it. What is found is written to ``docs/versions.json`` as it comes; what is there already is left
out, unless ``--again``. ``--catalogue`` compares the catalogue with releases of transformers, and
writes ``docs/catalogue-releases.json``. ``python -m docs.writers versions`` makes the page of both.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from releases import algebra, store
from releases.trying import ROOT, Release, counts, releases, tried
from sweep.most_used import MOST_USED

DATA = ROOT / "docs" / "versions.json"


def main(arguments: list[str]) -> int:
    """Try what is asked for; return the status."""
    parser = argparse.ArgumentParser(prog="python -m releases", description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="flax, or flax==0.12.8; all")
    parser.add_argument("--again", action="store_true", help="what is written already, too")
    parser.add_argument("--catalogue", action="store_true", help="derive its types, and compare")
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
    return f"{len(found['otherwise'])} of {len(found['types'])} types are otherwise"


def written() -> dict[str, Any]:
    """Return what was found so far, by release and framework."""
    return store.read(DATA)


def _in_short(found: dict[str, Any]) -> str:
    if "error" in found:
        return f"not run: {found['error']}"
    equal, models = counts(found)
    return f"{equal} of {models} equal"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
