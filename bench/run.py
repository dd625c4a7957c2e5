"""The one run of all benchmarks: ``python -m bench.run``, in the checkout.

Writes what was measured to ``docs/benchmarks.json``, then page and plot from it. Processes
run one after another, and in rounds, so that a machine that slows down meanwhile does so
for all cases alike. ``--framework`` measures one that was added, and keeps the others' figures.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

from rich.console import Console
from rich.progress import Progress

from bench.cases import ABSTRACT, BASE, LARGE, Case, cases
from bench.page import RESULTS, write
from docs.writers.blocks import ROOT
from paramproof.builders.registry import framework, frameworks

ROUNDS = 2


def main() -> None:
    """Measure everything and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--framework", action="append", default=[], choices=[*frameworks()])
    options = parser.parse_args()
    chosen = options.framework or [*frameworks()]
    jobs = [job for job in _jobs(options.rounds) if job[0].framework in chosen]
    console = Console(stderr=True)
    measured = []
    with Progress(console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=len(jobs))
        for case, what in jobs:
            progress.update(task, description=f"{case.name}, {what}")
            measured.append(measure(case, what))
            progress.advance(task)
    results = {
        "machine": machine(),
        "models": _models(jobs, measured),
        "curves": {
            case.framework: curves
            for (case, what), curves in zip(jobs, measured, strict=True)
            if what == "sweeps"
        },
    }
    if options.framework:
        results = _merged(json.loads(RESULTS.read_text("utf-8")), results)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    write(results)


def _merged(known: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """Return the known results with those that were found, in the order of the frameworks."""
    order = [*frameworks()]
    new = dict.fromkeys(entry["framework"] for entry in found["models"])
    models = [entry for entry in known["models"] if entry["framework"] not in new]
    curves = known["curves"] | found["curves"]
    versions = {k: v for name in new for k, v in framework(name).versions().items()}
    return {
        "machine": known["machine"]
        | {"versions": dict(sorted((known["machine"]["versions"] | versions).items()))},
        "models": sorted(
            [*models, *found["models"]],
            key=lambda entry: (entry["model"] != BASE, order.index(entry["framework"])),
        ),
        "curves": {name: curves[name] for name in order if name in curves},
    }


def _jobs(rounds: int) -> Iterator[tuple[Case, str]]:
    """Yield every process of a run, in order."""
    for _ in range(rounds):
        yield from ((case, BASE) for case in cases())
    yield from ((case, LARGE) for case in cases() if not case.allocates)
    yield from ((case, "sweeps") for case in cases() if case.way == ABSTRACT)


def measure(case: Case, what: str) -> dict[str, Any]:
    """Run a case in its own process. Raises ``RuntimeError`` with its errors if it fails."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.measure", case.name, what],
        cwd=ROOT,
        env={**os.environ, **framework(case.framework).environment},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"{case.name}, {what}: status {done.returncode}\n{done.stderr}")
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def _models(jobs: list[tuple[Case, str]], measured: list[Any]) -> list[dict[str, Any]]:
    """Return one entry per case and model, with the measurements of its processes."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for (case, what), result in zip(jobs, measured, strict=True):
        if what != "sweeps":
            entry = {"framework": case.framework, "way": case.way, "model": what, "processes": []}
            found.setdefault((case.name, what), entry)["processes"].append(result)
    return list(found.values())


def machine() -> dict[str, Any]:
    """Return what the figures depend on, without names and paths."""
    tools: dict[str, str | None] = {
        "torchinfo": version("torchinfo"),
        "python": platform.python_version(),
    }
    for there in frameworks().values():
        tools |= there.versions()
    return {
        "system": f"{platform.system()}, {platform.machine()}",
        "processors": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None,
        "versions": dict(sorted(tools.items())),
    }


if __name__ == "__main__":
    main()
