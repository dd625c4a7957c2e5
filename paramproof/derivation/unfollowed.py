"""Name the lines of a constructor that may decide something about sizes.

A formula that is fitted to models says nothing about sizes at which the code takes another step.
So the code that ran is read, and every line is named but those that cannot decide: deny by default.
Few things cannot. Names, constants and attributes; sums and products, which are at least 1 for
sizes of 1 or more; assignments; loops over ``range`` of one size; and calls of layers, of functions
that are read themselves, and of a few methods of lists and modules. A size that a layer gets as a
flag is true at each size, as nothing above makes it 0.

It names too many lines rather than too few: the formula is only fitted anyway. The layers of a
framework are trusted to decide nothing except by flags.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from os.path import basename
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any, Generic

from paramproof.tracing.abstract_build import model_frameworks
from paramproof.tracing.configuration.paths import source_of
from paramproof.tracing.configuration.terms import Unknown
from paramproof.tracing.constructors import Constructor

MAX_LINES = 5
"""How many lines are named; the others are only counted."""

Executed = dict[CodeType, tuple[Mapping[str, Any], set[str]]]
"""Code that ran, with the globals of its module, and the names of arguments that are fractions."""

METHODS = {"append", "extend", "add_module", "register_parameter", "register_buffer"}
"""Methods of lists and modules, which keep what they get."""

CALLED = (super, enumerate, list, tuple, object)
"""Builtins that decide nothing. ``int`` does not either, unless it is called."""

PLAIN = {int, bool, str, type(None), ModuleType, tuple, list, dict}
"""Types of global values that decide nothing; what is looked up in them and called may."""

PURE = (object, Generic)
"""Bases of classes that decide nothing."""

DECORATORS = {"property", "staticmethod", "classmethod", "dataclass", "compact", "override"}

HARMLESS = (
    *(ast.Expr, ast.Return, ast.Assign, ast.Pass, ast.Global, ast.Nonlocal, ast.keyword, ast.arg),
    *(ast.Tuple, ast.List, ast.ListComp, ast.GeneratorExp, ast.Load, ast.Store, ast.arguments),
    *(ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.AnnAssign, ast.For, ast.comprehension),
)
"""Nodes that decide nothing by themselves."""

NOT_RUN = {"annotation", "returns", "decorator_list", "op", "ops", "func"}
"""Fields of nodes that are not code, or are read separately."""

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
            fractions = {name for name, one in frame.f_locals.items() if isinstance(one, float)}
            found.setdefault(frame.f_code, (frame.f_globals, fractions))

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
    for code, (module, fractions) in executed.items():
        reader = _Reader(module, names, constructor.modules, fractions)
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


@dataclass
class _Reader:
    """Reads a function of a module, and yields each line with something that may decide."""

    module: Mapping[str, Any]
    ran: set[str]
    own: tuple[str, ...]
    fractions: set[str]

    def read(self, code: CodeType) -> Iterator[tuple[int, str]]:
        if "__create_fn__" in code.co_qualname or not code.co_flags & inspect.CO_OPTIMIZED:
            return  # A dataclass assigns its fields; a module or class that is made sees no size.
        if code.co_name.endswith(("comp>", "expr>")):
            return  # A comprehension is read with the function around it.
        try:
            yield from self.decisions(source_of(code), code.co_firstlineno)
        except Unknown:
            yield code.co_firstlineno, "code without its source"

    def decisions(self, node: ast.AST, line: int) -> Iterator[tuple[int, str]]:
        """Yield what may decide in a node, and inside of it, with its line."""
        place = node.iter if isinstance(node, ast.comprehension) else node
        line = getattr(place, "lineno", line)
        if not self.is_harmless(node):
            phrases = (phrase for phrase, kinds in PHRASES.items() if isinstance(node, kinds))
            yield line, next(phrases, "a statement")
        for one in getattr(node, "decorator_list", ()):
            of = one.func if isinstance(one, ast.Call) else one
            is_known = ast.unparse(of).rpartition(".")[2] in DECORATORS
            if not is_known and not self.is_own(self.value_of(of)):
                yield one.lineno, "a decorator"
        for inner in self.inside(node):
            yield from self.decisions(inner, line)

    def is_harmless(self, node: ast.AST) -> bool:
        """Return whether a node decides nothing, whatever is inside of it.

        Sums and products of ints decide nothing. Any other result may be 0, which acts as a flag.
        """
        match node:
            case ast.Constant(value=value):
                return type(value) in (int, bool, str, type(None))
            case ast.BinOp(op=op) | ast.AugAssign(op=op):
                names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
                return isinstance(op, ast.Add | ast.Mult) and not names & self.fractions
            case ast.Subscript(slice=index):
                return isinstance(index, ast.Constant) or _is_number(index)
            case ast.comprehension(ifs=[_, *_]):
                return False
            case ast.Call(func=func, args=args) if self.value_of(func) is range:
                return len(args) == 1 and not isinstance(args[0], ast.Starred)
            case ast.Call(func=func):
                return self.is_followed(func)
            case ast.Name() | ast.Attribute():
                return self.is_plain(self.value_of(node))
        return isinstance(node, HARMLESS)

    def inside(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the nodes inside of a node that run, except numbers that it only passes on.

        A number in code is not a size. How a layer uses a constant, such as a rate, is up to it.
        """
        passes = isinstance(node, ast.Call | ast.Subscript)
        called = getattr(node, "func", None)
        value = self.value_of(called)
        is_layer = isinstance(value, type) and _is_of_framework(value)
        keeps = is_layer or isinstance(node, ast.arguments)
        if isinstance(called, ast.Attribute):
            yield called.value
        for name, value in ast.iter_fields(node):
            for one in value if isinstance(value, list) else [value]:
                is_star = passes and isinstance(one, ast.Starred)
                inner = one.value if is_star or isinstance(one, ast.keyword) else one
                is_kept = keeps and isinstance(inner, ast.Constant)
                is_passed = is_kept or (passes and _is_number(inner))
                if isinstance(inner, ast.AST) and name not in NOT_RUN and not is_passed:
                    yield inner

    def is_followed(self, function: ast.expr) -> bool:
        """Return whether a function is a layer, one that was read, or harmless."""
        value = self.value_of(function)
        if value is _LOCAL:
            name = getattr(function, "attr", getattr(function, "id", ""))
            return name in METHODS | self.ran
        return any(value is one for one in CALLED) or self.is_own(value)

    def value_of(self, node: ast.AST | None) -> Any:
        """Return the value of a global name or of its attribute, otherwise ``_LOCAL``."""
        if isinstance(node, ast.Name):
            return self.module.get(node.id, getattr(builtins, node.id, _LOCAL))
        if isinstance(node, ast.Attribute):
            of = self.value_of(node.value)
            if isinstance(of, ModuleType | type):
                return getattr(of, node.attr, _LOCAL)
        return _LOCAL

    def is_own(self, value: Any) -> bool:
        """Return whether a function, or a class with all its bases, is read or a framework's."""
        if isinstance(value, FunctionType):
            return _is_in(self.own, value.__globals__.get("__name__"))
        return isinstance(value, type) and all(
            base in PURE or _is_in(self.own, base.__module__) or _is_of_framework(base)
            for base in value.__mro__
        )

    def is_plain(self, value: Any) -> bool:
        """Return whether a value, on its own, decides nothing."""
        if isinstance(value, type | FunctionType):
            return value in (*CALLED, int) or _is_of_framework(value) or self.is_own(value)
        return value is _LOCAL or type(value) in PLAIN or self.is_own(type(value))


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
    return _is_in(
        (*model_frameworks(), "jax", "jaxlib", "tensorflow"), getattr(value, "__module__", "")
    )
