"""Names that users meet: no module is hidden behind an export, and messages need no insider."""

import ast
import re
from pathlib import Path

import paramproof

PACKAGE = Path(paramproof.__file__).parent
TREES = {
    path.relative_to(PACKAGE): ast.parse(path.read_text("utf-8"))
    for folder in (PACKAGE, PACKAGE / "formulas", PACKAGE / "builders")  # The last two are links.
    for path in folder.rglob("*.py")
}


def test_no_module_is_hidden_by_its_packages_exports():
    """``import paramproof.verify.proof`` gives the module, whatever its package exports."""
    hidden = []
    for path, tree in TREES.items():
        if path.name == "__init__.py":
            package = ".".join(["paramproof", *path.parent.parts])
            exported = {
                alias.asname or alias.name
                for node in ast.walk(tree)
                if isinstance(node, ast.ImportFrom) and node.module != package
                for alias in node.names
            } | {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)}
            modules = {one.stem for one in (PACKAGE / path).parent.iterdir()} - {"__init__"}
            hidden += [f"{package}.{name}" for name in exported & modules]
    assert len(TREES) > 100
    assert hidden == []


def test_messages_have_no_words_of_insiders():
    nodes = [(path, node) for path, tree in TREES.items() for node in ast.walk(tree)]
    docstrings = {id(node.value) for _, node in nodes if isinstance(node, ast.Expr)}
    found = [
        f"{path}: {node.value}"
        for path, node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value
        if id(node) not in docstrings
        if re.search(r"(?i)\b(entry|entries|catalogue)\b", node.value)
    ]
    assert found == []
