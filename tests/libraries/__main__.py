"""Derive constructors of other libraries: ``python -m tests.libraries [SET] [--again]``.

Run in the checkout, where the libraries are installed. SET is ``fixed`` (the default), those of
constructors.toml, or ``diffusers`` or ``timm``, what these libraries list. Each formula is compared
with models built from plain ints, far from the sizes of its derivation.
SET.jsonl gets one result per line; constructors with a result are not run again,
unless ``--again`` is given. The status is 1 if a count differs from what the library builds.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from random import Random
from typing import Any

from docs.writers.libraries import FOLDER, stored
from paramproof.builders.meta import meta
from paramproof.derivation.sampling import sample_sizes
from paramproof.formulas.derivation import Derivation
from paramproof.sources.reference import in_one_line, load_reference
from paramproof.views.formula import formula_lines
from sweep.pool import run_in_processes
from tests.libraries.constructors import FIXED, largest_size, names, reference

SECONDS = 240.0
"""The processor time for a constructor: to derive it, and then to build models."""

NUMBER = {"fixed": 20, "diffusers": 10, "timm": 10}
"""The sets, with the distant sizes at which each constructor is compared."""


def work(name: str, seconds: float, result: dict[str, Any]) -> None:
    from paramproof.derivation.pipeline import derive
    from paramproof.tracing.constructors.function import function_constructor

    started = time.perf_counter()
    of = reference(name)
    try:
        found = derive(function_constructor(of, load_reference(of)))
    except Exception as error:  # A library's constructor may raise anything.
        said = str(error) if isinstance(error, ValueError) else in_one_line(error)
        why = said.removeprefix(f"{of} ").removeprefix(f"{of}: ")
        result |= {"status": "refused", "reason": why}
    else:
        result |= {
            "status": found.status,
            "formula": [line.strip() for line in formula_lines(found)][1:-1],
            "letters": dict(found.fields),
            "conditions": [str(stated.condition) for stated in found.conditions],
            "fixed": list(found.fixed),
            "caveats": list(found.reasons),
        }
        result |= compare(found, name, seconds)
    result["seconds"] = round(time.perf_counter() - started, 1)


def compare(derivation: Derivation, name: str, seconds: float) -> dict[str, Any]:
    """Return how many models were compared, which differ, and which were not built.

    A model that is not built at sizes that ``count`` accepts is not a wrong count: the constructor
    has a limit that no condition states.
    """
    function, random = load_reference(reference(name)), Random(derivation.name)
    limits = FIXED.get(name, {}).get("limits", {})
    ranges = {one: (1, largest_size(f, limits)) for one, f in derivation.fields.items()}
    conditions = [stated.condition for stated in derivation.conditions]
    fixed, until = frozenset(derivation.fixed), time.process_time() + seconds / 2
    compared, wrong, unbuilt = 0, [], []
    for _ in range(NUMBER.get(name.partition(".")[0], NUMBER["fixed"])):
        sizes = sample_sizes(random, derivation.sizes, conditions, fixed=fixed, ranges=ranges)
        if sizes is None or not derivation.has(sizes) or time.process_time() > until:
            continue
        named = {derivation.fields[one]: size for one, size in sizes.items()}
        try:
            with meta():
                model = function(**named)
        except Exception as error:
            unbuilt.append({"sizes": named, "why": in_one_line(error)[:200]})
            continue
        built = sum(one.numel() for one in model.parameters() if one.requires_grad)
        compared += 1
        if (counted := derivation.count(sizes)) != built:
            wrong.append({"sizes": named, "counted": counted, "built": built})
    return {"compared": compared, "wrong": wrong, "unbuilt": unbuilt}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.libraries")
    parser.add_argument("set", nargs="?", choices=NUMBER, default="fixed")
    parser.add_argument("--again", action="store_true", help="discard the stored results")
    parser.add_argument("--only", nargs="*", metavar="NAME", help="names of the set")
    options = parser.parse_args(arguments)
    path = FOLDER / f"{options.set}.jsonl"
    path.open("w" if options.again else "a").close()
    known = {one["name"] for one in stored(options.set)}
    todo = [one for one in options.only or names(options.set) if one not in known]
    with path.open("a", encoding="utf-8") as file:
        for name, found, seconds in run_in_processes(todo, work, SECONDS):
            failed = found.pop("failed")
            ended = {"status": "ended", "reason": failed[name]} if name in failed else {}
            one = {"name": name, "seconds": round(seconds, 1), **found, **ended}
            file.write(json.dumps(one, ensure_ascii=False) + "\n")
            file.flush()
            counts = f"{one.get('compared', 0)} compared, {len(one.get('wrong', ()))} wrong"
            print(f"{name}: {one['status']}, {counts}", flush=True)
    there = stored(options.set)
    print(dict(Counter(one["status"] for one in there)))
    return int(any(one.get("wrong") for one in there))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
