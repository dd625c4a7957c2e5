"""``docs/benchmarks.md`` from ``docs/benchmarks.json``: ``python -m bench.page``.

Needs no framework, so that a test can hold the page to the results anywhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from math import log
from statistics import linear_regression, median
from typing import Any

from bench.cases import ABSTRACT, BASE, LARGE, PLAIN, SWEEPS
from bench.targets import EXPONENTS, PEAK_MB, TARGETS
from docs.writers.blocks import ROOT
from paramproof.formulas import closed_form
from paramproof.formulas.models import named_model
from paramproof.views.table import markdown_rows

RESULTS = ROOT / "docs" / "benchmarks.json"
PAGE = ROOT / "docs" / "benchmarks.md"
PLOT = ROOT / "docs" / "benchmarks.svg"

# A curve's first points are a fixed cost; from here on it is the layers that cost.
FROM_LAYERS = 16

TEXT = """\
<!-- Written by `tox run -e bench`; do not edit. -->

# What counting costs

{machine}.
{versions}.

Each line is measured in processes of its own, one after another{rounds}. *import* is the
time to import the framework and what the way needs, *cold* the first count of a process,
*warm* the median of later ones. All three are seconds. A count goes from the sizes to the
number: the model is built each time. *times* is *warm* as a multiple of the framework's
abstract build. *peak MB* is the peak resident memory of the process in 10⁶ bytes, its
imports included, and *growth* the part of it that came after the first count. *off* is what
the number differs from the formula's.

These are one machine's figures and say how ways compare, not what they cost elsewhere.
Times of the abstract build include the formula and the comparison, tensor by tensor, which
the other ways do not do. Python's garbage collector runs, and its work is included; as in a
worker of `verify`, what was imported is set aside from it (`gc.freeze`).

## {base}, side by side

- "{abstract}" is `paramproof.checks.model.check`: nothing is allocated.
- "{plain}" is the same file with `allocate=True`, then the sum of its weights.
- The others are what people use.

keras-bert's own way, "get_model, count_params", has no pooler, and is off by that. PyTorch's
first build on the meta device imports some hundreds of its own modules, which is why *cold*
is so much more than *warm*.

{side_by_side}

## {large}

175 billion parameters, 700 GB if allocated: only the ways that allocate nothing, each in one
process.

{large_table}

## Against the targets

{targets}

*times* is real over abstract for {base}, warm; seconds and MB are those of the abstract
build of {large}. The last three columns are exponents: cost grows like L, H or V to that
power. 1 is linear, 0 constant; {exponents} are the limits, a tenth being left for noise.
An empty limit means that none was set.

## Against size

![Seconds of one abstract build against the number of layers and the hidden size](benchmarks.svg)

Seconds of one abstract build, the best of several, at the sizes of {base} except for what
varies: L layers; hidden size H in 2 layers, with heads of 64 and F = 4H; V tokens, in 2
layers. The exponent is the slope of a straight line through the logarithms, for L from
{from_layers} layers up.

