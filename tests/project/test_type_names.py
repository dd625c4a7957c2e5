"""No two types share a name, so that a name says which one is meant."""

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = ("formulas", "builders", "paramproof", "docs", "bench")


def shared(root):
    """The classes of one name in several files. Each framework has names of its own."""
    found = defaultdict(set)
    for file in {path.resolve() for room in ROOMS for path in (root / room).rglob("*.py")}:
        if "frameworks" not in file.parts:
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if isinstance(node, ast.ClassDef):
                    found[node.name].add(file.relative_to(root.resolve()).as_posix())
    return {name: sorted(files) for name, files in found.items() if len(files) > 1}


def test_no_two_types_share_a_name():
    assert shared(ROOT) == {}


def test_a_shared_name_is_seen(tmp_path):
    for name in ("formulas/a.py", "paramproof/b/c.py", "builders/frameworks/x.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("class Names:\n    pass\n")
    assert shared(tmp_path) == {"Names": ["formulas/a.py", "paramproof/b/c.py"]}
