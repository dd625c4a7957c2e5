"""One case in a process of its own: ``python -m bench.measure CASE MODEL``.

Prints JSON. In place of a model, ``sweeps`` measures the curves. ``pytest-benchmark`` runs
all it times in one process; here every case needs its own, since frameworks differ in the
environment variables they need, memory has a peak per process, and only the first call of
a process is cold. A timer then needs only ``perf_counter`` and a median.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from typing import Any

from bench.cases import SWEEPS, Case, Count, case, encoder, swept
from paramproof.builders.registry import framework
from paramproof.workers.memory import peak_memory
from paramproof.workers.worker import load_builder

# Calls after the first: until this many seconds are spent, and in any case so many calls.
SECONDS = 1.0
FEWEST, MOST = 2, 10
# Passes over the sizes of a curve.
PASS_SECONDS = 3.0
FEWEST_PASSES, MOST_PASSES = 2, 5


def main() -> None:
    """Measure, and print the result on the last line of standard output."""
    chosen, what = case(sys.argv[1]), sys.argv[2]
    result = sweeps(chosen) if what == "sweeps" else model(chosen, what)
    print(json.dumps(result))


def model(chosen: Case, name: str) -> dict[str, Any]:
    """Seconds to import, of the first call and of later ones; the count; peaks in MB.

    ``first_mb`` is the peak once the first call is over, ``peak_mb`` that of the process.
    """
    start = time.perf_counter()
    call = chosen.prepare(load_builder(framework(chosen.framework)), encoder(name))
    imported = time.perf_counter() - start
    cold, count = timed(call)
    first = peak_memory()
    warm: list[float] = []
    while len(warm) < FEWEST or (sum(warm) < SECONDS and len(warm) < MOST):
        warm.append(timed(call)[0])
    return {
        "import": round(imported, 3),
        "cold": cold,
        "warm": warm,
        "count": count,
        "first_mb": round(first / 1e6, 1),
        "peak_mb": round(peak_memory() / 1e6, 1),
    }


def sweeps(chosen: Case) -> dict[str, list[float]]:
    """Seconds at each size of each curve: the best of several passes over all the sizes.

    By passes, and not size by size, so that a machine that slows down meanwhile does not
    bend the curve.
    """
    builder = load_builder(framework(chosen.framework))
    curves = {}
    for axis, sizes in SWEEPS.items():
        calls = [chosen.prepare(builder, swept(axis, size)) for size in sizes]
        calls[0]()
        passes: list[list[float]] = []
        while len(passes) < FEWEST_PASSES or (
            sum(map(sum, passes)) < PASS_SECONDS and len(passes) < MOST_PASSES
        ):
            passes.append([timed(call)[0] for call in calls])
        curves[axis] = [min(seconds) for seconds in zip(*passes, strict=True)]
    return curves


def timed(call: Count) -> tuple[float, int]:
    """Seconds of one call, and what it counted. The rubbish of earlier calls is not its own."""
    gc.collect()
    start = time.perf_counter()
    count = call()
    return round(time.perf_counter() - start, 6), count


if __name__ == "__main__":
    main()
