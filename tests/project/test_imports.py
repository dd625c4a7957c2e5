"""Arrows only point downwards: who may import what, read from the syntax tree."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import formulas

ROOT = Path(formulas.__file__).parents[1]
OURS = {"formulas", "builders", "tests"}
FRAMEWORK_FILES = {"formulas.spec", "formulas.weight", "builders.protocol"}
PROBES = "builders.differences.probes."
PROBE_FILES = {
    "formulas.spec",
    "builders.protocol",
    "builders.differences.measure",
    "builders.differences.protocol",
    # Hugging Face's models are PyTorch's modules.
    f"{PROBES}torch",
}


def breaches(root: Path) -> Iterator[str]:
    """Each import that the architecture forbids, as ``file: module``."""
    for path in sorted([*root.glob("builders/**/*.py"), *root.glob("formulas/**/*.py")]):
        where = path.relative_to(root)
        for module in imports(path):
            if not allowed(where, module):
                yield f"{where.as_posix()}: {module}"


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


def allowed(where: Path, module: str) -> bool:
    top = module.split(".")[0]
    if where.parts[0] == "formulas":
        return top == "formulas" or top in sys.stdlib_module_names
    if where.parts[:2] == ("builders", "frameworks") and where.name != "__init__.py":
        return top not in OURS or module in FRAMEWORK_FILES
    if where.parts[:3] == ("builders", "differences", "probes") and where.name != "__init__.py":
        return top not in OURS or module in PROBE_FILES
    # Frameworks' files are reached through the registry, by name, and probes as their file is.
    return top != "tests" and not module.startswith(("builders.frameworks.", PROBES))


def test_no_breach():
    assert (ROOT / "builders" / "frameworks" / "torch.py").exists()
    assert (ROOT / "builders" / "differences" / "probes" / "torch.py").exists()
    assert list(breaches(ROOT)) == []


def test_a_breach_is_found(tmp_path):
    planted = {
        "formulas/spec.py": "import builders.protocol\n",
        "formulas/terms.py": "def f():\n    import numpy\n",
        "formulas/weight.py": "from .spec import x\nfrom formulas.spec import x\nimport math\n",
        "builders/check.py": "from tests import laws\nfrom builders.frameworks.torch import x\n",
        "builders/differences/page.py": "import builders.differences.probes.torch\n",
        "builders/differences/probes/keras.py": "import builders.frameworks.keras\nimport keras\n",
        "builders/differences/probes/torch.py": "from builders.registry import load\n",
        "builders/frameworks/torch.py": "from formulas.encoder import x\nimport torch\n",
        "builders/frameworks/keras.py": "from formulas import inventory\nimport formulas.spec\n",
        "builders/frameworks/flax.py": "from builders.check import x\nimport builders.protocol\n",
    }
    for name, source in planted.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    assert list(breaches(tmp_path)) == [
        "builders/check.py: tests",
        "builders/check.py: builders.frameworks.torch",
        "builders/differences/page.py: builders.differences.probes.torch",
        "builders/differences/probes/keras.py: builders.frameworks.keras",
        "builders/differences/probes/torch.py: builders.registry",
        "builders/frameworks/flax.py: builders.check",
        "builders/frameworks/keras.py: formulas",
        "builders/frameworks/torch.py: formulas.encoder",
        "formulas/spec.py: builders.protocol",
        "formulas/terms.py: numpy",
        "formulas/weight.py: .spec",
    ]
