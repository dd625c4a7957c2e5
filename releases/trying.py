"""A release in an environment of its own, and what ``paramproof verify`` finds there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent

EXAMPLES = 5
"""Random models of each family, beside the named ones."""

BUILT = ("equal", "different", "broken")

LONGEST = 1800
"""Seconds that one framework may take."""


@dataclass(frozen=True)
class Release:
    """A release of a library, what it is installed beside, and the frameworks that stand on it."""

    library: str
    version: str
    beside: tuple[str, ...]
    frameworks: tuple[str, ...]
    python: str

    @property
    def name(self) -> str:
        """As it is installed: ``flax==0.12.8``."""
        return f"{self.library}=={self.version}"


def releases() -> Iterator[Release]:
    """Yield what ``table.toml`` names, each library's in the order of their versions."""
    table = tomllib.loads((Path(__file__).parent / "table.toml").read_text("utf-8"))
    for library, said in table.items():
        frameworks, python = tuple(said["frameworks"]), said.get("python", "3.11")
        beside = dict.fromkeys(said.get("releases", ()), said.get("beside", ()))
        beside |= said.get("with", {})
        for version in sorted(beside, key=parts):
            yield Release(library, version, tuple(beside[version]), frameworks, python)


def parts(version: str) -> list[int]:
    """Return the numbers of a version, by which versions are in order."""
    return [int(part) for part in version.split(".")]


def tried(release: Release) -> Iterator[tuple[str, dict[str, Any]]]:
    """Install a release, and yield what ``verify`` says of each framework that stands on it."""
    with tempfile.TemporaryDirectory() as folder:
        if error := installed(release, Path(folder)):
            yield from ((framework, {"error": error}) for framework in release.frameworks)
            return
        for framework in release.frameworks:
            yield framework, _verified(framework, Path(folder))


def installed(release: Release, folder: Path) -> str:
    """Install a release; return the last words of the installer if it cannot be had.

    Exits where there is no such Python: that says nothing of a release.
    """
    environment = {**os.environ, "VIRTUAL_ENV": str(folder), "UV_PYTHON_DOWNLOADS": "never"}
    make = ["uv", "venv", "--quiet", "--python", release.python, "--allow-existing", str(folder)]
    install = ["uv", "pip", "install", "--quiet", f"{ROOT}[weights]", release.name, *release.beside]
    if error := _ended(make, environment):
        sys.exit(f"no Python {release.python}: {error}")
    return _ended(install, environment)


def _ended(command: list[str], environment: Mapping[str, str]) -> str:
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    return last_words(done) if done.returncode else ""


def last_words(done: subprocess.CompletedProcess[str]) -> str:
    """Return the end of what a command wrote of its errors, in one line."""
    return " ".join(done.stderr.split())[-300:]


def _verified(framework: str, folder: Path) -> dict[str, Any]:
    result = folder / f"{framework}.json"
    command = [str(folder / "bin" / "paramproof"), "verify", "--framework", framework]
    command += ["--examples", str(EXAMPLES), "--json", str(result)]
    # What JAX leaves out of a traceback by itself hides what went wrong.
    environment = {**os.environ, "JAX_TRACEBACK_FILTERING": "off"}
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=LONGEST
        )
    except subprocess.TimeoutExpired:
        return {"error": f"not done within {LONGEST} seconds"}
    if not result.exists():
        return {"error": last_words(done)}
    return found(json.loads(result.read_text("utf-8")), framework)


def found(said: Mapping[str, Any], framework: str) -> dict[str, Any]:
    """Return of what ``verify`` wrote: the versions, and how each family's models stand.

    Of what is not equal the first of each family stands there: its model and the reason. Where a
    framework's process ended there is its ``error`` instead.
    """
    families: dict[str, dict[str, Any]] = {}
    for one in said["results"]:
        if one["spec"] is None:
            if one["status"] == "broken":
                return {"versions": said["versions"][framework], "error": _why(one)}
            continue
        family = families.setdefault(one["spec"]["family"], {})
        family[one["status"]] = family.get(one["status"], 0) + 1
        if one["status"] in ("different", "broken", "refused") and "first" not in family:
            family["first"] = [one["model"], _why(one)]
    return {"versions": said["versions"][framework], "families": families}


def counts(found: Mapping[str, Any]) -> tuple[int, int]:
    """Return how many models are equal to the formula, and of how many that could be built."""
    families = found["families"].values()
    built = sum(family.get(status, 0) for family in families for status in BUILT)
    return sum(family.get("equal", 0) for family in families), built


def is_whole(found: Mapping[str, Any]) -> bool:
    """Whether a framework was run, and every model is equal."""
    return "error" not in found and len({*counts(found)}) == 1


def _why(result: Mapping[str, Any]) -> str:
    report = result.get("report")
    if result["status"] == "different" and report:
        return f"{report['actual']:,} parameters, and the formula has {report['formula']:,}"
    return " ".join(str(result["reason"]).split())[:300]
