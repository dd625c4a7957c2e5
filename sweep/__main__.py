"""Derive the catalogue's data from transformers: ``python -m sweep [TYPE ...] [OPTION ...]``.

Run it in the checkout, with PyTorch and Hugging Face transformers installed. It derives each type
in a process of its own, as many at a time as there are processors, widely used types first. Each
type has a file of its own; a type that has one is skipped, unless ``--again`` is given. What could
not be derived goes into ``sweep/failed.json``, with the reason.

These options update existing files:

* ``--take-in`` upgrades them to the installed transformers. It derives again the types whose models
  differ, derives new types, and prints the differences symbolically. Types whose files are of this
  release already are left out, unless they are named.
* ``--refresh`` derives every variant again. If the formula is the same, it writes the new status,
  conditions and caveats. It prints the variants that it leaves unchanged; its status is then 1.
  ``--report FILE`` lists what is no longer proved, as lines of JSON.
* ``--update PART`` finds one part of a file again: ``reads`` (which keys no class reads, and the
  defaults of the others), ``late-aliases``, ``older-names``, ``filled-values``, ``stages``,
  ``spellings``, ``zeros`` (sizes that may be 0), ``bounds`` (what token ids must be below) and
  ``networks`` (of backbones that timm builds); ``classes`` adds classes of tasks for which a file
  has none, and ``values`` accepted values of fields that decide nothing; ``kinds`` adds variants
  that count the kinds in lists of layers, and ``biases`` those for bias flags with only one value
  in an entry, and for changes of released models.
* ``--hold`` checks them with more random configurations, drawn by ``--seed``, and withdraws what
  differs from transformers' models.

These write nothing:

* ``--compare`` derives every proved variant again, checks the others, and prints the differences
  symbolically. Its status is 1 if there are any.
* ``--random 300`` compares 300 random configurations of 60 types, drawn by ``--seed``, with
  transformers' models, and ``--public`` the public configurations of the tests.
* ``--adversary 300`` compares configurations that are drawn without any knowledge of the entries.
* ``--coverage`` says how many saved defaults, edited ones, and files of served and public models
  are counted, and for which keys the others are refused.
* ``--reasons`` lists what could not be derived, by reason.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from paramproof.catalogue import model_types, read_type
from paramproof.catalogue.names import transformers_entries
from sweep.entries.build import build_entry, is_upgraded, upgrade_entry
from sweep.entries.comparison import Difference
from sweep.entries.repair import EntryRepair
from sweep.jobs import UPDATES, compare, differences_in, refresh
from sweep.library.model_types import swept_types
from sweep.pool import Work, run_in_processes
from sweep.samples.adversary import judge_random
from sweep.samples.coverage import Kind, causes, count_configs, coverage_table, measure
from sweep.samples.fuzz import compare_random
from sweep.samples.random_configs import JUDGED, Verdict
from sweep.store import failures_by_reason, read_entry, read_failures, write_entry, write_failures

MAX_TYPES = 60
"""The largest number of types from which ``--random`` draws."""


def main(arguments: list[str]) -> int:
    """Run the command; return the status."""
    options = _options(arguments)
    if options.reasons:
        for reason, names in failures_by_reason().items():
            print(f"{len(names)} {reason.value}: {', '.join(names)}")
        return 0
    if options.adversary or options.public or options.random or options.coverage:
        return _compare_with_models(options)
    wanted = options.types or swept_types()
    if unknown := sorted(set(wanted) - set(swept_types())):
        print(f"transformers has no base model for the type {', '.join(unknown)}", file=sys.stderr)
        return 2
    if options.take_in:
        # Without the types that an earlier run, which was interrupted, has upgraded.
        todo = options.types or [name for name in wanted if not is_upgraded(name)]
        return _upgrade_all(todo, options.seconds)
    return _process(wanted, options)


def _process(wanted: Sequence[str], options: argparse.Namespace) -> int:
    """Derive, compare, check or update the types; return the status."""
    todo = _types_left(wanted, options)
    if options.hold:
        return _repair_all(todo, options.seed)
    if options.update:
        return _update_all(todo, UPDATES[options.update], options.seconds)
    if options.refresh:
        return _refresh_all(todo, options.seconds, options.report)
    work, say = (
        (compare, _describe_differences) if options.compare else (build_entry, _write_result)
    )
    changed = 0
    results = run_in_processes(todo, work, options.seconds)
    for number, (name, result, seconds) in enumerate(results, 1):
        changed += bool(options.compare and differences_in(result))
        print(f"{number}/{len(todo)} {name}: {say(name, result)} ({seconds:.0f} s)", flush=True)
    if options.compare:
        print(f"{len(todo) - changed} of {len(todo)} types are unchanged")
    return 1 if options.compare and changed else 0


def _compare_with_models(options: argparse.Namespace) -> int:
    """Compare the counts of configurations with transformers' models; return the status."""
    if options.adversary:
        return _judge_adversary(options.types or swept_types(), options.adversary, options.seed)
    if options.public:
        return _count_public()
    if options.coverage:
        return _measure_coverage(options.types or swept_types(), options.seed)
    return _compare_random(options.types or transformers_entries(), options.random, options.seed)


