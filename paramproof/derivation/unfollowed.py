"""Name the lines of a constructor that may decide something about sizes.

A formula that is fitted to models says nothing about sizes at which the code takes another step.
So the code that ran is read, and every line is named but those that cannot decide: deny by default.
Few things cannot. Names, constants and attributes; sums and products, which are at least 1 for
sizes of 1 or more; assignments; loops over ``range`` of one size; and calls of layers, of functions
that are read themselves, and of a few methods of lists and modules. A size that a layer gets as a
flag is true at each size, as nothing above makes it 0.

Too many lines are named, and none too few: the formula is only fitted anyway. Layers of a framework
are trusted to decide nothing but by flags.
"""

from __future__ import annotations

import ast
import builtins
import linecache
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from os.path import basename
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from paramproof.builders.registry import model_packages
from paramproof.tracing.abstract_build import FRAMEWORKS
from paramproof.tracing.constructors import Constructor

MAX_LINES = 5
"""Lines that are named; of more than these only the number is."""

Executed = dict[CodeType, Mapping[str, Any]]
"""Code that ran, with the globals of its module."""

METHODS = {"append", "extend", "add_module", "register_parameter", "register_buffer"}
"""Methods of lists and modules, which keep what they get."""

BUILTINS = {range, super, enumerate, list, tuple, int, object}
"""Builtins that may be named; ``int`` is among them as a type, and not called."""

DECORATORS = {"property", "staticmethod", "classmethod", "dataclass", "compact", "override"}

HARMLESS = (
    *(ast.Expr, ast.Return, ast.Assign, ast.Pass, ast.Global, ast.Nonlocal, ast.keyword, ast.arg),
    *(ast.Tuple, ast.List, ast.ListComp, ast.GeneratorExp, ast.Load, ast.Store, ast.Add, ast.Mult),
    *(ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.AnnAssign, ast.For, ast.comprehension),
    *(ast.BinOp, ast.AugAssign, ast.Dict),
)
"""Nodes that decide nothing by themselves."""

NOT_RUN = {"annotation", "returns", "decorator_list"}
"""Fields of nodes that are no code, or read apart."""

PHRASES: Mapping[type[ast.AST], str] = {
    ast.If: "a branch",
    ast.IfExp: "a branch",
    ast.Compare: "a comparison",
    ast.BoolOp: "a condition",
    ast.While: "a while loop",
    ast.Try: "a try statement",
    ast.Match: "a match statement",
    ast.Subscript: "a lookup",
    ast.BinOp: "an operation",
    ast.AugAssign: "an operation",
    ast.UnaryOp: "an operation",
    ast.Call: "a call",
    ast.For: "a loop",
    ast.comprehension: "a loop",
    ast.JoinedStr: "text",
    ast.Name: "a value",
    ast.Attribute: "a value",
    ast.Constant: "a number",
}


