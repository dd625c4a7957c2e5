"""List the modules of the package, and the imports of a file, wherever they are in it."""

import ast
from collections.abc import Iterator
from pathlib import Path


def modules_in(root: Path) -> list[Path]:
    """Return every module of the package in ``root``, following the links of a checkout."""
    folders = (root, root / "formulas", root / "builders")
    return list(dict.fromkeys(path for folder in folders for path in sorted(folder.rglob("*.py"))))


def imports(path: Path) -> Iterator[str]:
    """Yield the modules that a file imports; relative ones begin with their dots."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


def names_imported(path: Path) -> Iterator[str]:
    """Yield each name that a file imports, with its module; the name may be a module itself."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{'.' * node.level}{node.module or ''}.{each.name}" for each in node.names)
