"""One name per thing: no two types share one, and no module is named like its package's export.

Messages have no words that only the project's own developers know.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import paramproof
from tests.imports import modules_in

PACKAGE = Path(paramproof.__file__).parent
# A framework's file, or a probe, uses its framework's names for what others have, too.
OWN_WORDS = ("builders/frameworks/", "differences/probes/")


def types(tree: ast.Module) -> Iterator[str]:
    """Yield the classes and type aliases of a module."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias":
            yield ast.unparse(node.target)
        elif type(node).__name__ == "TypeAlias":  # ``type X = …``, from Python 3.12 on
            yield ast.unparse(node.name)


def shared(root: Path) -> dict[str, list[str]]:
    """Return the types that several modules define, with these modules."""
    found = defaultdict(list)
    for path in modules_in(root):
        where = path.relative_to(root).as_posix()
        if not where.startswith(OWN_WORDS):
            for name in types(ast.parse(path.read_text("utf-8"))):
                found[name].append(where)
    return {name: places for name, places in found.items() if len(places) > 1}


def test_no_two_types_share_a_name():
    assert shared(PACKAGE) == {}


def test_a_shared_name_is_found(tmp_path):
    for name, source in {
        "a.py": "class Row: pass\nclass Term: pass",
        "formulas/b.py": "from a import Term\nRow: TypeAlias = int",
        "builders/frameworks/torch.py": "class Term: pass",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(source)
    assert shared(tmp_path) == {"Row": ["a.py", "formulas/b.py"]}


def insiders_words(source: str) -> list[str]:
    """Return the texts of a module, other than docstrings, that have such words."""
    tree = ast.parse(source)
    expressions = (one.value for one in ast.walk(tree) if isinstance(one, ast.Expr))
    docstrings = {id(one) for one in expressions if isinstance(one, ast.Constant)}
    texts = (one for one in ast.walk(tree) if isinstance(one, ast.Constant))
    texts = (one.value for one in texts if id(one) not in docstrings)
    texts = (one for one in texts if isinstance(one, str) and " " in one)
    return [one for one in texts if re.search(r"(?i)\b(entry|entries|catalogue)\b", one)]


def test_messages_have_no_words_of_insiders():
    modules = [*modules_in(PACKAGE)]
    assert len(modules) > 300
    assert [found for one in modules for found in insiders_words(one.read_text("utf-8"))] == []


def test_words_of_insiders_are_found():
    source = '''"""An entry."""\nraise ValueError(f"{x} is no entry of {y}", "the Catalogue has")'''
    assert {*insiders_words(source)} == {" is no entry of ", "the Catalogue has"}


def hidden(root: Path) -> Iterator[str]:
    """Yield each module that its package hides behind another object of the same name."""
    for path in modules_in(root):
        if path.name == "__init__.py":
            modules = {child.stem for child in path.parent.iterdir() if child.name[0] not in "._"}
            for name in exported(path, root):
                if name in modules:
                    yield f"{path.parent.relative_to(root).as_posix()}: {name}"


def exported(path: Path, root: Path) -> Iterator[str]:
    """Yield the names that a package binds to something other than its own modules."""
    package = ".".join(["paramproof", *path.parent.relative_to(root).parts])
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module != package:
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name


def test_no_module_is_hidden_by_its_packages_exports():
    assert list(hidden(PACKAGE)) == []


def test_a_hidden_module_is_found(tmp_path):
    for name, source in {
        "__init__.py": "",
        "checks/__init__.py": (
            "from paramproof.checks.check import check\nfrom paramproof.checks import result\n"
        ),
        "checks/check.py": "",
        "checks/result.py": "",
        "formulas/__init__.py": "def inventory(): pass\n",
        "formulas/inventory/__init__.py": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(source)
    assert list(hidden(tmp_path)) == ["checks: check", "formulas: inventory"]
