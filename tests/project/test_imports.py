"""Arrows only point downwards: who may import what, read from the syntax tree."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import paramproof.formulas

ROOT = Path(paramproof.formulas.__file__).parents[1]
OURS = {"formulas", "builders", "tests"}
FRAMEWORKS = "paramproof.builders.frameworks"
CONTRACT = {
    "paramproof.formulas.spec",
    "paramproof.formulas.layout",
    "paramproof.builders.protocol",
    "paramproof.builders.arrays",
    "paramproof.builders.names",
    "paramproof.builders.huggingface",
}
PROBES = "paramproof.differences.probes"
ASKED = {
    "paramproof.formulas.spec",
    "paramproof.builders.protocol",
    "paramproof.differences.measure",
    "paramproof.differences.probes",
    # Hugging Face's models are PyTorch's modules.
    f"{PROBES}.torch",
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
            module = "." * node.level + (node.module or "")
            # What is imported from this package is a framework.
            names = [f".{alias.name}" for alias in node.names] if module == FRAMEWORKS else [""]
            yield from (module + name for name in names)


def allowed(where: Path, module: str) -> bool:
    top = module.split(".")[0]
    if where.parts[0] == "formulas":
        return top == "formulas" or top in sys.stdlib_module_names
    if framework := framework_of(where):
        within = f"{module}.".startswith(f"{framework}.")
        return not module.startswith(".") and (top not in OURS or module in CONTRACT or within)
    if where.parts[:3] == tuple(PROBES.split(".")) and where.name != "__init__.py":
        return top not in OURS or module in ASKED
    # Frameworks' files are reached through the registry, by name, and probes by that name.
    return top != "tests" and not module.startswith((f"{FRAMEWORKS}.", f"{PROBES}."))


def framework_of(where: Path) -> str:
    """The module that is the framework: a file, or the package that a file belongs to."""
    *folder, name = where.with_suffix("").parts[:3]
    ours = [*folder] == FRAMEWORKS.split(".") and name != "__init__"
    return f"{FRAMEWORKS}.{name}" if ours else ""


def test_no_breach():
    files = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("builders/frameworks/**/*.py")}
    assert {"builders/frameworks/torch/model.py", "builders/frameworks/keras_bert.py"} <= files
    assert list(breaches(ROOT)) == []


def test_a_breach_is_found(tmp_path):
    planted = {
        "formulas/spec.py": "import paramproof.builders.protocol\n",
        "formulas/terms.py": "def f():\n    import numpy\n",
        "formulas/weight.py": "from .spec import x\nfrom paramproof.formulas.spec import x\nimport math\n",
        "builders/check.py": "from tests import laws\nfrom paramproof.builders.frameworks.torch import x\n",
        "builders/differences/page.py": "import paramproof.differences.probes.torch\n",
        "builders/differences/probes/keras.py": "import paramproof.builders.frameworks.keras\nimport keras\n",
        "builders/differences/probes/torch.py": "from paramproof.builders.registry import load\n",
        "builders/prove.py": "import paramproof.builders.frameworks\nfrom paramproof.builders.frameworks import torch\n",
        "builders/frameworks/torch/__init__.py": (
            "from paramproof.builders.frameworks.torch.model import x\nfrom paramproof.builders.frameworks import keras\n"
        ),
        "builders/frameworks/torch/model.py": (
            "import torch\nfrom paramproof.formulas.encoder import x\n"
            "from paramproof.builders.frameworks.torch import names\n"
        ),
        "builders/frameworks/torch/gpt.py": (
            "from paramproof.builders.frameworks.torch_other import x\nfrom .model import x\n"
        ),
        "builders/frameworks/keras.py": "from formulas import inventory\nimport paramproof.formulas.spec\n",
        "builders/frameworks/flax.py": "from paramproof.checking.model import x\nimport paramproof.builders.protocol\n",
    }
    for name, source in planted.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    assert list(breaches(tmp_path)) == [
        "builders/check.py: tests",
        "builders/check.py: paramproof.builders.frameworks.torch",
        "builders/differences/page.py: paramproof.differences.probes.torch",
        "builders/differences/probes/keras.py: paramproof.builders.frameworks.keras",
        "builders/differences/probes/torch.py: paramproof.builders.registry",
        "builders/frameworks/flax.py: paramproof.checking.model",
        "builders/frameworks/keras.py: formulas",
        "builders/frameworks/torch/__init__.py: paramproof.builders.frameworks.keras",
        "builders/frameworks/torch/gpt.py: paramproof.builders.frameworks.torch_other",
        "builders/frameworks/torch/gpt.py: .model",
        "builders/frameworks/torch/model.py: paramproof.formulas.encoder",
        "builders/prove.py: paramproof.builders.frameworks.torch",
        "formulas/spec.py: paramproof.builders.protocol",
        "formulas/terms.py: numpy",
        "formulas/weight.py: .spec",
    ]
