"""Compare the catalogue with other releases of transformers, formula by formula.

The most used types are derived again in the environment of each release, and compared with the
catalogue's files, which describe one release.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from releases import store
from releases.trying import ROOT, Release, installed, last_words, parts, releases
from sweep.entries.difference import Difference, DifferenceKind

DATA = ROOT / "docs" / "catalogue-releases.json"

LIBRARY = "transformers"

OLDEST = [5, 4]
"""The first release whose configurations are dataclasses, which the derivation needs."""

CHECK = ("hunt", "--check", "catalogue")

KEPT = (
    DifferenceKind.FORMULA,
    DifferenceKind.GONE,
    DifferenceKind.NEW,
    DifferenceKind.NOT_DERIVED,
    DifferenceKind.DEFAULT,
)
"""The kinds of differences that are kept as text: those of formulas, classes and defaults."""


def compared(release: Release, types: Iterable[str]) -> dict[str, Any]:
    """Return the differences between a release and the catalogue, by model type.

    Each type has the ``lines`` about formulas, classes and defaults, and the number of ``others``,
    about conditions, buffers and keys. If the comparison could not run, there is an ``error``.
    """
    names = list(types)
    with tempfile.TemporaryDirectory() as folder:
        if error := installed(release, Path(folder)):
            return {"error": error}
        found = Path(folder) / "found"
        paramproof = str(Path(folder) / "bin" / "paramproof")
        chosen = [word for name in names for word in ("--type", name)]
        command = [paramproof, *CHECK, *chosen, "--folder", str(found)]
        # The checkout's own modules, in which `sweep` is, in place of those installed.
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
        lines = [json.loads(line) for file in found.glob("*.jsonl") for line in file.open()]
    closed = [one for one in lines if "done" in one]
    if len(closed) != len(names):
        return {"error": last_words(done)}
    said = {one["what"]: one["lines"] for one in lines if "different" in one}
    return {"types": names, "otherwise": {name: kept(said[name]) for name in sorted(said)}}


def kept(lines: Sequence[list[str]]) -> dict[str, Any]:
    """Return the lines about formulas, classes and defaults, and the number of other lines."""
    found = [one.text for one in map(Difference.read, lines) if one.kind in KEPT]
    return {"lines": found, "others": len(lines) - len(found)}


def others() -> list[Release]:
    """Return the releases of transformers whose configurations can be derived."""
    known = (one for one in releases() if one.library == LIBRARY)
    return [one for one in known if parts(one.version) >= OLDEST]


def written() -> dict[str, Any]:
    """Return the results so far, by release."""
    return store.read(DATA)
