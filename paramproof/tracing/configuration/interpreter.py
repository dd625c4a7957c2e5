"""Run code with unknown values: expressions and calls.

The code is a small part of Python: assignments, conditions, comprehensions, dictionaries, and a few
functions of the standard library, which ``functions`` describes. What the interpreter has no rule
for is ``Unknown``.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import operator
import types
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Any, TypeAlias

from paramproof.tracing.configuration.functions import MODELS, PURE_MODULES, call_method
from paramproof.tracing.configuration.paths import Dict, Frame, List, Raised, source_of
from paramproof.tracing.configuration.statements import (
    BROKEN,
    COLLECTED,
    LEFT,
    LOST,
    RESULT,
    Statements,
)
from paramproof.tracing.configuration.terms import (
    MISSING,
    Term,
    Unknown,
    Value,
    instead,
    negate,
    term,
)
from paramproof.tracing.configuration.values import Closure, Method, Super, concrete, unknown

Comprehension: TypeAlias = ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp

MAX_CALLS = 60
"""The depth of calls at which the interpreter gives up."""


@cache
def loops_of(node: Comprehension) -> list[ast.stmt]:
    """Return the statements of a comprehension: loops and conditions around one that collects."""
    if isinstance(node, ast.DictComp):
        text = f"{COLLECTED}[{ast.unparse(node.key)}] = {ast.unparse(node.value)}"
    else:
        text = f"{COLLECTED}.append({ast.unparse(node.elt)})"
    body = ast.parse(text).body
    for one in reversed(node.generators):
        for test in reversed(one.ifs):
            body = [ast.If(test, body, [])]
        body = [ast.For(one.target, one.iter, body, [])]
    for inner in ast.walk(ast.Module(body, [])):
        ast.copy_location(inner, node)
    return body


def is_log(function: Any) -> bool:
    """Return whether a function only tells somebody something."""
    owner = type(getattr(function, "__self__", None)).__name__
    module = getattr(function, "__module__", "") or ""
    return owner == "Logger" or module.strip("_") == "warnings" or "logging" in module


class Interpreter(Statements):
    """Runs functions of some packages with unknown arguments."""

    def __init__(self, packages: Sequence[str]) -> None:
        super().__init__()
        self.packages, self.models = packages, MODELS

    # Expressions

    def eval(self, node: ast.expr) -> Value:  # noqa: C901 - a case for each kind of node
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self.name(name)
            case ast.Attribute(value=value, attr=attr):
                return self.attribute(self.eval(value), attr)
            case ast.Subscript(value=value, slice=index):
                return self.subscript(self.eval(value), self.eval(index))
            case ast.Slice(lower=lower, upper=upper, step=step):
                return slice(*(self.eval(one) if one else None for one in (lower, upper, step)))
            case ast.BinOp(left=left, op=op, right=right):
                return self.binary(op, self.eval(left), self.eval(right))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return negate(self.truth(self.eval(operand)))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self.each(self.eval(operand), partial(self.computed, "neg", operator.neg))
            case ast.BoolOp(op=op, values=values):
                return self.bool_op(isinstance(op, ast.Or), values)
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                return self.compare(self.eval(left), ops, comparators)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                when = self.truth(self.eval(test))
                return self.both_sides(when, partial(self.eval, body), partial(self.eval, orelse))
            case ast.List(elts=elts) | ast.Tuple(elts=elts) | ast.Set(elts=elts):
                kind = set if isinstance(node, ast.Set) else list
                found = self.arguments(elts, kind)
                return found.items if isinstance(node, ast.Tuple) else found
            case ast.Dict(keys=keys, values=values):
                return self.dictionary(zip(keys, values, strict=True))
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
                return self.comprehension(node)
            case ast.Call():
                return self.eval_call(node)
            case ast.JoinedStr(values=values):
                return self.text([self.eval(one) for one in values])
            case ast.FormattedValue(value=value, format_spec=None, conversion=-1):
                return self.eval(value)
            case ast.NamedExpr(target=target, value=value):
                found = self.eval(value)
                self.assign(target, found)
                return found
            case ast.Lambda():
                return Closure(node, self.frames[-1])
            case _:
                raise Unknown(f"the expression {ast.unparse(node):.60}")

    def text(self, parts: Sequence[Value]) -> Value:
        if unknown(parts):
            return term("text", *map(self.frozen, parts))
        return "".join(map(str, map(concrete, parts)))

    def name(self, name: str) -> Value:
        frame: Frame | None = self.frames[-1]
        while frame:
            if name in frame.own:
                found = self.settle(frame.own[name])
                if found is LOST:
                    raise Unknown(f"{name} after a loop")
                return self.require(found, name)
            function, frame = frame.function, frame.parent
        code = function.__code__
        if name in code.co_freevars:
            return function.__closure__[code.co_freevars.index(name)].cell_contents
        if name in function.__globals__:
            return function.__globals__[name]
        return self.native(getattr, builtins, name)

    def bool_op(self, is_or: bool, values: Sequence[ast.expr]) -> Value:
        first, *others = values
        value = self.eval(first)
        if not others:
            return value
        condition = self.truth(value)
        goes_on = negate(condition) if is_or else condition
        return self.both_sides(goes_on, lambda: self.bool_op(is_or, others), lambda: value)

    def compare(self, left: Value, ops: Sequence[ast.cmpop], others: Sequence[ast.expr]) -> Value:
        right = self.eval(others[0])
        found = self.known(self.truth(self.compared(ops[0], left, right)))
        if not ops[1:]:
            return found
        more = partial(self.compare, right, ops[1:], others[1:])
        return self.both_sides(found, more, lambda: False)

    def arguments(self, nodes: Sequence[ast.expr], kind: type = list) -> List:
        """Return a list of values, and of the items of those with a star."""
        every = [
            self.eval(one.value) if isinstance(one, ast.Starred) else (self.eval(one),)
            for one in nodes
        ]
        return self.chained(every, kind)

    def dictionary(self, pairs: Any) -> Dict:
        """Return the dictionary of nodes for keys and values, where ``**`` has no key."""
        found = Dict(self.path)
        for key, value in pairs:
            given = self.eval(value)
            if key is None:
                self.update(found, given)
            else:
                self.set_item(found, key if isinstance(key, str) else self.eval(key), given)
        return found

    def comprehension(self, node: Comprehension) -> Value:
        """Run the loops of a comprehension; return what they collect."""
        outer = self.frames[-1]
        frame = Frame(self.path, outer.function, outer)
        found = Dict(self.path) if isinstance(node, ast.DictComp) else List(self.path)
        frame.own[COLLECTED] = found
        self.run(frame, loops_of(node))
        if isinstance(found, List) and isinstance(node, ast.SetComp):
            found.kind = set
        return found

    # Calls

    def eval_call(self, node: ast.Call) -> Value:
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            return Super(self.name("__class__"), self.name("self"))
        function = self.eval(node.func)
        if is_log(function):
            return None
        args = self.arguments(node.args).items
        if not isinstance(args, tuple):
            raise Unknown(f"the arguments of {ast.unparse(node):.60}")
        named = self.dictionary((one.arg, one.value) for one in node.keywords)
        return self.call(function, args, named)

    def call(self, function: Value, args: Sequence[Value], named: Dict | None = None) -> Value:
        named = named or Dict(self.path)
        if isinstance(function, Term) and function.op == "if":
            return self.each(function, lambda one: self.call(one, args, named))
        if isinstance(function, Method):
            if isinstance(function.function, str):
                return self.call_method(function.owner, function.function, args, named)
            return self.call(function.function, [function.owner, *args], named)
        if isinstance(function, Closure):
            frame = Frame(self.path, function.frame.function, function.frame)
            return self.run(self.bind(frame, function, args, named), function.node.body)
        if isinstance(function, types.MethodType):
            return self.call(function.__func__, [function.__self__, *args], named)
        is_run = inspect.isfunction(function) and function not in self.models
        if is_run and function.__module__.split(".")[0] in self.packages:
            frame = self.bind(Frame(self.path, function), function, args, named)
            return self.run(frame, source_of(function.__code__).body)
        return self.call_other(function, args, named)

    def call_other(self, function: Any, args: Sequence[Value], named: Dict) -> Value:
        """Call a function of Python or of a library."""
        name = getattr(function, "__qualname__", str(function))
        owner = getattr(function, "__self__", None)
        if isinstance(owner, Mapping | list | str | set | tuple | int):
            return self.call_method(owner, function.__name__, args, named)
        if isinstance(function, types.MethodDescriptorType) and args:
            return self.call_method(args[0], function.__name__, args[1:], named)
        if named.base is not None:
            raise Unknown(f"a call of {name:.60} with unknown names")
        if isinstance(function, Hashable) and function in self.models:
            return self.models[function](self, *args, **named.own)
        is_pure = getattr(function, "__module__", None) in PURE_MODULES
        if is_pure and not unknown([*args, named]):
            return self.boxed(self.native(function, *map(concrete, args), **concrete(named)))
        raise Unknown(f"a call of {name:.60}")

    call_method = call_method

    def run(self, frame: Frame, body: Sequence[ast.stmt] | ast.expr) -> Value:
        """Run the body of a function; return its result."""
        if len(self.frames) > MAX_CALLS:
            raise Unknown("too many calls inside of one another")
        frame.own |= {RESULT: None, LEFT: False, BROKEN: False}
        self.frames.append(frame)
        try:
            if isinstance(body, ast.expr):
                return self.eval(body)
            self.block(body)
            return frame.own[RESULT]
        finally:
            self.frames.pop()

    def bind(self, frame: Frame, function: Any, args: Sequence[Value], named: Dict) -> Frame:
        """Bind the parameters of a function in its frame; return that."""
        left = Dict(self.path, named.base, named.own)
        given = [*args]
        for parameter in parameters_of(function):
            name = parameter.name
            if parameter.kind is parameter.VAR_POSITIONAL:
                frame.own[name], given = tuple(given), []
            elif parameter.kind is parameter.VAR_KEYWORD:
                frame.own[name], left = left, Dict(())
            elif given and parameter.kind is not parameter.KEYWORD_ONLY:
                frame.own[name] = given.pop(0)
            else:
                default = MISSING if parameter.default is parameter.empty else parameter.default
                found = instead(self.lookup(left, name), default)
                frame.own[name] = self.require(found, name)
                left.own[name] = MISSING
        called = getattr(function, "__qualname__", "a function inside of another")
        if given:
            raise Raised(f"{called} takes fewer arguments")
        others, why = self.truth(left), f"{called} takes no other names"
        if others is True:
            raise Raised(why)
        self.refuse(why, others)
        return frame


def parameters_of(function: Any) -> Iterable[inspect.Parameter]:
    """Return the parameters of a function as its code has them, whatever it says of itself."""
    if isinstance(function, Closure):
        of = function.node.args
        if not all(isinstance(one, ast.Constant | None) for one in (*of.defaults, *of.kw_defaults)):
            raise Unknown("a default of a function inside of another")
        made = ast.Expression(ast.Lambda(of, ast.Constant(None)))
        function = eval(compile(ast.fix_missing_locations(made), "", "eval"))
    one = types.FunctionType(function.__code__, {}, "", function.__defaults__, function.__closure__)
    one.__kwdefaults__ = function.__kwdefaults__
    return inspect.signature(one).parameters.values()
