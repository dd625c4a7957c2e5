"""Rewrite a file's syntax tree so that operations on sizes call hooks.

Operators need no hook, because symbolic numbers define their own. Calls, indices, ``in``, formatted
text, and values carried from one iteration of a loop to the next could lose a size unobserved: the
tree gets a hook for each of them. The hooks' docstrings say what they do.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple, TypeGuard

HOOK = "__paramproof_{}__"
"""The name of a hook in instrumented code; names with this ending are not mangled in classes."""

FRAME_READERS = frozenset({"super", "locals", "globals", "vars", "dir"})
"""Functions that look at the calling frame, which are called without a hook."""

COMPILERS = frozenset({"eval", "exec", "compile"})
"""Functions that compile text, and look at the calling frame."""


DEFINITIONS: tuple[type, ...] = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
"""Nodes that start another block of code."""

SCOPES = (*DEFINITIONS, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
"""Nodes with variables of their own."""


COMPARISONS = {
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
}  # fmt: skip
"""Comparison nodes, by the name of their function in ``operator``."""


class CodeKey(NamedTuple):
    """What identifies the code of a function in its file."""

    name: str
    line: int
    free: tuple[str, ...]
    end: tuple[int, int]


@cache
def instrumented_code(file: str, flags: int = 0) -> dict[CodeKey, CodeType]:
    """Return the instrumented code of every function in a file; empty if it is not Python."""
    try:
        tree = ast.parse(Path(file).read_bytes(), file)
    except (OSError, SyntaxError, ValueError):
        return {}
    changed = ast.fix_missing_locations(_Instrumenter().visit(tree))
    module = compile(changed, file, "exec", flags=flags, dont_inherit=True)
    return {key_of(code): code for code in _codes(module)}


def key_of(code: CodeType) -> CodeKey:
    """Return what identifies a function's code."""
    ends = ((line, column) for _, line, _, column in code.co_positions() if line and column)
    # Two lambdas may begin in one line, but they end at different columns.
    end = max(((line or 0, column or 0) for line, column in ends), default=(0, 0))
    return CodeKey(code.co_name, code.co_firstlineno, code.co_freevars, end)


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def _hook(name: str, *args: ast.expr, at: ast.AST, **options: Any) -> ast.Call:
    keywords = options.get("keywords", [])
    call = ast.Call(ast.Name(HOOK.format(name), ast.Load()), list(args), keywords)
    return ast.copy_location(call, at)


