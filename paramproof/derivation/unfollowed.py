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
import inspect
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os.path import basename
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from paramproof.tracing.abstract_build import model_frameworks
from paramproof.tracing.configuration.paths import source_of
from paramproof.tracing.configuration.terms import Unknown
from paramproof.tracing.constructors import Constructor

MAX_LINES = 5
"""Lines that are named; of more than these only the number is."""

Executed = dict[CodeType, Mapping[str, Any]]
"""Code that ran, with the globals of its module."""

METHODS = {"append", "extend", "add_module", "register_parameter", "register_buffer"}
"""Methods of lists and modules, which keep what they get."""

BUILTINS = {super, enumerate, list, tuple, int, object}
"""Builtins that decide nothing; ``int`` is among them as a type, and not called."""

PLAIN = {int, bool, str, type(None), ModuleType, tuple, list, dict}
"""Types of global values that decide nothing; what is looked up in them and called may."""

DECORATORS = {"property", "staticmethod", "classmethod", "dataclass", "compact", "override"}

HARMLESS = (
    *(ast.Expr, ast.Return, ast.Assign, ast.Pass, ast.Global, ast.Nonlocal, ast.keyword, ast.arg),
    *(ast.Tuple, ast.List, ast.ListComp, ast.GeneratorExp, ast.Load, ast.Store, ast.Add, ast.Mult),
    *(ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.AnnAssign, ast.For, ast.comprehension),
    *(ast.BinOp, ast.AugAssign),
)
"""Nodes that decide nothing by themselves."""

NOT_RUN = {"annotation", "returns", "decorator_list", "op", "ops"}
"""Fields of nodes that are no code, or read apart."""

COMPREHENSIONS = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}
"""Code that is read with the function around it."""

PHRASES: Mapping[str, Any] = {
    "a branch": (ast.If, ast.IfExp),
    "a comparison": ast.Compare,
    "a condition": ast.BoolOp,
    "a while loop": ast.While,
    "a try statement": ast.Try,
    "a match statement": ast.Match,
    "a lookup": ast.Subscript,
    "an operation": (ast.BinOp, ast.AugAssign, ast.UnaryOp),
    "a call": ast.Call,
    "a loop": (ast.For, ast.comprehension),
    "text": ast.JoinedStr,
    "a value": (ast.Name, ast.Attribute),
    "a number": ast.Constant,
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
        self.line = 0
        self.found: dict[int, str] = {}
        self.floats: set[str] = set()
        """Parameters that are floats by default: a layer may refuse a product with one."""

    def read(self, code: CodeType) -> Iterator[tuple[int, str]]:
        if "__create_fn__" in code.co_qualname or not code.co_flags & inspect.CO_OPTIMIZED:
            return  # A dataclass assigns its fields; a module or class that is made sees no size.
        if code.co_name in COMPREHENSIONS:
            return
        try:
            self.visit(source_of(code))
        except Unknown:
            self.found[code.co_firstlineno] = "code without its source"
        yield from sorted(self.found.items())

    def visit(self, node: ast.AST) -> None:
        self.line = getattr(node, "lineno", self.line)
        super().visit(node)

    def generic_visit(self, node: ast.AST) -> None:
        """Note the line of a node that is not known to be harmless, and go on inside.

        Sums and products are passed on. What else is computed may be 0, which is a flag.
        """
        names = {getattr(one, "id", "") for one in ast.walk(node)} if hasattr(node, "op") else set()
        is_harmless = isinstance(node, HARMLESS) and isinstance(getattr(node, "op", node), HARMLESS)
        if not is_harmless or names & self.floats:
            self.note(node)
        for one in getattr(node, "decorator_list", ()):
            of = one.func if isinstance(one, ast.Call) else one
            is_known = ast.unparse(of).rpartition(".")[2] in DECORATORS
            if not is_known and not self.is_own(self.value_of(of)):
                self.found.setdefault(one.lineno, "a decorator")
        for name, value in ast.iter_fields(node):
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, ast.AST) and name not in NOT_RUN:
                    self.visit(one)

    def note(self, node: ast.AST) -> None:
        phrases = (phrase for phrase, kinds in PHRASES.items() if isinstance(node, kinds))
        self.found.setdefault(self.line, next(phrases, "a statement"))

    def visit_arguments(self, node: ast.arguments) -> None:
        """Pass defaults on that are no constants, and note which are floats."""
        given = [*node.posonlyargs, *node.args]
        names = [*given[len(given) - len(node.defaults) :], *node.kwonlyargs]
        for name, default in zip(names, [*node.defaults, *node.kw_defaults], strict=True):
            if isinstance(default, ast.Constant):
                self.floats |= {name.arg} if isinstance(default.value, float) else set()
            elif default:
                self.visit(default)

    def visit_Constant(self, node: ast.Constant) -> None:
        if type(node.value) not in (int, bool, str, type(None)):
            self.note(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not _is_number(node.slice) and not isinstance(node.slice, ast.Constant):
            self.note(node)
        self.visit(node.value)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        if node.ifs:
            self.line = node.iter.lineno
            self.note(node)
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name | ast.Attribute) -> None:
        value = self.value_of(node)
        if value is not _LOCAL and not self.is_harmless(value):
            self.note(node)
        elif value is _LOCAL and isinstance(node, ast.Attribute):
            self.visit(node.value)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.visit_Name(node)

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
        if value is _LOCAL:
            return getattr(func, "attr", getattr(func, "id", "")) in METHODS | self.ran
        if any(value is one for one in BUILTINS - {int}):
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
        return isinstance(value, type) and all(
            base is object or _is_in(self.own, base.__module__) or _is_of_framework(base)
            for base in value.__mro__
        )

    def is_harmless(self, value: Any) -> bool:
        """Return whether a global value, on its own, decides nothing."""
        if isinstance(value, type | FunctionType):
            return value in BUILTINS or _is_of_framework(value) or self.is_own(value)
        kind = type(value)
        return kind in PLAIN or self.is_own(kind) or _is_layer(kind)


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
    return _is_in((*model_frameworks(), "jax", "jaxlib"), getattr(value, "__module__", ""))


def _is_layer(value: Any) -> bool:
    """Return whether a class is a layer, or a parameter, of a framework."""
    if not isinstance(value, type) or not _is_of_framework(value):
        return False
    return any(base.__name__ in ("Module", "Layer", "Parameter", "Param") for base in value.__mro__)
