"""What a framework needs outside its own package: which of it is missing, file by file.

tox and workflows cannot read the registry, so a framework has a line in each of them.
"""

import re
import tomllib
from configparser import ConfigParser
from importlib import util
from pathlib import Path

from docs.writers.blocks import ROOT
from paramproof.builders.registry import frameworks
from tests.documented import documented

OURS = "paramproof.builders.frameworks."
NIGHTLY = ROOT / ".github" / "workflows" / "nightly.yml"
EVERYWHERE = "tests/faults/everywhere"
PROBES = "paramproof/differences/probes"
WITHOUT_ENDS = {"keras-torch"}
"""Frameworks whose lowest and newest releases are tested with another one's."""
PAGES = {
    "docs/frameworks.md": "a row, and then: python -m docs.writers frameworks",
    "docs/porting.md": "a row that says how the query kernel is stored",
    "docs/parity.md": "python -m tests.parity {name}",
    "docs/benchmarks.md": "python -m bench.run --framework {name}",
    "docs/versions.md": "tox run -e versions",
    "docs/faults.md": "python -m docs.writers faults",
    "docs/framework-differences.md": "python -m docs.writers differences",
}
"""Pages with a row or a column for each framework: what to write, or the command that does."""


def ours():
    """Return the frameworks of this repository."""
    return [one for one in frameworks().values() if one.module.startswith(OURS)]


def lane_of(name):
    """Return the lane of tox.ini that tests a framework, or ""."""
    found = ConfigParser(interpolation=None)
    found.read(ROOT / "tox.ini", "utf-8")
    command = rf"^(\S+): pytest --framework {name} \{{posargs:\{{env:FRAMEWORK_TESTS\}}\}}$"
    factors = re.findall(command, found["testenv"]["commands"], re.MULTILINE)
    text = found["tox"]["env_list"].replace(
        "keras-{tensorflow,torch}", "keras-tensorflow,keras-torch"
    )
    listed = re.split(r"[,\s]+", text)
    lanes = [lane for lane in listed for one in factors if _is_selected(one, lane)]
    return lanes[0] if lanes else ""


def _is_selected(condition, lane):
    """Return whether a lane has the factors that a condition such as ``torch-!keras`` names."""
    factors = lane.split("-")
    return all(
        one[1:] not in factors if one.startswith("!") else one in factors
        for one in condition.split("-")
    )


def missing(framework):
    """Yield a sentence for each line or file that ``framework`` still needs."""
    yield from _missing_in_pyproject(framework)
    yield from _missing_lanes(framework.name)
    yield from _missing_files(framework.name, framework.module.rpartition(".")[2])
    for page, what in PAGES.items():
        if not _is_in_a_table(framework.name, (ROOT / page).read_text("utf-8")):
            yield f"{page}: {what.format(name=framework.name)}"


def _missing_in_pyproject(framework):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    if not framework.extra:
        yield f"FRAMEWORKS in {framework.module}: the 'extra' that installs {framework.name}"
    elif framework.extra not in extras:
        yield f"pyproject.toml: an extra {framework.extra!r}"
    elif framework.extra not in re.findall(r"[\w-]+", extras["all"][0]):
        yield f"pyproject.toml: {framework.extra!r} in the extra 'all'"
    for distribution in framework.distributions:
        if distribution.replace("_", "-") not in documented():
            yield f"constraints.txt: a version of {distribution}"


def _missing_lanes(name):
    lane = lane_of(name)
    if not lane:
        yield f"tox.ini: a command 'pytest --framework {name}', and a lane in env_list that runs it"
    ends = re.search(r"^ +of: \[(.*)\]$", NIGHTLY.read_text("utf-8"), re.MULTILINE)[1]
    if name not in WITHOUT_ENDS and (lane or name) not in ends.split(", "):
        yield f".github/workflows/nightly.yml: {lane or name} in the matrix 'of'"
    table = tomllib.loads((ROOT / "releases" / "table.toml").read_text("utf-8"))
    if not any(name in section["frameworks"] for section in table.values()):
        yield f"releases/table.toml: a section whose frameworks include {name!r}"


def _missing_files(name, module):
    for folder, what in ((EVERYWHERE, "planted faults"), (PROBES, "a probe")):
        if util.find_spec(f"{folder.replace('/', '.')}.{module}") is None:
            yield f"{folder}/{module}.py: {what}"
    if not any(f'"{name}"' in text for text in _trap_tests()):
        yield f'tests/frameworks: trap tests, marked framework("{name}")'


def _is_in_a_table(name, text):
    return re.search(rf"^\|.*(?<![\w-]){name}(?![\w-])", text, re.MULTILINE) is not None


def _trap_tests():
    return (path.read_text("utf-8") for path in Path(ROOT / "tests/frameworks").glob("test_*.py"))
