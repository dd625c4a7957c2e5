"""Rules for imports that do not concern layers, checked on the syntax tree.

The layers, and that frameworks do not import each other, are contracts in pyproject.toml.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import paramproof
from docs.writers.blocks import ROOT
from tests.imports import imports, modules_in, names_imported

PACKAGE = Path(paramproof.__file__).parent
OURS = {"paramproof", "formulas", "builders", "docs", "bench", "releases", "sweep", "tests"}
OUTSIDE = OURS - {"paramproof"}
CONTRACT = (
    "paramproof.formulas.spec",
    "paramproof.formulas.layout",
    "paramproof.builders.protocol",
    "paramproof.builders.arrays",
    "paramproof.builders.jax_tracing",
    "paramproof.builders.meta",
    "paramproof.builders.names",
    "paramproof.builders.torch_parameters",
    "paramproof.builders.huggingface",
)
PROBES = "differences/probes/"
ASKED = (
    "paramproof.formulas.spec",
    "paramproof.builders.protocol",
    "paramproof.differences.measure",
    "paramproof.differences.probes",
)


def breaches(root: Path) -> Iterator[str]:
    """Yield each forbidden import, as ``file: module``."""
    for path in modules_in(root):
        where = path.relative_to(root).as_posix()
        yield from (f"{where}: {name}" for name in imports(path) if not allowed(where, name))


def allowed(where: str, module: str) -> bool:
    top = module.split(".")[0]
    if module.startswith(".") or top in OUTSIDE:
        return False
    if where.startswith("formulas/"):
        return module.startswith("paramproof.formulas") or top in sys.stdlib_module_names
    if where.startswith("builders/frameworks/"):
        return top not in OURS or module in CONTRACT or inside(framework_of(where), module)
    if where.startswith(PROBES):
        return top not in OURS or any(inside(seen, module) for seen in ASKED)
    return True


def framework_of(where: str) -> str:
    """Return the module of the framework: a file, or the package that contains it."""
    return f"paramproof.builders.frameworks.{where.split('/')[2].removesuffix('.py')}"


def inside(package: str, module: str) -> bool:
    return f"{module}.".startswith(f"{package}.")


def test_no_breach():
    seen = {path.relative_to(PACKAGE).as_posix() for path in modules_in(PACKAGE)}
    assert {
        "formulas/spec/encoder.py",
        "builders/frameworks/torch/model.py",
        "builders/frameworks/keras_bert.py",
        "differences/probes/torch.py",
        "cli/main.py",
        "pytest_plugin.py",
    } <= seen
    assert list(breaches(PACKAGE)) == []


PLANTED = {
    "formulas/spec.py": "import paramproof.builders.protocol",
    "formulas/terms.py": "def f():\n    import numpy",
    "formulas/layout.py": (
        "from .spec import x\nfrom paramproof.formulas.spec import x\nimport math"
    ),
    "checks/model.py": "from tests import laws",
    "cli/main.py": "import docs.writers.blocks",
    "workers/pool.py": "from bench.cases import x",
    "matching/names.py": "from formulas import inventory",
    "explain/text.py": "from ..formulas import x",
    "differences/probes/keras.py": "import paramproof.builders.registry\nimport keras",
    "differences/probes/torch.py": "from paramproof.differences.measure import x",
    "builders/frameworks/torch/__init__.py": (
        "from paramproof.builders.frameworks.torch.model import x\n"
        "from paramproof.builders.frameworks.keras import x"
    ),
    "builders/frameworks/torch/model.py": (
        "import torch\nfrom paramproof.formulas.encoder import x\n"
        "from paramproof.builders.frameworks.torch import names"
    ),
    "builders/frameworks/torch/gpt.py": (
        "from paramproof.builders.frameworks.torch_other import x\nfrom .model import x"
    ),
    "builders/frameworks/keras.py": (
        "from builders.protocol import x\nimport paramproof.formulas.spec"
    ),
    "builders/frameworks/flax.py": "from paramproof.checks.model import x\nimport flax",
    "builders/frameworks/nnx.py": "from paramproof.formulas import inventory",
}


def test_a_breach_is_found(tmp_path):
    for name, source in PLANTED.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{source}\n")
    assert sorted(breaches(tmp_path)) == [
        "builders/frameworks/flax.py: paramproof.checks.model",
        "builders/frameworks/keras.py: builders.protocol",
        "builders/frameworks/nnx.py: paramproof.formulas",
        "builders/frameworks/torch/__init__.py: paramproof.builders.frameworks.keras",
        "builders/frameworks/torch/gpt.py: .model",
        "builders/frameworks/torch/gpt.py: paramproof.builders.frameworks.torch_other",
        "builders/frameworks/torch/model.py: paramproof.formulas.encoder",
        "checks/model.py: tests",
        "cli/main.py: docs.writers.blocks",
        "differences/probes/keras.py: paramproof.builders.registry",
        "explain/text.py: ..formulas",
        "formulas/layout.py: .spec",
        "formulas/spec.py: paramproof.builders.protocol",
        "formulas/terms.py: numpy",
        "matching/names.py: formulas",
        "workers/pool.py: bench.cases",
    ]


def imports_of_tests(root: Path) -> Iterator[str]:
    """Yield each import of a test module or a conftest, as ``file: module``."""
    for folder in ("tests", "docs", "bench", "paramproof", "formulas", "builders"):
        for path in sorted((root / folder).rglob("*.py")):
            for name in names_imported(path):
                if any(part.startswith("test_") or part == "conftest" for part in modules_of(name)):
                    yield f"{path.relative_to(root).as_posix()}: {name}"


def modules_of(name: str) -> list[str]:
    """Return the parts of a name that may be modules of the tests."""
    return name.split(".") if name.split(".")[0] in ("tests", "") else []


def test_no_module_imports_a_test_module():
    """Code that several tests share belongs in a helper module."""
    assert len(list((ROOT / "tests").rglob("test_*.py"))) > 50
    assert list(imports_of_tests(ROOT)) == []


@pytest.mark.parametrize(
    "source",
    [
        "from tests.formulas.test_spec import SPEC",
        "from tests.formulas import test_spec",
        "import tests.formulas.test_spec",
        "def f():\n    from tests.conftest import x",
        "from .test_spec import SPEC",
        "from . import test_spec",
    ],
)
def test_an_import_of_a_test_is_found(source, tmp_path):
    path = tmp_path / "tests" / "helpers.py"
    path.parent.mkdir()
    path.write_text(f"from tests.specs import SPECS\n{source}\n")
    (found,) = imports_of_tests(tmp_path)
    assert found.startswith("tests/helpers.py: ")
