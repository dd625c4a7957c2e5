"""No test returns early, which would count as passed: use deselection or a skip."""

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]

EARLY = """
def test_one():
    if refused:
        return
    assert True

def test_another():
    def inner():
        return 1
    assert inner() == 1

def helper():
    return 2
"""


def early_returns(source: str) -> list[str]:
    """Return the tests in ``source`` that return, not counting functions inside them."""
    functions = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef))
    tests = (function for function in functions if function.name.startswith("test_"))
    return [test.name for test in tests if any(isinstance(n, ast.Return) for n in own_nodes(test))]


def own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function, without those of functions inside it."""
    for node in ast.iter_child_nodes(function):
        if not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            yield node
            yield from own_nodes(node)


def test_an_early_return_is_found():
    assert early_returns(EARLY) == ["test_one"]


def test_no_test_returns():
    files = sorted(TESTS.rglob("test_*.py"))
    assert Path(__file__) in files
    found = {file.name: early_returns(file.read_text("utf-8")) for file in files}
    assert {name: tests for name, tests in found.items() if tests} == {}
