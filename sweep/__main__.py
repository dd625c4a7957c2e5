"""Derive the catalogue: ``python -m sweep [TYPE ...] [--part 1/8] [--seconds 120] [--again]``.

Run in the checkout, where PyTorch and Hugging Face transformers are installed. Each type is
derived in a process of its own, as many at a time as there are processors, and written to a file
of its own, those that are most used first; a type that is written already is left out, unless
``--again``. ``--compare`` derives every variant that is proved again, holds the others, writes
nothing, and prints in which letters an entry is otherwise; its status is then 1. ``--refresh``
derives every variant again, and where the formula is the same, writes whether it is proved, its
conditions and its caveats; it prints the variants that it leaves as they are, its status is then 1,
and ``--report FILE`` lists what is not proved any more as lines of JSON. ``--reads``
derives nothing: it writes which keys no class reads, and what the others are of themselves.
``--kinds`` adds variants that count how often each kind stands in a list of layers, and
``--biases`` those of flags of biases that have one value in an entry.
``--take-in`` makes the files those of the transformers that is installed: it derives again what
models show to be otherwise there, derives types that are new, prints in which letters they differ,
and writes all. What could not
be derived stands in ``sweep/failed.json``, with the reason; ``--reasons`` lists it by class of
reason.
``--hold`` derives nothing: it holds what is written to more random configurations, by ``--seed``,
and takes back what is not as transformers builds it.
``--random 300`` writes nothing either: it draws so many configurations of 60 types, by
``--seed``, and holds the catalogue's counts to what transformers builds; ``--public`` does so
with the public configurations of the tests. ``--adversary 300`` does so with configurations drawn
from transformers' classes alone, with no knowledge of the entries.
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

from paramproof.catalogue import model_types
from sweep.adversary import Verdict, judge_random
from sweep.build import build_entry
from sweep.difference import Difference
from sweep.jobs import (
    add_bias_variants,
    add_kind_counts,
    add_reads,
    compare,
    differences_in,
    refresh,
)
from sweep.model_types import swept_types
from sweep.pool import Work, run_in_processes
from sweep.public_configs import count_configs
from sweep.repair import EntryRepair
from sweep.spot_check import compare_random
from sweep.store import failures_by_reason, read_entry, read_failures, write_entry, write_failures
from sweep.upgrade import upgrade_entry

MAX_TYPES = 60
"""Of which random configurations are, at most."""


def main(arguments: list[str]) -> int:
    """Derive what is asked for; return the status."""
    options = _options(arguments)
    if options.reasons:
        for reason, names in failures_by_reason().items():
            print(f"{len(names)} {reason.value}: {', '.join(names)}")
        return 0
    if options.adversary or options.public or options.random:
        return _compare_with_models(options)
    wanted = options.types or swept_types()
    if unknown := sorted(set(wanted) - set(swept_types())):
        print(f"transformers has no base model of the type {', '.join(unknown)}", file=sys.stderr)
        return 2
    return _upgrade_all(wanted, options.seconds) if options.take_in else _process(wanted, options)


def _process(wanted: Sequence[str], options: argparse.Namespace) -> int:
    """Derive, compare, hold or refresh the types; return the status."""
    todo = _types_left(wanted, options)
    if options.hold:
        return _repair_all(todo, options.seed)
    for asked, work in (
        (options.reads, add_reads),
        (options.kinds, add_kind_counts),
        (options.biases, add_bias_variants),
    ):
        if asked:
            return _update_all(todo, work, options.seconds)
    if options.refresh:
        return _refresh_all(todo, options.seconds, options.report)
    work, say = (
        (compare, _describe_differences) if options.compare else (build_entry, _write_result)
    )
    changed = 0
    there = run_in_processes(todo, work, options.seconds, len(os.sched_getaffinity(0)))
    for number, (name, found, seconds) in enumerate(there, 1):
        changed += bool(options.compare and differences_in(found))
        print(f"{number}/{len(todo)} {name}: {say(name, found)} ({seconds:.0f} s)", flush=True)
    if options.compare:
        print(f"{len(todo) - changed} of {len(todo)} types are as they are written")
    return 1 if options.compare and changed else 0


def _compare_with_models(options: argparse.Namespace) -> int:
    """Compare what configurations are counted with what transformers builds; return the status."""
    if options.adversary:
        return _judge_adversary(options.types or swept_types(), options.adversary, options.seed)
    if options.public:
        return _count_public()
    return _compare_random(options.types or model_types(), options.random, options.seed)


def _types_left(wanted: Sequence[str], options: argparse.Namespace) -> list[str]:
    """Return the types of the part that is asked for, and of them what is left to do."""
    part, parts = options.part
    todo = [name for i, name in enumerate(wanted) if i % parts == part - 1]
    understands = options.reads or options.kinds or options.biases
    if options.hold or options.compare or options.refresh or understands:
        return [name for name in todo if read_entry(name)]
    known = {} if options.types else read_failures()
    return todo if options.again else [n for n in todo if not read_entry(n) and n not in known]


def _compare_random(known: Sequence[str], number: int, seed: int) -> int:
    """Hold random configurations, print what is not equal, and how many are; return the status."""
    equal, drawn = 0, set()
    for one in compare_random(known, number, MAX_TYPES, seed):
        drawn.add(one.model_type)
        equal += not one.mismatch
        if one.mismatch:
            print(f"{one.model_type}, {one.architecture}: {one.mismatch}; {json.dumps(one.config)}")
    print(
        f"{equal} of {number} configurations of {len(drawn)} types are as transformers builds them"
    )
    return 0 if equal == number else 1


def _judge_adversary(known: Sequence[str], number: int, seed: int) -> int:
    """Judge configurations, print what is wrong, and how many there are; return the status."""
    judged = Counter[Verdict]()
    for one in judge_random([name for name in known if read_entry(name)], number, seed):
        judged[one.verdict] += 1
        if one.problem:
            print(f"{one.verdict.value}: {one}", flush=True)
    print(", ".join(f"{judged[verdict]} {verdict.value}" for verdict in Verdict))
    return 1 if judged[Verdict.OTHER] else 0


def _count_public() -> int:
    """Hold the public configurations, print what is not equal, and how many are counted."""
    results = list(count_configs())
    there = [one for one in results if one.parameters is not None]
    apart = [one for one in there if one.mismatch]
    for one in apart:
        print(f"{one.model_type}, {one.architecture}: {one.mismatch}; {one.source}")
    print(f"{len(there)} of {len(results)} public configurations are counted", end=", ")
    print(f"{len(there) - len(apart)} as transformers builds them")
    return 1 if apart else 0


def _repair_all(names: Sequence[str], seed: int) -> int:
    """Hold what is written, and write what is left of it; the status is 1 where that is less."""
    changed = 0
    for name in names:
        data = read_entry(name)
        assert data
        mending = EntryRepair(data)
        mending.run([seed])
        if mending.dropped or mending.failed:
            changed += 1
            write_entry(name, data)
            write_failures(name, {**read_failures().get(name, {}), **mending.failed})
            print(f"{name}: {', '.join([*mending.dropped, *mending.failed])}", flush=True)
    print(f"{changed} of {len(names)} types were not as they are written")
    return 1 if changed else 0


def _write_result(name: str, found: dict[str, Any]) -> str:
    if "entry" in found:
        write_entry(name, found["entry"])
    write_failures(name, found["failed"])
    classes = found.get("entry", {}).get("classes", {})
    also = sum(len(one.get("also", ())) for one in classes.values())
    reasons = "; ".join(f"{what}: {one.why}" for what, one in found["failed"].items())[:200]
    return f"{len(classes)} classes, {also} variants" + (f"; not {reasons}" if reasons else "")


def _describe_differences(_: str, found: dict[str, Any]) -> str:
    lines = differences_in(found)
    held = f", {len(found['held'])} held" if found.get("held") else ""
    return "\n  ".join(["otherwise", *map(str, lines)]) if lines else f"the same{held}"


def _refresh_all(todo: Sequence[str], seconds: float, report: Path | None) -> int:
    """Derive the types again, and write what is new; the status is 1 where something is left."""
    left, lost = 0, list[dict[str, Any]]()
    there = run_in_processes(todo, refresh, seconds, len(os.sched_getaffinity(0)))
    for number, (name, found, took) in enumerate(there, 1):
        if "entry" in found:
            write_entry(name, found["entry"])
        lost += found.get("lost", ())
        lines = [*found.get("left", ()), *(one.why for one in found["failed"].values())]
        left += len(lines)
        summary = found.get("summary", "as it was")
        print(f"{number}/{len(todo)} {name}: {summary} ({took:.0f} s)", flush=True)
        for line in lines:
            print(f"  {name}, left: {line}", flush=True)
        if report:
            report.write_text("".join(f"{json.dumps(one)}\n" for one in lost), "utf-8")
    print(f"{len(lost)} classes and variants are not proved any more; {left} lines on what is left")
    return 1 if left else 0


def _update_all(todo: Sequence[str], work: Work, seconds: float) -> int:
    """Write what the work finds of each type; the status is 1 where something fails."""
    failures = 0
    there = run_in_processes(todo, work, seconds, len(os.sched_getaffinity(0)))
    for number, (name, found, took) in enumerate(there, 1):
        if found.get("changed", "entry" in found):
            write_entry(name, found["entry"])
        failures += bool(found["failed"])
        said = "written" if found.get("changed", "entry" in found) else "as it was"
        print(f"{number}/{len(todo)} {name}: {said} ({took:.0f} s)", flush=True)
        for what, one in found["failed"].items():
            print(f"  {what}: {one.why[:200]}", flush=True)
    return 1 if failures else 0


def _upgrade_all(wanted: Sequence[str], seconds: float) -> int:
    """Write the files as this release has them; the status is 1 where a type was not derived."""
    known = [name for name in wanted if read_entry(name)]
    new = [name for name in wanted if not read_entry(name) and name not in read_failures()]
    count, left = Counter[str](), list[str]()
    for names, work in ((known, upgrade_entry), (new, build_entry)):
        there = run_in_processes(names, work, seconds, len(os.sched_getaffinity(0)))
        for number, (name, found, took) in enumerate(there, 1):
            differences = [Difference.read(one) for one in found.get("differences", ())]
            is_new = work is build_entry
            if "entry" not in found:
                left.append(name)
            if not is_new and "entry" in found and not differences:
                write_entry(name, found["entry"])
                count["as they were"] += 1
                continue
            count["new" if is_new else "otherwise"] += "entry" in found
            said = [_write_result(name, found) if "entry" in found or is_new else "left as it was"]
            said += map(str, differences)
            said += (one.why for one in found["failed"].values() if "entry" not in found)
            took_text = f"{number}/{len(names)} {name} ({took:.0f} s): "
            print(took_text + "\n  ".join(said), flush=True)
    for name in sorted(set(model_types()) - set(swept_types())):
        print(f"{name}: transformers does not have this type any more")
    print(", ".join(f"{number} {what}" for what, number in count.items()))
    if left:
        print(f"not derived: {', '.join(left)}")
    return 1 if left else 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m sweep", description=__doc__.split("\n")[0])
    parser.add_argument("types", nargs="*", metavar="TYPE", help="model types; all by default")
    parser.add_argument("--part", type=_part, default=(1, 1), help="one part of several: 1/8")
    parser.add_argument(
        "--seconds", type=float, default=120, help="of the processor, for each type"
    )
    parser.add_argument("--again", action="store_true", help="what is written already, too")
    parser.add_argument("--hold", action="store_true", help="derive nothing; hold what is written")
    parser.add_argument("--random", type=int, metavar="N", help="hold N random configurations")
    parser.add_argument(
        "--adversary", type=int, metavar="N", help="judge N configurations that know no entries"
    )
    parser.add_argument("--public", action="store_true", help="hold public configurations")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn")
    parser.add_argument("--compare", action="store_true", help="write nothing; say what changed")
    parser.add_argument(
        "--refresh", action="store_true", help="write how far each written formula holds now"
    )
    parser.add_argument(
        "--report", type=Path, metavar="FILE", help="what --refresh found not proved any more"
    )
    parser.add_argument("--reads", action="store_true", help="write which keys no class reads")
    parser.add_argument("--kinds", action="store_true", help="count the kinds of lists of layers")
    parser.add_argument(
        "--biases", action="store_true", help="add variants of biases that have one value"
    )
    parser.add_argument(
        "--take-in", action="store_true", help="write what this release of transformers changed"
    )
    parser.add_argument("--reasons", action="store_true", help="list what failed, by reason")
    return parser.parse_args(arguments)


def _part(text: str) -> tuple[int, int]:
    part, _, parts = text.partition("/")
    if not (part.isdigit() and parts.isdigit() and 1 <= int(part) <= int(parts)):
        raise argparse.ArgumentTypeError(f"{text!r} is no part, as 1/8 is")
    return int(part), int(parts)


def restart_with_hash_seed() -> None:
    """Begin again with a seed for hashes, unless there is one.

    Some configurations go through a set of names, as Dots3's does: in which order they ask of sizes
    decides which sizes are drawn, and so may the conditions of what is not proved.
    """
    if "PYTHONHASHSEED" not in os.environ:
        again = [sys.executable, "-m", "sweep", *sys.argv[1:]]
        os.execve(sys.executable, again, {**os.environ, "PYTHONHASHSEED": "0"})


if __name__ == "__main__":
    restart_with_hash_seed()
    sys.exit(main(sys.argv[1:]))