class _Instrumenter(ast.NodeTransformer):
    def __init__(self) -> None:
        self.sites = 0
        self.shared: list[set[str]] = []

    def visit_FunctionDef(self, node: Any) -> Any:
        # Defaults, decorators and annotations are evaluated where the function is defined.
        self.shared.append({n for one in ast.walk(node) if _is_shared(one) for n in one.names})
        node.body = self.all(node.body)
        self.shared.pop()
        return node

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        node.body = self.all(node.body)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        node.body = self.visit(node.body)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in FRAME_READERS:
            return node
        for one in node.args:
            if isinstance(one, ast.Starred):
                one.value = _hook("given", one.value, at=one)
        if name in COMPILERS:
            node.args = [_hook("opaque", one, at=one) for one in node.args]
            return node
        return _hook("call", node.func, *node.args, at=node, keywords=node.keywords)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> Any:
        return _hook("text", *map(self.part, node.values), at=node)

    def part(self, node: ast.expr) -> ast.expr:
        if not isinstance(node, ast.FormattedValue):
            return node
        spec = self.visit(node.format_spec) if node.format_spec else ast.Constant("")
        conversion = ast.Constant(node.conversion)
        made = ast.Tuple([self.visit(node.value), conversion, spec], ast.Load())
        return ast.copy_location(made, node)

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        number = isinstance(node.left, ast.Constant) and not isinstance(node.left.value, str)
        if isinstance(node.op, ast.Mod) and not number:
            return _hook("percent", node.left, node.right, at=node)
        other = isinstance(node.right, ast.Constant)
        if isinstance(node.op, ast.Add) and not (number or other):
            return _hook("add", node.left, node.right, at=node)
        return node

    def visit_NamedExpr(self, node: ast.NamedExpr) -> Any:
        own = _occurs(node.target, node.value)
        self.generic_visit(node)
        if own:
            node.value = self.stepped(node.target, node.value)
        return node

    def visit_List(self, node: Any) -> Any:
        starred = any(isinstance(one, ast.Starred) for one in node.elts)
        # A set is no target, and has no context.
        if not starred or isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
            self.generic_visit(node)
            return node
        self.sites += 1
        site = ast.Constant(self.sites)
        self.generic_visit(node)
        for one in node.elts:
            if isinstance(one, ast.Starred):
                one.value = _hook("starred", one.value, site, at=one)
        return _hook("together", node, site, at=node)

    visit_Tuple = visit_Set = visit_List  # noqa: N815

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        self.generic_visit(node)
        index = node.slice
        text = isinstance(index, ast.Constant) and not isinstance(index.value, int)
        if isinstance(node.ctx, ast.Load) and not text:
            if isinstance(index, ast.Slice):
                ends = [one or ast.Constant(None) for one in (index.lower, index.upper, index.step)]
                index = ast.Call(ast.Name(HOOK.format("slice"), ast.Load()), ends, [])
            return _hook("item", node.value, ast.copy_location(index, node), at=node)
        return node

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn):
            found = _hook("contains", node.comparators[0], node.left, at=node)
            if isinstance(node.ops[0], ast.NotIn):
                return ast.copy_location(ast.UnaryOp(ast.Not(), found), node)
            return found
        sides = [node.left, *node.comparators]
        name = COMPARISONS.get(type(node.ops[0]))
        if name and len(sides) == 2 and not any(isinstance(one, ast.Constant) for one in sides):
            return _hook("compared", ast.Constant(name), *sides, at=node)
        return node

    def visit_ListComp(self, node: ast.ListComp) -> Any:
        return self.consumed("list", node)

    def visit_SetComp(self, node: ast.SetComp) -> Any:
        return self.consumed("set", node)

    def consumed(self, kind: str, node: Any) -> Any:
        if any(one.is_async for one in node.generators):
            return node
        self.generic_visit(node)
        made = ast.copy_location(ast.GeneratorExp(node.elt, node.generators), node)
        return _hook(kind, made, at=node)

    def visit_DictComp(self, node: ast.DictComp) -> Any:
        if any(one.is_async for one in node.generators):
            return node
        self.generic_visit(node)
        pair = ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node)
        made = ast.copy_location(ast.GeneratorExp(pair, node.generators), node)
        return _hook("dict", made, at=node)

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        self.generic_visit(node)
        if not node.is_async:
            node.iter = self.iterated(node.iter)[0]
        return node

    def visit_For(self, node: ast.For) -> Any:
        carried = sorted(_carried(node))
        steps = _steps(node)
        self.generic_visit(node)
        node.iter, site = self.iterated(node.iter)
        counted = {name: steps[name] for name in carried if name in steps}
        again = [
            _assigned_again(name, site, node, "carried", counted.get(name)) for name in carried
        ]
        node.body = [*again, *node.body]
        after = [_assigned_again(name, site, node, "counted", counted[name]) for name in counted]
        return [node, *after] if after else node

    def iterated(self, iterable: ast.expr) -> tuple[ast.expr, ast.expr]:
        self.sites += 1
        site = ast.Constant(self.sites)
        return _hook("iterate", iterable, ast.Name("__name__", ast.Load()), site, at=iterable), site

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        target = node.target
        if not isinstance(target, ast.Name) or self.is_shared(target.id):
            node.value = self.stepped(target, node.value)
        elif isinstance(node.op, ast.Add) and not isinstance(node.value, ast.Constant):
            own = ast.copy_location(ast.Name(target.id, ast.Load()), node)
            value = _hook("iadd", own, node.value, at=node)
            return ast.copy_location(ast.Assign([target], value), node)
        return node

    def stepped(self, target: Any, value: ast.expr) -> ast.expr:
        """Wrap a value that is added to something that outlives an iteration."""
        self.sites += 1
        inside = getattr(target, "value", None)
        kept = _loaded(inside) if inside is not None and _is_plain(inside) else ast.Constant(None)
        site = ast.Constant(self.sites)
        return _hook("step", value, kept, ast.Name("__name__", ast.Load()), site, at=value)

    def visit_Assign(self, node: ast.Assign) -> Any:
        target = node.targets[0]
        local = isinstance(target, ast.Name) and not self.is_shared(target.id)
        own = not local and _occurs(target, node.value)
        self.generic_visit(node)
        if own:
            node.value = self.stepped(target, node.value)
        if isinstance(target, ast.Tuple | ast.List):
            self.each_assigned(target, node)
        elif isinstance(target, ast.Subscript | ast.Attribute) and _is_plain(target.value):
            node.value = self.kept(target, node.value)
        return node

    def each_assigned(self, target: Any, node: ast.Assign) -> None:
        """Wrap the values of several targets: each by itself if they are written so."""
        if any(isinstance(one, ast.Starred) for one in target.elts):
            node.value = _hook("unpacked", node.value, at=node.value)
        elif isinstance(node.value, ast.Tuple) and len(node.value.elts) == len(target.elts):
            for place, one in enumerate(target.elts):
                inside = isinstance(one, ast.Subscript | ast.Attribute) and _is_plain(one.value)
                if inside:
                    node.value.elts[place] = self.kept(one, node.value.elts[place])

    def kept(self, target: Any, value: ast.expr) -> ast.expr:
        """Wrap a value that is stored in a container or an object."""
        self.sites += 1
        container = ast.copy_location(_loaded(target.value), target)
        return _hook("stored", value, container, ast.Constant(self.sites), at=value)

    def is_shared(self, name: str) -> bool:
        return any(name in names for names in self.shared)

    def all(self, body: list[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for one in map(self.visit, body):
            found += one if isinstance(one, list) else [one]
        return found


def _is_shared(node: ast.AST) -> TypeGuard[ast.Global | ast.Nonlocal]:
    return isinstance(node, ast.Global | ast.Nonlocal)


def _is_plain(node: ast.expr) -> bool:
    """Return whether a node is a name or an attribute of one, and may be evaluated twice."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _loaded(node: Any) -> Any:
    if isinstance(node, ast.Attribute):
        return ast.Attribute(_loaded(node.value), node.attr, ast.Load())
    return ast.Name(node.id, ast.Load())


def _occurs(target: ast.expr, value: ast.expr) -> bool:
    """Return whether the target of an assignment occurs in its value."""
    own = ast.unparse(target)
    kinds = ast.Name | ast.Attribute | ast.Subscript
    return any(isinstance(one, kinds) and ast.unparse(one) == own for one in ast.walk(value))


def _steps(loop: ast.For) -> dict[str, int]:
    """Return the names to which every iteration adds a constant, and does nothing else."""
    names = [one.id for one in _walk_own(loop.body, SCOPES) if _is_stored(one)]
    return {
        one.target.id: one.value.value
        for one in loop.body
        if isinstance(one, ast.AugAssign)
        and isinstance(one.op, ast.Add)
        and isinstance(one.target, ast.Name)
        and isinstance(one.value, ast.Constant)
        and type(one.value.value) is int
        and names.count(one.target.id) == 1
        and not any(isinstance(node, ast.Continue) for node in _walk_own(loop.body, SCOPES))
    }


def _assigned_again(
    name: str, site: ast.expr, at: ast.AST, hook: str, step: int | None
) -> ast.stmt:
    """Return ``try: x = hook(x, …)``, which does nothing if x is not defined yet."""
    args = [ast.Name(name, ast.Load()), ast.Name("__name__", ast.Load()), site]
    args += [ast.Constant(name), ast.Constant(step)]
    value = ast.Call(ast.Name(HOOK.format(hook), ast.Load()), args, [])
    assigned = ast.Assign([ast.Name(name, ast.Store())], value)
    missing = ast.ExceptHandler(ast.Name("NameError", ast.Load()), None, [ast.Pass()])
    return ast.copy_location(ast.Try([assigned], [missing], [], []), at)


def _carried(loop: ast.For) -> set[str]:
    """Return the names whose values an iteration may take from the previous one."""
    targets = {one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)}
    stored = {one.id for one in _walk_own(loop.body, SCOPES) if _is_stored(one)} - targets
    return {name for name in stored if _is_read_first(name, loop.body)}


def _is_read_first(name: str, body: Iterable[ast.stmt]) -> bool:
    """Return whether this body may read a name before it assigns it."""
    for statement in body:
        names = [
            one for one in _walk_own([statement]) if isinstance(one, ast.Name) and one.id == name
        ]
        if any(isinstance(one.ctx, ast.Load) for one in names):
            return True
        if isinstance(statement, ast.AugAssign) and names:
            return True
        if names and isinstance(statement, ast.Assign | ast.AnnAssign):
            return False
    return any(
        isinstance(one, ast.AugAssign)
        and isinstance(one.target, ast.Name)
        and one.target.id == name
        for one in _walk_own(body)
    )


def _is_stored(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _walk_own(body: Iterable[ast.AST], apart: tuple[type, ...] = DEFINITIONS) -> Iterator[ast.AST]:
    """Walk through nodes, but not into nodes of the types in ``apart``."""
    for node in body:
        if not isinstance(node, apart):
            yield node
            yield from _walk_own(ast.iter_child_nodes(node), apart)
