"""``docs/benchmarks.svg``: the curves, drawn so that the same results give the same file."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from bench.cases import SWEEPS

PANELS = {"num_hidden_layers": "L, layers", "hidden_size": "H, hidden size, in 2 layers"}


def draw(curves: dict[str, dict[str, list[float]]], path: Path) -> None:
    """Two panels, seconds against L and against H, both axes logarithmic."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    style = {"svg.hashsalt": "paramproof", "svg.fonttype": "none", "font.size": 9}
    with pyplot.rc_context(style):
        figure, panels = pyplot.subplots(1, 2, sharey=True, figsize=(9, 4), layout="constrained")
        for panel, (axis, label) in zip(panels, PANELS.items(), strict=True):
            for framework, points in curves.items():
                panel.loglog(SWEEPS[axis], points[axis], marker=".", label=framework)
            panel.set_xlabel(label)
            panel.set_xticks(SWEEPS[axis], [f"{size:,}" for size in SWEEPS[axis]])
            panel.minorticks_off()
            panel.grid(alpha=0.3)
        panels[0].set_ylabel("seconds of one abstract build")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside right center", frameon=False)
        figure.savefig(path, metadata=_metadata(curves))
        pyplot.close(figure)


def source(curves: dict[str, dict[str, list[float]]]) -> str:
    """Return the digest of the curves, by which a test sees what the file was drawn from."""
    return "curves " + hashlib.sha256(json.dumps(curves).encode()).hexdigest()


def _metadata(curves: dict[str, dict[str, list[float]]]) -> dict[str, str | None]:
    """Neither a date nor the version of what drew it."""
    what = {"Title": "Seconds of one abstract build", "Description": source(curves)}
    return {"Date": None, "Creator": None, **what}
