"""The layers are contracts for import-linter: they hold, and a breach is noticed."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import paramproof
from docs.writers.blocks import ROOT

LINT = "import sys; sys.path.insert(0, '.'); from importlinter.cli import lint_imports; "
LINT += "sys.exit(lint_imports(no_cache=True))"


@pytest.fixture
def package_copy(tmp_path):
    """Return a folder with copies of the package, the docs, the sweep and the contracts."""
    return copy_to(tmp_path)


def copy_to(folder):
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(paramproof.__file__).parent, folder / "paramproof", ignore=ignored)
    for name in ("docs", "sweep"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def lint(folder):
    """Return import-linter's output for the package in ``folder``, in one line, and its status."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", LINT], cwd=folder, capture_output=True, text=True
    )
    return done.returncode, " ".join(done.stdout.split())


def test_the_layers(package_copy):
    status, said = lint(package_copy)
    assert (status, " 0 broken." in said) == (0, True), said
    modules = sum(
        1 for root in ("paramproof", "docs", "sweep") for _ in (package_copy / root).rglob("*.py")
    )
    analyzed = re.search(r"Analyzed (\d+) files", said)
    assert analyzed, said
    assert int(analyzed[1]) >= modules, "packages outside are counted too"


BREACHES = {
    "docs/writers/blocks.py": "paramproof.cli.main",
    "paramproof/pages/model.py": "paramproof.views.terminal",
    "paramproof/formulas/terms.py": "paramproof.builders.protocol",
    "paramproof/formulas/spec/encoder.py": "paramproof.views.formula",
    "paramproof/builders/protocol.py": "paramproof.builders.registry",
    "paramproof/builders/registry.py": "paramproof.checks.model",
    "paramproof/builders/frameworks/torch/model.py": "paramproof.builders.frameworks.keras_bert",
    "paramproof/sources/strict_json.py": "paramproof.explanation.ways",
    "paramproof/explanation/text.py": "paramproof.weights.canonical",
    "paramproof/differences/answer.py": "paramproof.user_formulas.verify",
    "paramproof/hunt/execution.py": "sweep.tasks",
    "paramproof/workers/pool.py": "paramproof.cli.main",
    "paramproof/checks/model.py": "paramproof.builders.frameworks.torch",
    "paramproof/cli/main.py": "paramproof.differences.probes.torch",
    "sweep/fields/probe.py": "sweep.entries.build",
}


@pytest.fixture(scope="module")
def breached(tmp_path_factory):
    """Plant all breaches in a copy, and return what import-linter says of it, and its status."""
    folder = copy_to(tmp_path_factory.mktemp("breached"))
    for file, module in BREACHES.items():
        path = folder / file
        path.write_text(f"{path.read_text('utf-8')}\n\ndef planted():\n    import {module}\n")
    return lint(folder)


@pytest.mark.parametrize("file", BREACHES)
def test_a_breach_is_noticed(breached, file):
    status, said = breached
    importer = file.removesuffix(".py").replace("/", ".")
    assert status == 1
    assert f"{importer} -> {BREACHES[file]} (l." in said


def test_a_package_without_a_layer_is_noticed(package_copy):
    (package_copy / "paramproof" / "shed").mkdir()
    (package_copy / "paramproof" / "shed" / "__init__.py").touch()
    status, said = lint(package_copy)
    assert status == 1
    assert "paramproof.shed" in said