{curves}
"""


def render(results: dict[str, Any]) -> str:
    """The page that these results make."""
    machine, models = results["machine"], results["models"]
    rounds = max(len(entry["processes"]) for entry in models)
    return TEXT.format(
        machine=f"{machine['system']}, {machine['processors']} processors",
        versions=", ".join(f"{name} {number}" for name, number in machine["versions"].items()),
        rounds=f", in {rounds} rounds over all of them" if rounds > 1 else "",
        base=BASE,
        large=LARGE,
        abstract=ABSTRACT,
        plain=PLAIN,
        side_by_side=_models_table(models, BASE),
        large_table=_models_table(models, LARGE),
        targets=_targets_table(results),
        exponents=" and ".join(map(str, dict.fromkeys(EXPONENTS.values()))),
        from_layers=FROM_LAYERS,
        curves=_curves_table(results["curves"]),
    )


def warm(models: list[dict[str, Any]], framework: str, way: str, model: str) -> float:
    """Median seconds of the later counts of every process."""
    processes = _entry(models, framework, way, model)["processes"]
    result: float = median(seconds for process in processes for seconds in process["warm"])
    return result


def speedup(models: list[dict[str, Any]], framework: str) -> float:
    """How many times the abstract build of BERT-base the plain way takes."""
    plain, abstract = (warm(models, framework, way, BASE) for way in (PLAIN, ABSTRACT))
    return plain / abstract


def exponent(axis: str, seconds: Sequence[float]) -> float:
    """Slope of log seconds against log size."""
    lowest = FROM_LAYERS if axis == "num_hidden_layers" else 0
    points = [
        (log(size), log(second))
        for size, second in zip(SWEEPS[axis], seconds, strict=True)
        if size >= lowest
    ]
    return linear_regression(*zip(*points, strict=True)).slope


def _entry(models: list[dict[str, Any]], framework: str, way: str, model: str) -> dict[str, Any]:
    wanted = {"framework": framework, "way": way, "model": model}
    return next(entry for entry in models if wanted.items() <= entry.items())


def _models_table(models: list[dict[str, Any]], model: str) -> str:
    headings = "framework", "way", "import", "cold", "warm", "times", "peak MB", "growth", "off"
    entries = [entry for entry in models if entry["model"] == model]
    return _table(headings, (_line(models, entry) for entry in entries), words=2)


def _line(models: list[dict[str, Any]], entry: dict[str, Any]) -> Iterator[str]:
    framework, model, processes = entry["framework"], entry["model"], entry["processes"]
    own = warm(models, framework, entry["way"], model)
    yield framework
    yield entry["way"]
    yield f"{median(process['import'] for process in processes):.1f}"
    yield _seconds(median(process["cold"] for process in processes))
    yield _seconds(own)
    yield _times(own / warm(models, framework, ABSTRACT, model))
    yield f"{max(process['peak_mb'] for process in processes):,.0f}"
    yield f"{max(process['peak_mb'] - process['first_mb'] for process in processes):z,.0f}"
    formula = closed_form(named_model(model).spec.letters())
    off = {process["count"] - formula for process in processes}
    yield " or ".join(f"{difference:+,}" if difference else "0" for difference in sorted(off))


def _targets_table(results: dict[str, Any]) -> str:
    models = results["models"]
    lines = []
    for framework, curves in results["curves"].items():
        target = TARGETS.get(framework)
        processes = _entry(models, framework, ABSTRACT, LARGE)["processes"]
        times, seconds = speedup(models, framework), warm(models, framework, ABSTRACT, LARGE)
        peak = max(process["peak_mb"] for process in processes)
        slopes = [(axis, exponent(axis, curves[axis])) for axis in SWEEPS]
        lines.append(
            (
                framework,
                _held(_times(times), not target or times >= target.speedup),
                f"≥ {target.speedup}" if target else "",
                _held(_seconds(seconds), not target or seconds < target.seconds),
                f"< {target.seconds}" if target else "",
                _held(f"{peak:,.0f}", peak < PEAK_MB),
                f"< {PEAK_MB:,}",
                *(_held(f"{slope:z.2f}", slope <= EXPONENTS[axis]) for axis, slope in slopes),
            )
        )
    headings = "framework", "times", "target", "s", "target", "MB", "target", "L", "H", "V"
    return _table(headings, lines)


def _held(figure: str, held: bool) -> str:
    return figure if held else f"**{figure}, missed**"


def _curves_table(curves: dict[str, dict[str, list[float]]]) -> str:
    lines = [
        (
            framework,
            axis,
            f"{SWEEPS[axis][0]:,} to {SWEEPS[axis][-1]:,}",
            _seconds(seconds[0]),
            _seconds(seconds[-1]),
            f"{exponent(axis, seconds):z.2f}",
        )
        for axis in SWEEPS
        for framework, points in curves.items()
        for seconds in [points[axis]]
    ]
    headings = "framework", "what varies", "from, to", "s, first", "s, last", "exponent"
    return _table(headings, lines, words=3)


def _table(headings: Sequence[str], lines: Iterable[Iterable[str]], words: int = 1) -> str:
    """A table whose columns are figures, all but the first ``words``."""
    return markdown_rows(headings, lines, ["---"] * words + ["---:"] * (len(headings) - words))


def _times(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.1f}"


def _seconds(seconds: float) -> str:
    """Two figures, or tenths from 1 s up: what is measured is not more exact."""
    return f"{seconds:.1f}" if seconds >= 1 else f"{float(f'{seconds:.2g}'):.4f}".rstrip("0")


def write(results: dict[str, Any]) -> None:
    """Write page and plot."""
    from bench.plot import draw

    PAGE.write_text(render(results), "utf-8")
    draw(results["curves"], PLOT)


if __name__ == "__main__":
    write(json.loads(RESULTS.read_text("utf-8")))