def _types_left(wanted: Sequence[str], options: argparse.Namespace) -> list[str]:
    """Return the types of the requested part that are left to process."""
    part, parts = options.part
    todo = [name for i, name in enumerate(wanted) if i % parts == part - 1]
    if options.hold or options.compare or options.refresh or options.update:
        return [name for name in todo if read_entry(name)]
    known = {} if options.types else read_failures()
    return todo if options.again else [n for n in todo if not read_entry(n) and n not in known]


def _compare_random(known: Sequence[str], number: int, seed: int) -> int:
    """Compare random configurations, and print the differences. Return the status."""
    equal, drawn = 0, set()
    for one in compare_random(known, number, MAX_TYPES, seed):
        drawn.add(one.model_type)
        equal += not one.mismatch
        if one.mismatch:
            print(f"{one.model_type}, {one.architecture}: {one.mismatch}; {json.dumps(one.config)}")
    print(f"{equal} of {number} configurations of {len(drawn)} types equal transformers' models")
    return 0 if equal == number else 1


def _judge_adversary(known: Sequence[str], number: int, seed: int) -> int:
    """Judge configurations, and print the mismatches and totals. Return the status."""
    judged = Counter[Verdict]()
    for one in judge_random([name for name in known if read_entry(name)], number, seed):
        judged[one.verdict] += 1
        if one.problem:
            print(f"{one.verdict.text()}: {one}", flush=True)
    print(", ".join(f"{judged[one]} {one.text()}" for one in JUDGED))
    return 1 if judged[Verdict.OTHER] else 0


def _count_public() -> int:
    """Compare the public configurations, and print the differences and totals."""
    results = list(count_configs())
    counted = [one for one in results if one.parameters is not None]
    apart = [one for one in counted if one.mismatch]
    for one in apart:
        print(f"{one.model_type}, {one.architecture}: {one.mismatch}; {one.source}")
    print(f"{len(counted)} of {len(results)} public configurations are counted", end=", ")
    print(f"{len(counted) - len(apart)} equal transformers' models")
    return 1 if apart else 0


def _measure_coverage(names: Sequence[str], seed: int) -> int:
    """Count configurations of all kinds, and print a table and the causes of refusals.

    The status is 1 if a count is wrong.
    """
    results = []
    for one in measure(Kind, names, seed):
        results.append(one)
        if one.verdict is Verdict.OTHER:
            print(f"{one.verdict.value}: {one.why}; {json.dumps(one.config)[:400]}", flush=True)
    print(coverage_table(results))
    for key, number, types in causes(results):
        print(f"{number} {key}: {', '.join(types)}")
    return 1 if any(one.verdict is Verdict.OTHER for one in results) else 0


def _repair_all(names: Sequence[str], seed: int) -> int:
    """Check the files, and write what is left of them. The status is 1 if something changed."""
    changed = 0
    for name in names:
        data = read_entry(name)
        assert data
        repair = EntryRepair(data)
        repair.run([seed])
        if repair.dropped or repair.failed:
            changed += 1
            write_entry(name, data)
            write_failures(name, {**read_failures().get(name, {}), **repair.failed})
            print(f"{name}: {', '.join([*repair.dropped, *repair.failed])}", flush=True)
    print(f"{changed} of {len(names)} types changed")
    return 1 if changed else 0


def _write_result(name: str, result: dict[str, Any]) -> str:
    if "entry" in result:
        write_entry(name, result["entry"])
    write_failures(name, result["failed"])
    classes = result.get("entry", {}).get("classes", {})
    also = sum(len(one.get("also", ())) for one in classes.values())
    reasons = "; ".join(f"{what}: {one.why}" for what, one in result["failed"].items())[:200]
    return f"{len(classes)} classes, {also} variants" + (
        f"; not derived: {reasons}" if reasons else ""
    )


def _describe_differences(_: str, result: dict[str, Any]) -> str:
    lines = differences_in(result)
    held = f", {len(result['held'])} only checked" if result.get("held") else ""
    return "\n  ".join(["different", *map(str, lines)]) if lines else f"the same{held}"


def _refresh_all(todo: Sequence[str], seconds: float, report: Path | None) -> int:
    """Refresh the types, and write the files. The status is 1 if something stays unchanged."""
    left, lost = 0, list[dict[str, Any]]()
    results = run_in_processes(todo, refresh, seconds)
    for number, (name, result, took) in enumerate(results, 1):
        if "entry" in result:
            write_entry(name, result["entry"])
        lost += result.get("lost", ())
        lines = [*result.get("left", ()), *(one.why for one in result["failed"].values())]
        left += len(lines)
        summary = result.get("summary", "unchanged")
        print(f"{number}/{len(todo)} {name}: {summary} ({took:.0f} s)", flush=True)
        for line in lines:
            print(f"  {name}, unchanged: {line}", flush=True)
        if report:
            report.write_text("".join(f"{json.dumps(one)}\n" for one in lost), "utf-8")
    print(
        f"{len(lost)} classes and variants are no longer proved; {left} lines say what is unchanged"
    )
    return 1 if left else 0


