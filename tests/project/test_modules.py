"""Modules that docstrings and pages run with ``python -m`` exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent

PACKAGES = ("bench", "docs", "paramproof", "releases", "site", "sweep", "tests")
"""Our own packages; ``formulas`` and ``builders`` are imported through ``paramproof``."""

RUN = re.compile(rf"python\s+-m\s+((?:{'|'.join(PACKAGES)})\b(?:\.\w+)*)")


def texts():
    """Yield every source file and every page."""
    yield from (path for path in ROOT.iterdir() if path.suffix in (".md", ".ini", ".toml"))
    for package in PACKAGES:
        paths = (ROOT / package).rglob("*")
        yield from (path for path in paths if path.suffix in (".py", ".md", ".toml"))


def modules_run():
    """Return the modules that are run, with the files that run them."""
    found = {}
    for path in texts():
        for module in RUN.findall(path.read_text("utf-8")):
            found.setdefault(module, set()).add(str(path.relative_to(ROOT)))
    return found


NAMED = modules_run()


@pytest.mark.parametrize("module", sorted(NAMED))
def test_a_module_that_is_run_exists(module):
    path = ROOT.joinpath(*module.split("."))
    files = (path.with_name(f"{path.name}.py"), path / "__main__.py")
    assert any(file.is_file() for file in files), NAMED[module]


def test_sources_and_pages_both_name_modules():
    assert "paramproof/derivation/worker.py" in NAMED["paramproof.derivation.worker"]
    assert {"sweep/__main__.py", "docs/catalogue.md"} <= NAMED["sweep"]
