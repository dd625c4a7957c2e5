"""The committed reference of framework differences: its cells, versions, costs and page.

``python -m docs.writers.differences.reference`` writes the page from the committed cells.
"""

import json
import re
from typing import Any

from bench.cases import ABSTRACT, LARGE
from bench.page import RESULTS, warm
from docs.writers.blocks import ROOT
from docs.writers.differences.page import render
from paramproof.builders.registry import Framework, frameworks
from paramproof.differences.answer import COUNTED, Answer
from paramproof.workers.jobs import Differences
from paramproof.workers.pool import run_in_workers

PAGE = ROOT / "docs" / "framework-differences.md"
CELLS = ROOT / "docs" / "framework-differences.json"


def cells() -> list[Answer]:
    """Return the committed cells."""
    return [Answer.from_json(cell) for cell in json.loads(CELLS.read_text("utf-8"))["cells"]]


def versions() -> dict[str, str]:
    """Return the distributions that the frameworks need, in the versions of constraints.txt."""
    text = (ROOT / "constraints.txt").read_text("utf-8")
    pinned = {_plain(n): v for n, v in re.findall(r"^([\w.-]+)==(\S+)$", text, re.MULTILINE)}
    ours = [framework for framework in frameworks().values() if framework.extra]
    names = sorted({name for framework in ours for name in framework.distributions})
    return {name: pinned[_plain(name)] for name in names}


def costs() -> dict[str, list[str]]:
    """Return the seconds and memory of abstract builds at both sizes, for each framework."""
    models = json.loads(RESULTS.read_text("utf-8"))["models"]
    return {
        entry["framework"]: [
            figure
            for model in (COUNTED[1], LARGE)
            for figure in (
                f"{warm(models, entry['framework'], ABSTRACT, model):.2g}",
                f"{_peak(models, entry['framework'], model):,.0f}",
            )
        ]
        for entry in models
    }


def page() -> str:
    """Return the page."""
    return render(cells(), versions(), costs())


def write() -> None:
    """Measure every framework, and write the cells and the page.

    Raises ``RuntimeError``, without writing, if a framework is missing or broken.
    """
    ours = [framework for framework in frameworks().values() if framework.extra]
    _require(not any(framework.missing for framework in ours), "a framework is not installed")
    for framework in ours:
        _require(_stated(framework), f"{framework.name} is not of the version in constraints.txt")
    found = run_in_workers(ours, Differences())
    reasons = [cell.facts["reason"] for cell in found if cell.failed]
    _require(not reasons, "; ".join(reasons))
    data = {"versions": versions(), "cells": [cell.as_json() for cell in found]}
    CELLS.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")
    write_page()


def write_page() -> None:
    """Write the page anew."""
    PAGE.write_text(page(), "utf-8")


def _stated(framework: Framework) -> bool:
    """Whether what is installed is what the page will say; ``+cpu`` names a build."""
    pinned = versions()
    return all(pinned[n] == (v or "").split("+")[0] for n, v in framework.versions().items())


def _peak(models: list[dict[str, Any]], framework: str, model: str) -> float:
    wanted = {"framework": framework, "way": ABSTRACT, "model": model}
    entry = next(entry for entry in models if wanted.items() <= entry.items())
    peak: float = max(process["peak_mb"] for process in entry["processes"])
    return peak


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")


def _require(condition: bool, reason: str) -> None:
    if not condition:
        raise RuntimeError(reason)


if __name__ == "__main__":
    write_page()