@contextmanager
def executed_code(constructor: Constructor) -> Iterator[Executed]:
    """Collect the code of the constructor's packages that runs meanwhile, in any thread."""
    found: Executed = {}
    # A profiler of C code cannot be put back.
    before: Any = sys.getprofile()
    before = before if callable(before) else None

    def called(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and _is_in(constructor.modules, frame.f_globals.get("__name__")):
            found.setdefault(frame.f_code, frame.f_globals)

    threading.setprofile(called)
    sys.setprofile(called)
    try:
        yield found
    finally:
        sys.setprofile(before)
        threading.setprofile(before)


def unfollowed_lines(executed: Executed, constructor: Constructor) -> list[str]:
    """Return a caveat for each line that may decide something, at most a few and their number."""
    names = {code.co_name for code in executed}
    found: dict[tuple[str, int], str] = {}
    for code, module in executed.items():
        reader = _Reader(module, names, constructor.modules)
        for line, what in reader.read(code):
            found.setdefault((code.co_filename, line), what)
    said = [
        f"{what} was not followed ({basename(file)}:{line})"
        for (file, line), what in [*found.items()][:MAX_LINES]
    ]
    more = len(found) - MAX_LINES
    if more > 0:
        said.append(f"{more} more line{'s' * (more > 1)} were not followed")
    return said


class _Reader(ast.NodeVisitor):
    """Reads one function, and notes each line with something that may decide."""

    def __init__(self, module: Mapping[str, Any], ran: set[str], own: tuple[str, ...]) -> None:
        self.module = module
        self.ran = ran
        self.own = own
        self.found: dict[int, str] = {}
        self.floats: set[str] = set()

    def read(self, code: CodeType) -> Iterator[tuple[int, str]]:
        if "__create_fn__" in code.co_qualname or code.co_name == "<module>":
            return  # A dataclass assigns its fields; a module that is imported sees no size.
        nodes = [*_nodes_of(code)]
        if not nodes:
            self.found[code.co_firstlineno] = "code without its source"
        for node in nodes:
            self.visit(node)
        yield from sorted(self.found.items())

    def generic_visit(self, node: ast.AST) -> None:
        """Note the line of a node that is not known to be harmless, and go on inside."""
        if not isinstance(node, HARMLESS):
            self.note(node)
        for decorator in getattr(node, "decorator_list", ()):
            self.visit_decorator(decorator)
        for name, value in ast.iter_fields(node):
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, ast.AST) and name not in NOT_RUN:
                    self.visit(one)

    def note(self, node: ast.AST) -> None:
        line = getattr(node, "lineno", None)
        if line is None and isinstance(node, ast.comprehension):
            line = node.iter.lineno
        if line is not None:
            self.found.setdefault(line, PHRASES.get(type(node), "a statement"))

    def visit_decorator(self, node: ast.expr) -> None:
        of = node.func if isinstance(node, ast.Call) else node
        name = of.attr if isinstance(of, ast.Attribute) else getattr(of, "id", "")
        if name not in DECORATORS and not self.is_own(self.value_of(of)):
            self.found.setdefault(node.lineno, "a decorator")

    def visit_arguments(self, node: ast.arguments) -> None:
        """Pass defaults on, but note where one is a float."""
        given = [*node.posonlyargs, *node.args]
        names = [*given[len(given) - len(node.defaults) :], *node.kwonlyargs]
        for name, default in zip(names, [*node.defaults, *node.kw_defaults], strict=True):
            if isinstance(default, ast.Constant) and isinstance(default.value, float):
                self.floats.add(name.arg)
            elif default is not None:
                self.visit(default)

    def visit_Constant(self, node: ast.Constant) -> None:
        if type(node.value) not in (int, bool, str, type(None)):
            self.note(node)

    def visit_BinOp(self, node: ast.BinOp | ast.AugAssign) -> None:
        """Pass sums and products on: a difference, a quotient and a remainder may be 0, a flag."""
        names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        if not isinstance(node.op, ast.Add | ast.Mult) or names & self.floats:
            self.note(node)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit_BinOp(node)

    def visit_Dict(self, node: ast.Dict) -> None:
        if not all(isinstance(key, ast.Constant) for key in node.keys):
            self.note(node)
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not _is_number(node.slice) and not isinstance(node.slice, ast.Constant):
            self.note(node)
        self.visit(node.value)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        if node.ifs or node.is_async:
            self.note(node)
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        value = self.value_of(node)
        if value is not _LOCAL and not self.is_harmless(value):
            self.note(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        value = self.value_of(node)
        if value is _LOCAL:
            self.visit(node.value)
        elif not self.is_harmless(value):
            self.note(node)

    def visit_Call(self, node: ast.Call) -> None:
        if not self.is_followed(node):
            self.note(node)
        if isinstance(node.func, ast.Attribute):
            self.visit(node.func.value)
        is_layer = _is_layer(self.value_of(node.func))
        for one in [*node.args, *(keyword.value for keyword in node.keywords)]:
            value = one.value if isinstance(one, ast.Starred) else one
            # What a layer does with a number that is no size, such as a rate, is its own matter.
            if not _is_number(value) and not (is_layer and isinstance(value, ast.Constant)):
                self.visit(value)

    def is_followed(self, node: ast.Call) -> bool:
        """Return whether a call is one of a layer, of a function that was read, or harmless."""
        func, value = node.func, self.value_of(node.func)
        if value is range:
            return len(node.args) == 1 and not isinstance(node.args[0], ast.Starred)
        if isinstance(func, ast.Attribute) and value is _LOCAL:
            is_super = isinstance(func.value, ast.Call) and func.value.func
            is_init = isinstance(is_super, ast.Name) and is_super.id == "super"
            return func.attr in METHODS | self.ran or (is_init and func.attr == "__init__")
        if value is _LOCAL:
            return isinstance(func, ast.Name) and func.id in self.ran
        if any(value is one for one in (super, enumerate, list, tuple)):
            return True
        return _is_layer(value) or self.is_own(value)

    def value_of(self, node: ast.expr) -> Any:
        """Return the value of a global name or of its attribute, otherwise ``_LOCAL``."""
        if isinstance(node, ast.Name):
            return self.module.get(node.id, getattr(builtins, node.id, _LOCAL))
        if isinstance(node, ast.Attribute):
            of = self.value_of(node.value)
            if isinstance(of, ModuleType | type):
                return getattr(of, node.attr, _LOCAL)
        return _LOCAL

    def is_own(self, value: Any) -> bool:
        """Return whether a function or class, with all its bases, is read if it runs."""
        if isinstance(value, FunctionType):
            return _is_in(self.own, value.__globals__.get("__name__"))
        if not isinstance(value, type) or _is_layer(type(value)):
            return False
        *bases, last = value.__mro__
        return last is object and all(
            _is_in(self.own, base.__module__) or _is_of_framework(base) for base in bases
        )

    def is_harmless(self, value: Any, depth: int = 3) -> bool:
        """Return whether a global value, on its own, decides nothing."""
        if type(value) in (int, bool, str, type(None), ModuleType):
            return True
        if type(value) in (list, tuple) and depth:
            return all(self.is_harmless(one, depth - 1) for one in value)
        if type(value) is dict and depth:
            return all(self.is_harmless(one, depth - 1) for one in value.values())
        if isinstance(value, type | FunctionType):
            return value in BUILTINS or _is_of_framework(value) or self.is_own(value)
        return self.is_own(type(value)) or _is_layer(type(value))


_LOCAL = object()
"""Stands for a value that only the running code has."""


def _is_number(node: ast.AST) -> bool:
    """Return whether a node is a plain number, which may have a sign."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) is int


def _is_in(packages: tuple[str, ...], module: object) -> bool:
    return any(f"{module}.".startswith(f"{package}.") for package in packages)


def _is_of_framework(value: Any) -> bool:
    packages = (*FRAMEWORKS, *model_packages(), "jax", "jaxlib")
    return _is_in(packages, getattr(value, "__module__", ""))


def _is_layer(value: Any) -> bool:
    """Return whether a class is a layer, or a parameter, of a framework."""
    if not isinstance(value, type) or not _is_of_framework(value):
        return False
    return any(base.__name__ in ("Module", "Layer", "Parameter", "Param") for base in value.__mro__)


FUNCTIONS = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
"""Nodes that have code of their own."""


def _nodes_of(code: CodeType) -> Iterator[ast.AST]:
    """Yield the functions of a file that begin where the code does, and have its name."""
    for node in _functions_in(code.co_filename):
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(one.lineno for one in decorators)])
        if first == code.co_firstlineno and getattr(node, "name", code.co_name) == code.co_name:
            yield node


@cache
def _functions_in(file: str) -> list[ast.stmt | ast.expr]:
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return []
    return [node for node in ast.walk(tree) if isinstance(node, FUNCTIONS)]
