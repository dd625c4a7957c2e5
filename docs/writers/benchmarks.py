"""bench/README.md: what counting costs, from bench/measured.json."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from statistics import median
from typing import Any

from bench.__main__ import ABSTRACT, BASE, LARGE, RESULTS
from docs.writers.blocks import place
from paramproof.differences.answer import versions_text
from paramproof.formulas import closed_form
from paramproof.formulas.models import named_model
from paramproof.tables import markdown_rows


@cache
def results() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(RESULTS.read_text("utf-8"))
    return found


@place("machine", "bench")
def machine() -> str:
    found, own = results()["machine"], results()["frameworks"].values()
    versions = versions_text([found["versions"], *(one["versions"] for one in own)])
    return f"{found['system']}, {found['processors']} processors: {versions}."


def warm(processes: Sequence[Mapping[str, Any]]) -> float:
    """Return the median seconds of the later counts of every process."""
    found: float = median(seconds for process in processes for seconds in process["warm"])
    return found


def models(model: str) -> str:
    heads = "framework", "way", "import", "cold", "warm", "times", "peak MB", "growth", "off"
    rows = (
        (name, way, *_row(model, processes, warm(one["models"][model][ABSTRACT])))
        for name, one in results()["frameworks"].items()
        for way, processes in one["models"].get(model, {}).items()
    )
    return markdown_rows(heads, rows, ["---"] * 2 + ["---:"] * 7)


place(BASE, "bench")(partial(models, BASE))
place(LARGE, "bench")(partial(models, LARGE))


def _row(model: str, processes: Sequence[Mapping[str, Any]], abstract: float) -> Iterator[str]:
    own = warm(processes)
    times = own / abstract
    yield f"{median(process['import'] for process in processes):.1f}"
    yield _seconds(median(process["cold"] for process in processes))
    yield _seconds(own)
    yield f"{times:,.0f}" if times >= 100 else f"{times:.1f}"
    yield f"{max(process['peak_mb'] for process in processes):,.0f}"
    yield f"{max(process['peak_mb'] - process['first_mb'] for process in processes):z,.0f}"
    formula = closed_form(named_model(model).spec.letters())
    off = {process["count"] - formula for process in processes}
    yield " or ".join(f"{difference:+,}" if difference else "0" for difference in sorted(off))


def _seconds(seconds: float) -> str:
    """Two figures, or tenths from 1 s up: what is measured is not more exact."""
    return f"{seconds:.1f}" if seconds >= 1 else f"{float(f'{seconds:.2g}'):.4f}".rstrip("0")
