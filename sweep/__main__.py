"""Trace the classes of the installed transformers: ``python -m sweep [TYPE ...] [OPTION ...]``.

Run it in the checkout, with PyTorch and Hugging Face transformers installed. It traces the model
types, by default all, each in a process of its own, writes the catalogue's data, and prints what
changes, in symbols. Without types it also writes the names of classes and the conversions of
checkpoints anew. What could not be traced goes into ``sweep/untraced.json``, with the reason.

These options write nothing:

* ``--compare`` traces and prints the differences. Its status is 1 if there are any.
* ``--adversary 300`` compares configurations that are drawn by ``--seed``, without any knowledge of
  the catalogue, with transformers' models.
* ``--coverage`` says how many saved defaults, edited ones, and files of served and public models
  are counted, and for which keys the others are refused; ``--public`` does so for the latter alone.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

from transformers import CONFIG_MAPPING

from paramproof.catalogue import model_types
from sweep import conversions
from sweep.library.verdict import WRONG, Verdict, print_totals, printed
from sweep.programs import differences, names, read_files, write_files, write_names
from sweep.samples.adversary import judge_random
from sweep.samples.coverage import Kind, causes, configs, coverage_table, judge
from sweep.trace import traced

UNTRACED = Path(__file__).parent / "untraced.json"
"""The classes that could not be traced, each with its model type and the reason."""

SECONDS = 120.0
"""The processor time for a type."""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m sweep", description="Trace the classes of the installed transformers."
    )
    add = parser.add_argument
    add("types", nargs="*", metavar="TYPE", help="model types (default: all)")
    add("--compare", action="store_true", help="trace again, and only print the differences")
    add("--adversary", type=int, metavar="N", help="compare N configurations with models")
    add("--coverage", action="store_true", help="say how many configurations are counted")
    add("--public", action="store_true", help="the same for public configurations alone")
    add("--seed", type=int, default=0, help="seed for configurations that are drawn")
    options = parser.parse_args(arguments)
    types = options.types or [*CONFIG_MAPPING]
    if unknown := sorted({*types} - {*CONFIG_MAPPING}):
        print(f"transformers has no model type {', '.join(unknown)}", file=sys.stderr)
        return 2
    counted = [name for name in types if name in model_types()]
    if options.adversary:
        found = judge_random(counted, options.adversary, options.seed)
        return print_totals(found, shown=(Verdict.NOT_COUNTED, *WRONG))
    if options.coverage or options.public:
        kinds = Kind if options.coverage else [Kind.PUBLIC]
        return _measure_coverage(kinds, types, options.seed)
    changed = _trace(types, is_all=not options.types, is_kept=not options.compare)
    if not options.types and not options.compare:
        conversions.main()
    return 1 if changed and options.compare else 0


def _trace(types: Sequence[str], *, is_all: bool, is_kept: bool) -> bool:
    """Trace model types, and print what changes; return whether anything does."""
    before = read_files()
    after = {k: v for k, v in before.items() if not is_all or "transformers" not in v["versions"]}
    untraced: dict[str, list[str]] = {} if is_all else json.loads(UNTRACED.read_text("utf-8"))
    for number, (name, data, failed, took) in enumerate(traced(types, SECONDS), 1):
        print(f"{number}/{len(types)} {name} ({took:.0f} s)", file=sys.stderr, flush=True)
        untraced = {one: pair for one, pair in untraced.items() if pair[0] != name}
        untraced |= {one: [name, why] for one, why in failed.items()}
        after.pop(name, None)
        if data:
            after[name] = data
    lines = [*differences(before, after)]
    print("\n".join([*lines, f"{len({line.partition(':')[0] for line in lines})} types changed"]))
    for why, count in Counter(why for _, why in untraced.values()).most_common():
        print(f"{count} untraced: {why}")
    if is_kept:
        write_files(after)
        write_names(names({name: [*data["models"]] for name, data in after.items()}))
        UNTRACED.write_text(json.dumps(dict(sorted(untraced.items())), indent=1) + "\n", "utf-8")
    return bool(lines)


def _measure_coverage(kinds: Iterable[Kind], types: Sequence[str], seed: int) -> int:
    """Print a table, and the causes of refusals; return 1 if a count is wrong, or else 0."""
    results = {kind: [*printed(map(judge, configs(kind, types, seed)))] for kind in kinds}
    every = [*chain(*results.values())]
    print(coverage_table(results))
    print(*causes(every), sep="\n")
    return 1 if any(one.verdict is Verdict.OTHER for one in every) else 0


if __name__ == "__main__":
    # Some configurations iterate over a set of names, as Dots3's does.
    if "PYTHONHASHSEED" not in os.environ:
        again = [sys.executable, "-m", "sweep", *sys.argv[1:]]
        os.execve(sys.executable, again, {**os.environ, "PYTHONHASHSEED": "0"})
    sys.exit(main(sys.argv[1:]))