def _update_all(todo: Sequence[str], work: Work, seconds: float) -> int:
    """Run a job for each type, and write the files. The status is 1 if something fails."""
    failures = 0
    results = run_in_processes(todo, work, seconds)
    for number, (name, result, took) in enumerate(results, 1):
        if result.get("changed"):
            write_entry(name, result["entry"])
        failures += bool(result["failed"])
        outcome = "written" if result.get("changed") else "unchanged"
        print(f"{number}/{len(todo)} {name}: {outcome} ({took:.0f} s)", flush=True)
        for what, values in result.get("added", {}).items():
            print(f"  {what}: {', '.join(values)}", flush=True)
        for what, one in result["failed"].items():
            print(f"  {what}: {one.why[:200]}", flush=True)
    return 1 if failures else 0


def _upgrade_all(wanted: Sequence[str], seconds: float) -> int:
    """Upgrade the files to this release. The status is 1 if a type was not derived."""
    known = [name for name in wanted if read_entry(name)]
    new = [name for name in wanted if not read_entry(name) and name not in read_failures()]
    count, left = Counter[str](), list[str]()
    for names, work in ((known, upgrade_entry), (new, build_entry)):
        results = run_in_processes(names, work, seconds)
        for number, (name, result, took) in enumerate(results, 1):
            differences = [Difference.read(one) for one in result.get("differences", ())]
            is_new = work is build_entry
            if "entry" not in result:
                left.append(name)
            if not is_new and "entry" in result and not differences:
                write_entry(name, result["entry"])
                count["unchanged"] += 1
                continue
            count["new" if is_new else "changed"] += "entry" in result
            lines = [_write_result(name, result) if "entry" in result or is_new else "unchanged"]
            lines += map(str, differences)
            lines += (one.why for one in result["failed"].values() if "entry" not in result)
            took_text = f"{number}/{len(names)} {name} ({took:.0f} s): "
            print(took_text + "\n  ".join(lines), flush=True)
    for name in sorted(set(model_types()) - set(swept_types())):
        if read_type(name).library == "transformers":
            print(f"{name}: transformers no longer has this type")
    print(", ".join(f"{number} {what}" for what, number in count.items()) or "no types are left")
    if left:
        print(f"not derived: {', '.join(left)}")
    return 1 if left else 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m sweep", description="Derive the catalogue's data from transformers."
    )
    parser.add_argument("types", nargs="*", metavar="TYPE", help="model types (default: all)")
    parser.add_argument(
        "--part", type=_part, default=(1, 1), help="process one part of the types, such as 1/8"
    )
    parser.add_argument(
        "--seconds", type=float, default=120, help="CPU time for each type (default: 120)"
    )
    parser.add_argument("--again", action="store_true", help="include types that have a file")
    parser.add_argument(
        "--hold", action="store_true", help="check existing files, and withdraw what differs"
    )
    parser.add_argument("--random", type=int, metavar="N", help="compare N random configurations")
    parser.add_argument(
        "--adversary",
        type=int,
        metavar="N",
        help="compare N configurations drawn without the entries",
    )
    parser.add_argument("--public", action="store_true", help="compare public configurations")
    parser.add_argument(
        "--coverage", action="store_true", help="say how many configurations are counted"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed for random configurations")
    parser.add_argument(
        "--compare", action="store_true", help="derive again, and print the differences"
    )
    parser.add_argument(
        "--refresh", action="store_true", help="derive again, and update the status of formulas"
    )
    parser.add_argument(
        "--report", type=Path, metavar="FILE", help="write what --refresh no longer proves to FILE"
    )
    parser.add_argument("--update", choices=UPDATES, help="find one part of a file again")
    parser.add_argument(
        "--take-in", action="store_true", help="upgrade the files to the installed transformers"
    )
    parser.add_argument(
        "--reasons", action="store_true", help="list what could not be derived, by reason"
    )
    return parser.parse_args(arguments)


def _part(text: str) -> tuple[int, int]:
    part, _, parts = text.partition("/")
    if not (part.isdigit() and parts.isdigit() and 1 <= int(part) <= int(parts)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a part such as 1/8")
    return int(part), int(parts)


def restart_with_hash_seed() -> None:
    """Restart Python with a fixed hash seed, unless there is one.

    Some configurations iterate over a set of names, as Dots3's does. The order in which they use
    sizes determines which sizes are drawn, and may change the guards of a fitted formula.
    """
    if "PYTHONHASHSEED" not in os.environ:
        again = [sys.executable, "-m", "sweep", *sys.argv[1:]]
        os.execve(sys.executable, again, {**os.environ, "PYTHONHASHSEED": "0"})


if __name__ == "__main__":
    restart_with_hash_seed()
    sys.exit(main(sys.argv[1:]))
