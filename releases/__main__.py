"""Find out in which releases of the frameworks the formulas hold.

``python -m releases [NAME ...]`` tries releases that have no result yet: each is installed by
``uv`` in an environment of its own, with this checkout, and ``paramproof verify`` runs there.
``--catalogue`` traces the most used model types again in releases of transformers instead.
Results are stored at once, in verified.json and catalogue.json; ``python -m docs.writers releases``
shows them in the README.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
VERSIONS, CATALOGUE = (Path(__file__).with_name(f"{one}.json") for one in ("verified", "catalogue"))

EXAMPLES = 5
"""The number of random models of each family, in addition to the named ones."""

LONGEST, SECONDS = 1800, 500
"""Seconds for ``verify`` in one framework, and of processor time for each type that is traced."""

OLDEST = [5, 4]
"""The first release of transformers whose configurations are dataclasses, as tracing needs."""

COMPARE = f"""
import json
from sweep.library.model_types import MOST_USED
from sweep.programs import differences, read_files
from sweep.trace import traced
files = read_files()
print(json.dumps(MOST_USED), flush=True)
for name, data, failed, _ in traced(MOST_USED, {SECONDS}):
    lines = [*differences({{name: files[name]}}, {{name: data}})] if data else []
    lines += [f"untraced: {{one}}, {{why}}" for one, why in failed.items()]
    print(json.dumps([name, lines]), flush=True)
"""
"""The program that compares model types in the environment of a release."""

KEPT = ("tensor(", ", by default ", "untraced: ")
"""Texts in the differences that are kept: those of tensors and defaults, and untraced classes."""

MAX_LINES = 40
"""The largest number of differences of a type that are kept."""


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

    @property
    def parts(self) -> list[int]:
        return [int(part) for part in self.version.split(".")]


def releases() -> Iterator[Release]:
    """Yield the releases in ``table.toml``, by library and version."""
    table = tomllib.loads((Path(__file__).parent / "table.toml").read_text("utf-8"))
    for library, said in table.items():
        beside = dict.fromkeys(said.get("releases", ()), said.get("beside", ()))
        frameworks, python = tuple(said["frameworks"]), said.get("python", "3.11")
        found = (
            Release(library, one, tuple(other), frameworks, python)
            for one, other in (beside | said.get("with", {})).items()
        )
        yield from sorted(found, key=lambda one: one.parts)


def of_transformers() -> list[Release]:
    """Return the releases of transformers whose configurations can be traced."""
    return [one for one in releases() if one.library == "transformers" and one.parts >= OLDEST]


def results(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.exists() else {}
    return found


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m releases", description="Try releases.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="flax or flax==0.12.8")
    parser.add_argument("--again", action="store_true", help="also try releases with a result")
    parser.add_argument("--catalogue", action="store_true", help="compare the most used types")
    options = parser.parse_args(arguments)
    there = of_transformers() if options.catalogue else list(releases())
    named = {one.library for one in there} | {one.name for one in there}
    if unknown := sorted(set(options.names) - named):
        print(f"releases/table.toml does not name {', '.join(unknown)}", file=sys.stderr)
        return 2
    file, measure = (CATALOGUE, compared) if options.catalogue else (VERSIONS, tried)
    known = {} if options.again else results(file)
    for release in there:
        is_wanted = not options.names or {release.library, release.name} & {*options.names}
        if not is_wanted or release.name in known:
            continue
        started = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            found = measure(release, Path(folder), installed(release, Path(folder)))
        every = {**results(file), release.name: found}
        ordered = {one.name: every[one.name] for one in releases() if one.name in every}
        file.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", "utf-8")
        print(f"{release.name}: {time.perf_counter() - started:.0f} s", flush=True)
    return 0


def tried(release: Release, folder: Path, error: str) -> dict[str, Any]:
    frameworks = release.frameworks
    return {one: {"error": error} if error else _verified(one, folder) for one in frameworks}


def installed(release: Release, folder: Path) -> str:
    """Install a release. Return the end of the installer's error, or "" if it succeeds.

    Exits if the machine lacks uv or the release's Python: neither says anything about the release.
    """
    environment = {**os.environ, "VIRTUAL_ENV": str(folder), "UV_PYTHON_DOWNLOADS": "never"}
    make = ["uv", "venv", "--quiet", "--python", release.python, "--allow-existing", str(folder)]
    install = ["uv", "pip", "install", "--quiet", f"{ROOT}[weights]", release.name, *release.beside]
    try:
        done = subprocess.run(make, env=environment, capture_output=True, text=True)
    except FileNotFoundError:
        sys.exit("uv is not installed; https://docs.astral.sh/uv says how to install it")
    if done.returncode:
        sys.exit(f"no Python {release.python}: {_end(done)}")
    done = subprocess.run(install, env=environment, capture_output=True, text=True)
    return _end(done) if done.returncode else ""


def _end(done: subprocess.CompletedProcess[str]) -> str:
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
        return {"error": _end(done)}
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


def _why(result: Mapping[str, Any]) -> str:
    report = result.get("report")
    if result["status"] == "different" and report:
        return f"{report['actual']:,} parameters, and the formula has {report['formula']:,}"
    return " ".join(str(result["reason"]).split())[:300]


def counts(found: Mapping[str, Any]) -> tuple[int, int]:
    families = found["families"].values()
    built = ("equal", "different", "broken")
    return (
        sum(family.get("equal", 0) for family in families),
        sum(family.get(status, 0) for family in families for status in built),
    )


def is_whole(found: Mapping[str, Any]) -> bool:
    """Return whether a framework ran, and every model equals the formula."""
    return "error" not in found and len({*counts(found)}) == 1


def compared(_: Release, folder: Path, error: str) -> dict[str, Any]:
    """Return the differences between a release and the catalogue in the most used model types.

    Each type has the first ``lines`` about tensors and defaults, and the number of ``others``. If
    the comparison could not run, there is an ``error``.
    """
    if error:
        return {"error": error}
    command = [str(folder / "bin" / "python"), "-c", COMPARE]
    # The checkout's own modules, in place of those installed.
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    types, *lines = map(json.loads, done.stdout.splitlines() or ["[]"])
    said = dict(lines)
    if done.returncode or not types or said.keys() != set(types):
        return {"error": _end(done)}
    return {
        "types": types,
        "otherwise": {name: kept(said[name]) for name in sorted(said) if said[name]},
    }


def kept(lines: Sequence[str]) -> dict[str, Any]:
    """Return the first lines about tensors and defaults, and the number of other lines."""
    shown = [one for one in lines if any(text in one for text in KEPT)][:MAX_LINES]
    return {"lines": shown, "others": len(lines) - len(shown)}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
