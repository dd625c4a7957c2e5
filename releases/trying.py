"""Install a release in an environment of its own, and run ``paramproof verify`` there."""

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
"""The number of random models of each family, in addition to the named ones."""

BUILT = ("equal", "different", "broken")

LONGEST = 1800
"""Seconds that one framework may take."""


@dataclass(frozen=True)
class Release:
    """A release of a library, the packages installed with it, and the frameworks that use it."""

    library: str
    version: str
    beside: tuple[str, ...]
    frameworks: tuple[str, ...]
    python: str

    @property
    def name(self) -> str:
        """The requirement that installs it, such as ``flax==0.12.8``."""
        return f"{self.library}=={self.version}"


def releases() -> Iterator[Release]:
    """Yield the releases in ``table.toml``, by library and version."""
    table = tomllib.loads((Path(__file__).parent / "table.toml").read_text("utf-8"))
    for library, said in table.items():
        frameworks, python = tuple(said["frameworks"]), said.get("python", "3.11")
        beside = dict.fromkeys(said.get("releases", ()), said.get("beside", ()))
        beside |= said.get("with", {})
        for version in sorted(beside, key=parts):
            yield Release(library, version, tuple(beside[version]), frameworks, python)


def parts(version: str) -> list[int]:
    """Return the numbers of a version, by which versions are sorted."""
    return [int(part) for part in version.split(".")]


def tried(release: Release) -> Iterator[tuple[str, dict[str, Any]]]:
    """Install a release, and yield the result of ``verify`` for each framework that uses it."""
    with tempfile.TemporaryDirectory() as folder:
        if error := installed(release, Path(folder)):
            yield from ((framework, {"error": error}) for framework in release.frameworks)
            return
        for framework in release.frameworks:
            yield framework, _verified(framework, Path(folder))


def installed(release: Release, folder: Path) -> str:
    """Install a release. Return the end of the installer's error, or "" if it succeeds.

    Exits if the machine lacks uv or the release's Python: neither says anything about the release.
    """
    environment = {**os.environ, "VIRTUAL_ENV": str(folder), "UV_PYTHON_DOWNLOADS": "never"}
    make = ["uv", "venv", "--quiet", "--python", release.python, "--allow-existing", str(folder)]
    install = ["uv", "pip", "install", "--quiet", f"{ROOT}[weights]", release.name, *release.beside]
    if error := _ended(make, environment):
        sys.exit(f"no Python {release.python}: {error}")
    return _ended(install, environment)


def _ended(command: list[str], environment: Mapping[str, str]) -> str:
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
    except FileNotFoundError:
        sys.exit(f"{command[0]} is not installed; https://docs.astral.sh/uv says how to install it")
    return last_words(done) if done.returncode else ""


def last_words(done: subprocess.CompletedProcess[str]) -> str:
    """Return the end of a command's standard error, in one line."""
    return " ".join(done.stderr.split())[-300:]


def _verified(framework: str, folder: Path) -> dict[str, Any]:
    result = folder / f"{framework}.json"
    command = [str(folder / "bin" / "paramproof"), "verify", "--framework", framework]
    command += ["--examples", str(EXAMPLES), "--json", str(result)]
    # By default, JAX removes frames from a traceback that would show the cause.
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
    """Return the versions in the output of ``verify``, and the outcomes of each family's models.

    A family also has the ``first`` model that is not equal to the formula, with the reason. If the
    framework's process ended early, there is an ``error`` instead.
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
    """Return how many models equal the formula, and how many could be built."""
    families = found["families"].values()
    built = sum(family.get(status, 0) for family in families for status in BUILT)
    return sum(family.get("equal", 0) for family in families), built


def is_whole(found: Mapping[str, Any]) -> bool:
    """Return whether a framework ran, and every model equals the formula."""
    return "error" not in found and len({*counts(found)}) == 1


def _why(result: Mapping[str, Any]) -> str:
    report = result.get("report")
    if result["status"] == "different" and report:
        return f"{report['actual']:,} parameters, and the formula has {report['formula']:,}"
    return " ".join(str(result["reason"]).split())[:300]
