"""Run the code of configuration classes with unknown values.

The code is a small part of Python: assignments, conditions, comprehensions, dictionaries. The
interpreter follows both sides of a condition that it does not know. What either side assigns becomes
a choice by that condition, and a condition under which code raises becomes a refusal.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import inspect
import math
import operator
import textwrap
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from paramproof.tracing.configuration.terms import (
    MISSING,
    TRUTHS,
    Term,
    Unknown,
    Value,
    both,
    choose,
    either,
    instead,
    is_truth,
    negate,
    present,
    term,
    there,
)

ERRORS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, NotImplementedError)
"""What a configuration class raises for values that it refuses."""


class Refused(Exception):
    """Every value under the conditions assumed is refused."""


class Dict:
    """A dictionary: entries of its own, each perhaps absent, over those of an unknown ``base``."""

    def __init__(self, birth: Sequence[Value], base: Value = None, own: Any = ()) -> None:
        self.birth, self.base, self.own = tuple(birth), base, dict(own)

    def lookup(self, key: Value) -> Value:
        if isinstance(key, Term):
            raise Unknown(f"the key {key!r:.100}")
        if key in self.own or self.base is None:
            return self.own.get(key, MISSING)
        return choose(term("has", self.base, key), term("get", self.base, key), MISSING)


class Instance:
    """A configuration object: attributes of its own, and the rest of the keys that it was given."""

    def __init__(self, kind: Any, origin: Value = None, birth: Sequence[Value] = ()) -> None:
        self.kind, self.origin, self.birth = kind, origin, tuple(birth)
        self.own: dict[str, Value] = {}
        self.rest: Dict | None = None


class Method:
    def __init__(self, owner: Value, function: Any) -> None:
        self.owner, self.function = owner, function


class Super:
    def __init__(self, after: type, owner: Instance) -> None:
        self.after, self.owner = after, owner


class Closure:
    def __init__(self, node: ast.Lambda, frame: Frame) -> None:
        self.node, self.frame = node, frame


class Frame:
    def __init__(self, function: Any, birth: Sequence[Value]) -> None:
        self.function, self.birth = function, tuple(birth)
        self.own: dict[str, Value] = {}
        self.result: Value = None
        self.left: Value = False
        self.broken: list[Value] = []
        self.skipped: list[Value] = []


BINARY: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv),
    ast.FloorDiv: ("//", operator.floordiv),
    ast.Mod: ("%", operator.mod),
    ast.Pow: ("**", operator.pow),
}
ORDER: dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
}
ALWAYS_A_VALUE = frozenset(
    "+ - * / // % ** neg list comp range len int float str round text method sum fields".split()
)
"""Operations whose result is never None."""


@cache
def source_of(code: types.CodeType) -> ast.FunctionDef:
    tree = ast.parse(textwrap.dedent(inspect.getsource(code)))
    (node,) = tree.body
    assert isinstance(node, ast.FunctionDef)
    return node


@cache
def fields_of(kind: Any) -> frozenset[str]:
    return frozenset(one.name for one in dataclasses.fields(kind))


def unknown(value: Value) -> bool:
    """Return whether a value depends on unknown ones."""
    if isinstance(value, list | tuple | set):
        return any(map(unknown, value))
    if isinstance(value, dict):
        return any(map(unknown, value.values()))
    if isinstance(value, slice):
        return any(map(unknown, (value.start, value.stop, value.step)))
    return isinstance(value, Term | Dict | Instance)


class Interpreter:
    """Runs functions; ``path`` has the conditions assumed, ``refusals`` those that are refused."""

    def __init__(self) -> None:
        self.path: list[Value] = []
        self.facts: list[dict[Value, bool]] = [{}]
        self.refusals: dict[Value, str] = {}
        self.frames: list[Frame] = []
        self.changed: dict[Term, Value] = {}
        self.depth = 0
        self.own_code = ("transformers",)
        self.unset: frozenset[str] = frozenset()

    # Conditions

    def known(self, condition: Value) -> Value:
        """Return whether a condition is true, or the condition if that is unknown."""
        if isinstance(condition, bool):
            return condition
        found = self.facts[-1].get(condition)
        if found is not None:
            return found
        if condition.op == "not":
            inner = self.known(condition.args[0])
            return negate(inner)
        if condition.op == "and":
            return both(*map(self.known, condition.args))
        return condition

    @contextmanager
    def assuming(self, condition: Value) -> Iterator[None]:
        self.path.append(condition)
        self.facts.append({**self.facts[-1]})
        self.assume(condition, self.facts[-1])
        try:
            yield
        finally:
            self.path.pop()
            self.facts.pop()

    def assume(self, condition: Value, facts: dict[Value, bool]) -> None:
        if isinstance(condition, bool):
            return
        facts[condition] = True
        if condition.op == "not":
            facts[condition.args[0]] = False
        elif condition.op == "and":
            for one in condition.args:
                self.assume(one, facts)
        else:
            facts[negate(condition)] = False

    def under(self, condition: Value, run: Callable[[], Value], default: Value = MISSING) -> Value:
        """Run something under a condition; return the default where all of it is refused."""
        with self.assuming(condition):
            try:
                return run()
            except Refused:
                pass
            except ERRORS as error:
                self.refuse(f"{type(error).__name__}: {error}")
        return default

    def refuse(self, why: str, condition: Value = True) -> None:
        """Note that the values under the conditions assumed are refused."""
        for level in range(len(self.path) + 1):
            whole: Value = True
            for one in (*self.path[level:], condition):
                whole = both(whole, one)
            if whole is not True:
                self.assume(negate(whole), self.facts[level])
            if level == 0:
                self.refusals.setdefault(whole, why)

    def since(self, birth: Sequence[Value]) -> Value:
        """Return the condition assumed since something was made."""
        start = 0
        while start < min(len(birth), len(self.path)) and birth[start] is self.path[start]:
            start += 1
        found: Value = True
        for one in self.path[start:]:
            found = both(found, one)
        return found

    def write(self, holder: Dict | Instance | Frame, key: Any, value: Value) -> None:
        old = holder.lookup(key) if isinstance(holder, Dict) else holder.own.get(key, MISSING)
        holder.own[key] = self.merged(self.since(holder.birth), value, old)

    def merged(self, condition: Value, one: Value, other: Value) -> Value:
        """Return one of two values by a condition; dictionaries over the same keys become one."""
        if isinstance(one, Dict) and isinstance(other, Dict) and one is not other:
            if one.base is other.base and not isinstance(condition, bool):
                keys = dict.fromkeys((*one.own, *other.own))
                pairs = {k: choose(condition, one.lookup(k), other.lookup(k)) for k in keys}
                return Dict(self.path, one.base, pairs)
        return choose(condition, one, other)

    def settle(self, value: Value) -> Value:
        """Return a value without the choices whose condition is known."""
        while isinstance(value, Term) and value.op == "if":
            condition = self.known(value.args[0])
            if condition is True:
                value = value.args[1]
            elif condition is False:
                value = value.args[2]
            else:
                one, other = value.args[1:]
                if condition is not value.args[0]:
                    return choose(condition, one, other)
                return value
        return value

    def each(self, value: Value, run: Callable[[Value], Value]) -> Value:
        """Return what a function makes of a value, of each side of a choice apart."""
        value = self.settle(value)
        if isinstance(value, Term) and value.op == "if":
            condition, one, other = value.args
            first = self.under(condition, lambda: self.each(one, run))
            second = self.under(negate(condition), lambda: self.each(other, run))
            if first is MISSING or second is MISSING:
                return second if first is MISSING else first
            return choose(condition, first, second)
        return run(value)

    def truth(self, value: Value) -> Value:
        def of(one: Value) -> Value:
            if isinstance(one, Dict):
                found: Value = False
                for entry in one.own.values():
                    found = either(found, present(entry))
                if one.base is not None and found is not True:
                    found = either(found, term("truth", one.base))
                return found
            if isinstance(one, Instance | Method):
                return True
            if isinstance(one, Term):
                if one in self.changed:
                    return self.truth(self.changed[one])
                if one.op == "list":
                    return bool(one.args)
                return one if one.op in TRUTHS else term("truth", one)
            return bool(one)

        return self.known(self.each(value, of))

    # Statements

    def block(self, body: Sequence[ast.stmt]) -> Value:
        """Run statements; return under which condition the end is reached."""
        reached: Value = True
        with_conditions: list[Any] = []
        try:
            for one in body:
                after = self.known(self.statement(one))
                reached = both(reached, after)
                if after is False:
                    return False
                if after is not True:
                    assuming = self.assuming(after)
                    assuming.__enter__()
                    with_conditions.append(assuming)
        except Refused:
            if not with_conditions:
                raise
            return False
        except ERRORS as error:
            if not with_conditions:
                raise
            self.refuse(f"{type(error).__name__}: {error}")
            return False
        finally:
            for assuming in reversed(with_conditions):
                assuming.__exit__(None, None, None)
        return reached

    def statement(self, node: ast.stmt) -> Value:
        frame = self.frames[-1]
        match node:
            case ast.Expr(value=value):
                if not isinstance(value, ast.Constant):
                    self.eval(value)
            case ast.Assign(targets=targets, value=value):
                found = self.eval(value)
                for target in targets:
                    self.assign(target, found)
            case ast.AnnAssign(target=target, value=value):
                if value is not None:
                    self.assign(target, self.eval(value))
            case ast.AugAssign(target=target, op=op, value=value):
                load = ast.parse(ast.unparse(target), mode="eval").body
                self.assign(target, self.binary(op, self.eval(load), self.eval(value)))
            case ast.If(test=test, body=body, orelse=orelse):
                return self.branch(self.truth(self.eval(test)), body, orelse)
            case ast.Return(value=value):
                found = self.eval(value) if value is not None else None
                when = self.since(frame.birth)
                frame.result = choose(when, found, frame.result)
                frame.left = either(frame.left, when)
                return False
            case ast.Raise(exc=exc):
                self.refuse(f"raise in {frame.function.__qualname__}")
                raise Refused(ast.unparse(exc) if exc else "")
            case ast.For():
                return self.loop(node)
            case ast.Continue() | ast.Break():
                where = frame.broken if isinstance(node, ast.Break) else frame.skipped
                where[-1] = either(where[-1], self.since(frame.birth))
                return False
            case ast.Pass():
                pass
            case ast.Delete(targets=targets):
                for target in targets:
                    assert isinstance(target, ast.Subscript)
                    holder = self.eval(target.value)
                    self.call(self.attribute(holder, "pop"), [self.eval(target.slice)])
            case ast.ImportFrom() | ast.Import():
                space = dict(frame.function.__globals__)
                exec(compile(ast.Module([node], []), "import", "exec"), space)
                for alias in node.names:
                    name = alias.asname or alias.name
                    frame.own[name] = space[name]
            case ast.Try(body=body):
                return self.block(body)
            case _:
                raise Unknown(f"the statement {ast.unparse(node):.60}")
        return True

    def branch(self, test: Value, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt]) -> Value:
        if isinstance(test, bool):
            return self.block(body if test else orelse)
        if isinstance(body[-1], ast.Raise) and not orelse:
            # What a message is made of does not matter.
            with self.assuming(test):
                self.refuse(f"raise in {self.frames[-1].function.__qualname__}")
            return negate(test)
        one = self.under(test, lambda: self.block(body), default=False)
        other = self.under(negate(test), lambda: self.block(orelse), default=False)
        return True if one is other is True else choose(test, one, other)

    def loop(self, node: ast.For) -> Value:
        frame = self.frames[-1]
        source = self.eval(node.iter)
        if isinstance(source, OpenItems):
            return self.set_all(node, source)
        items = self.items(source)
        if items is None:
            return self.for_all(node, source)
        frame.broken.append(False)
        frame.skipped.append(False)
        entered: list[Any] = []
        try:
            for one in items:
                go_on = negate(self.known(either(frame.left, frame.broken[-1])))
                go_on = self.known(go_on)
                if go_on is False:
                    break
                if go_on is not True:
                    assuming = self.assuming(go_on)
                    assuming.__enter__()
                    entered.append(assuming)
                frame.skipped[-1] = False
                self.assign(node.target, one)
                self.block(node.body)
        finally:
            for assuming in reversed(entered):
                assuming.__exit__(None, None, None)
            frame.broken.pop()
            frame.skipped.pop()
        return negate(self.known(frame.left))

    def for_all(self, node: ast.For, source: Value) -> Value:
        """Run the body for any item: it may refuse some, or append to lists, and nothing else."""
        frame, before = self.frames[-1], dict(self.frames[-1].own)
        refusals, self.refusals = self.refusals, {}
        path, self.path = self.path, []
        facts = self.facts[-1]
        frame.broken.append(False)
        frame.skipped.append(False)
        item = term("item of loop", self.depth)
        self.depth += 1
        birth, frame.birth = frame.birth, ()
        try:
            self.assign(node.target, self.unpacked(source, item))
            self.block(node.body)
        except Refused:
            pass
        finally:
            self.depth -= 1
            frame.birth = birth
            inner, self.refusals = self.refusals, refusals
            self.path = path
            self.facts[-1] = facts
            broken = frame.broken.pop()
            frame.skipped.pop()
        targets = {one.id for one in ast.walk(node.target) if isinstance(one, ast.Name)}
        for name in frame.own.keys() - before.keys():
            targets.add(name)
        changed = {name for name, one in before.items() if frame.own[name] is not one} - targets
        if changed or broken is not False or frame.left is not False:
            raise Unknown(f"a loop over {source!r:.80} that changes {sorted(changed)}")
        for condition, why in inner.items():
            self.refuse(why, term("any", term("comp", self.depth, source, condition, True)))
        return True

    def set_all(self, node: ast.For, source: OpenItems) -> Value:
        """Set each of the remaining keys as an attribute, as the base class does."""
        owner = self.frames[-1].own["self"]
        settable = [*owner.kind.attribute_map, "per_layer_config"]
        for name in dir(owner.kind):
            found = inspect.getattr_static(owner.kind, name)
            if isinstance(found, property) and found.fset and name not in self.unset:
                settable.append(name)
        for name in dict.fromkeys((*source.of.own, *settable)):
            value = source.of.lookup(name)
            if (when := self.known(present(value))) is not False:
                given = there(value)
                if when is True:
                    self.set_attribute(owner, name, given)
                else:
                    self.under(when, lambda n=name, g=given: self.set_attribute(owner, n, g))
                source.of.own[name] = MISSING
        owner.rest = source.of
        return True

    def assign(self, target: ast.expr, value: Value) -> None:
        frame = self.frames[-1]
        match target:
            case ast.Name(id=name):
                self.write(frame, name, value)
            case ast.Attribute(value=owner, attr=name):
                held = self.eval(owner)
                self.each(held, lambda one: self.set_attribute(one, name, value))
            case ast.Subscript(value=owner, slice=index):
                key = self.eval(index)
                self.each(self.eval(owner), lambda one: self.set_item(one, key, value))
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                found = self.items(value)
                if found is None:
                    found = [self.subscript(value, i) for i in range(len(elts))]
                if any(isinstance(one, ast.Starred) for one in elts):
                    raise Unknown("a starred target")
                for one, item in zip(elts, found, strict=True):
                    self.assign(one, item)
            case _:
                raise Unknown(f"the target {ast.unparse(target)}")

    def set_item(self, holder: Value, key: Value, value: Value) -> None:
        if isinstance(holder, Term) and holder.op == "rope":
            return
        if isinstance(holder, Dict):
            if isinstance(key, Term):
                raise Unknown(f"a key {key!r:.60} that is set")
            self.write(holder, key, value)
        elif isinstance(holder, Term):
            found = self.changed.get(holder)
            if isinstance(key, str):
                if found is None:
                    found = self.changed[holder] = Dict((), holder)
                self.write(found, key, value)
            else:
                old = holder if found is None else found
                new = term("replaced", old, key, value)
                self.changed[holder] = choose(self.since(()), new, old)
        elif isinstance(holder, list) and not self.path and not unknown(key):
            holder[key] = value
        elif isinstance(holder, dict) and not unknown(value):
            raise Unknown("a constant dictionary that is changed")
        else:
            raise Unknown(f"an item of {holder!r:.60} that is set")

    # Attributes

    def set_attribute(self, owner: Value, name: str, value: Value) -> None:
        if not isinstance(owner, Instance):
            raise Unknown(f"an attribute of {owner!r:.60} that is set")
        name = owner.kind.attribute_map.get(name, name) if owner.kind else name
        found = inspect.getattr_static(owner.kind, name, None) if owner.kind else None
        if isinstance(found, property) and name != "per_layer_config":
            if found.fset is None:
                raise AttributeError(f"{name} cannot be set")
            self.call(Method(owner, found.fset), [value])
            return
        self.check_type(owner, name, value)
        self.write(owner, name, value)

    def check_type(self, owner: Instance, name: str, value: Value) -> None:
        """Refuse the values that the class of a field does not accept."""

    def attribute(self, owner: Value, name: str) -> Value:
        found = self.each(owner, lambda one: self.attribute_of(one, name))
        return self.require(found, name)

    def require(self, value: Value, name: object) -> Value:
        when = self.known(present(value))
        if when is False:
            raise AttributeError(f"{name} is absent")
        if when is not True:
            self.refuse(f"{name} is absent", negate(when))
        return there(value)

    def attribute_of(self, owner: Value, name: str) -> Value:
        """Return an attribute, or ``MISSING``."""
        if isinstance(owner, Super):
            kinds = owner.owner.kind.__mro__
            for kind in kinds[kinds.index(owner.after) + 1 :]:
                if name in vars(kind):
                    return self.bound(vars(kind)[name], owner.owner)
            return MISSING
        if isinstance(owner, Instance):
            return self.attribute_of_instance(owner, name)
        if isinstance(owner, Term | Dict | list) and not isinstance(owner, Method):
            return Method(owner, name)
        return getattr(owner, name, MISSING)

    def bound(self, found: Any, owner: Instance) -> Value:
        if isinstance(found, property):
            assert found.fget is not None
            if type(found).__name__ == "classproperty":
                return found.fget(owner.kind)
            return self.call(Method(owner, found.fget), [])
        if isinstance(found, staticmethod):
            return found.__func__
        if isinstance(found, classmethod):
            return getattr(owner.kind, found.__func__.__name__)
        return Method(owner, found) if inspect.isfunction(found) else found

    def attribute_of_instance(self, owner: Instance, name: str) -> Value:
        kind = owner.kind
        if name == "__class__":
            return kind
        name = kind.attribute_map.get(name, name) if kind else name
        found = owner.own.get(name, MISSING)
        if present(found) is True:
            return found
        static = inspect.getattr_static(kind, name, MISSING) if kind else MISSING
        if owner.origin is not None:
            if name == "to_dict":
                return Method(owner, "to_dict")
            below: Value = MISSING
            if static is not MISSING and name not in fields_of(kind):
                below = self.bound(static, owner)
            elif static is not MISSING or kind is None:
                below = term("field", owner.origin, name)
            else:
                has = term("has", term("fields", owner.origin), name)
                below = choose(has, term("field", owner.origin, name), MISSING)
            return instead(found, below)
        if owner.rest is not None and static is MISSING:
            found = instead(found, owner.rest.lookup(name))
        if present(found) is not True and static is not MISSING:
            found = instead(found, self.bound(static, owner))
        return found

    # Expressions

    def eval(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self.name(name)
            case ast.Attribute(value=value, attr=attr):
                return self.attribute(self.eval(value), attr)
            case ast.Subscript(value=value, slice=index):
                held = self.eval(value)
                return self.subscript(held, self.eval(index))
            case ast.Slice(lower=lower, upper=upper, step=step):
                return slice(*(self.eval(one) if one else None for one in (lower, upper, step)))
            case ast.BinOp(left=left, op=op, right=right):
                return self.binary(op, self.eval(left), self.eval(right))
            case ast.UnaryOp(op=op, operand=operand):
                value = self.eval(operand)
                if isinstance(op, ast.Not):
                    return negate(self.truth(value))
                if isinstance(op, ast.USub):
                    return term("neg", value) if unknown(value) else -value
                raise Unknown(ast.unparse(node))
            case ast.BoolOp(op=op, values=values):
                return self.bool_op(isinstance(op, ast.Or), values)
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                return self.compare(self.eval(left), ops, comparators)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                condition = self.truth(self.eval(test))
                if isinstance(condition, bool):
                    return self.eval(body if condition else orelse)
                one = self.under(condition, lambda: self.eval(body))
                other = self.under(negate(condition), lambda: self.eval(orelse))
                return there(choose(condition, one, other))
            case ast.List(elts=elts) | ast.Tuple(elts=elts) | ast.Set(elts=elts):
                return self.display(node, elts)
            case ast.Dict(keys=keys, values=values):
                return self.dict_display(keys, values)
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp():
                found = self.comprehension(node.generators, node.elt)
                return self.set_of(found) if isinstance(node, ast.SetComp) else found
            case ast.DictComp(key=key, value=value, generators=generators):
                return self.dict_comprehension(generators, key, value)
            case ast.Call():
                return self.eval_call(node)
            case ast.JoinedStr(values=values):
                parts = [self.eval(one) for one in values]
                if unknown(parts):
                    return term("text", *parts)
                return "".join(map(str, parts))
            case ast.FormattedValue(value=value, format_spec=spec):
                found = self.eval(value)
                return found if unknown(found) or not spec else format(found, self.eval(spec))
            case ast.NamedExpr(target=target, value=value):
                found = self.eval(value)
                self.assign(target, found)
                return found
            case ast.Lambda():
                return Closure(node, self.frames[-1])
            case _:
                raise Unknown(f"the expression {ast.unparse(node):.60}")

    def name(self, name: str) -> Value:
        frame = self.frames[-1]
        if name in frame.own:
            return self.require(self.settle(frame.own[name]), name)
        function = frame.function
        if isinstance(function, Closure):
            self.frames.append(function.frame)
            try:
                return self.name(name)
            finally:
                self.frames.pop()
        code = function.__code__
        if name in code.co_freevars:
            return function.__closure__[code.co_freevars.index(name)].cell_contents
        if name in function.__globals__:
            return function.__globals__[name]
        return getattr(builtins, name)

    def bool_op(self, is_or: bool, values: Sequence[ast.expr]) -> Value:
        first, *others = values
        value = self.eval(first)
        if not others:
            return value
        condition = self.truth(value)
        goes_on = negate(condition) if is_or else condition
        if isinstance(goes_on, bool):
            return self.bool_op(is_or, others) if goes_on else value
        other = self.under(goes_on, lambda: self.bool_op(is_or, others))
        if is_truth(value) and is_truth(other):
            return either(value, other) if is_or else both(value, other)
        return choose(goes_on, other, value)

    def compare(self, left: Value, ops: Sequence[ast.cmpop], others: Sequence[ast.expr]) -> Value:
        found: Value = True
        for op, node in zip(ops, others, strict=True):
            if self.known(found) is False:
                return False
            right = self.eval(node)
            found = both(found, self.compared(op, left, right))
            left = right
        return self.known(found)

    def compared(self, op: ast.cmpop, left: Value, right: Value) -> Value:
        match op:
            case ast.Is() | ast.IsNot():
                found = self.identical(left, right)
                return negate(found) if isinstance(op, ast.IsNot) else found
            case ast.In() | ast.NotIn():
                found = self.each(right, lambda one: self.contained(left, one))
                return negate(found) if isinstance(op, ast.NotIn) else found
        sign, operation = ORDER[type(op)]
        if sign == "!=":
            return negate(self.compared(ast.Eq(), left, right))

        def one_pair(one: Value, other: Value) -> Value:
            if sign == "==" and (isinstance(one, Instance) or isinstance(other, Instance)):
                return one is other
            if not unknown(one) and not unknown(other):
                return bool(operation(one, other))
            if sign == "==":
                for known_, it in ((one, other), (other, one)):
                    if known_ is None and isinstance(it, Term) and it.op in ALWAYS_A_VALUE:
                        return False
                if one is other:
                    return True
            return self.known(term(sign, self.frozen(one), self.frozen(other)))

        return self.each(left, lambda one: self.each(right, lambda other: one_pair(one, other)))

    def identical(self, left: Value, right: Value) -> Value:
        def one_pair(one: Value, other: Value) -> Value:
            if isinstance(other, Term) and not isinstance(one, Term):
                one, other = other, one
            if isinstance(one, Term) and (other is None or isinstance(other, bool)):
                if one in self.changed or one.op in ALWAYS_A_VALUE:
                    return False
                if is_truth(one):
                    return (one if other else negate(one)) if other is not None else False
                return self.known(term("is", one, other))
            return one is other

        return self.each(left, lambda one: self.each(right, lambda other: one_pair(one, other)))

    def contained(self, item: Value, holder: Value) -> Value:
        if isinstance(holder, Dict):
            return self.each(item, lambda key: self.known(present(holder.lookup(key))))
        if isinstance(holder, Term) and holder in self.changed:
            return self.contained(item, self.changed[holder])

        def of(one: Value) -> Value:
            if not unknown(one) and not unknown(holder):
                return one in holder
            if isinstance(holder, Term) and holder.op in ("get", "field") and isinstance(one, str):
                # A dictionary has keys, and a list has items.
                return self.known(term("in", one, holder))
            if type(holder).__name__ == "_LazyConfigMapping":
                return self.known(term("known", one))
            values = [*holder] if isinstance(holder, set | frozenset | dict | tuple) else holder
            return self.known(term("in", one, self.frozen(values)))

        return self.each(item, of)

    def frozen(self, value: Value) -> Value:
        """Return a value as it is used inside a term."""
        if isinstance(value, list | tuple):
            return term("list", *map(self.frozen, value))
        if isinstance(value, set | frozenset):
            return term("list", *map(self.frozen, sorted(value, key=repr)))
        if isinstance(value, dict):
            return self.frozen(Dict((), None, value))
        if isinstance(value, range):
            return term("range", value.start, value.stop, value.step)
        if isinstance(value, Dict):
            pairs = [part for k, v in value.own.items() for part in (k, self.frozen(v))]
            return term("dict", value.base, *pairs) if pairs or value.base is None else value.base
        if isinstance(value, Term) and value in self.changed:
            return self.frozen(self.changed[value])
        if isinstance(value, Term) and value.op == "if":
            condition, one, other = value.args
            return choose(condition, self.frozen(one), self.frozen(other))
        return value

    def binary(self, op: ast.operator, left: Value, right: Value) -> Value:
        if isinstance(op, ast.BitXor) and is_truth(left) and is_truth(right):
            return choose(left, negate(right), right)
        if type(op) not in BINARY:
            raise Unknown(f"the operation {type(op).__name__}")
        sign, operation = BINARY[type(op)]
        if isinstance(left, list | tuple) and isinstance(right, list | tuple):
            return operation(left, right)
        if isinstance(left, list | str) and isinstance(right, int) and sign == "*":
            return left * right
        if not unknown(left) and not unknown(right):
            return operation(left, right)

        def one_pair(one: Value, other: Value) -> Value:
            if not unknown(one) and not unknown(other):
                return operation(one, other)
            return term(sign, self.frozen(one), self.frozen(other))

        # A choice with a constant that cannot be computed with is refused on that side.
        return self.each(left, lambda one: self.each(right, lambda other: one_pair(one, other)))

    def subscript(self, holder: Value, index: Value) -> Value:
        def of(one: Value) -> Value:
            if isinstance(one, Term) and one in self.changed:
                one = self.changed[one]
            if isinstance(one, Dict):
                return self.require(one.lookup(self.settle(index)), index)
            if type(one).__name__ == "_LazyConfigMapping" and unknown(index):
                return Class(index)
            if not unknown(index) and not isinstance(one, Term):
                return one[index]
            if isinstance(one, dict) and isinstance(index, Term):
                return term("get", self.frozen(one), index)
            if isinstance(index, slice):
                parts = index.start, index.stop, index.step
                return term("slice", self.frozen(one), *map(self.frozen, parts))
            if isinstance(one, Term) and one.op == "rope":
                return one
            if isinstance(index, str):
                return self.require(Dict((), one).lookup(index), index)
            return term("get", self.frozen(one), self.frozen(index))

        return self.each(holder, of)

    def display(self, node: ast.expr, elts: Sequence[ast.expr]) -> Value:
        found: list[Value] = []
        for one in elts:
            if isinstance(one, ast.Starred):
                items = self.items(self.eval(one.value))
                if items is None:
                    raise Unknown(ast.unparse(node))
                found += items
            else:
                found.append(self.eval(one))
        if isinstance(node, ast.Tuple):
            return tuple(found)
        return self.set_of(found) if isinstance(node, ast.Set) else found

    def set_of(self, found: Value) -> Value:
        return term("set", self.frozen(found)) if unknown(found) else set(found)

    def dict_display(self, keys: Sequence[ast.expr | None], values: Sequence[ast.expr]) -> Dict:
        found = Dict(self.path)
        for key, value in zip(keys, values, strict=True):
            if key is None:
                self.update(found, self.eval(value))
            else:
                found.own[self.eval(key)] = self.eval(value)
        return found

    def update(self, target: Dict, source: Value) -> None:
        def of(one: Value) -> None:
            if isinstance(one, Term):
                one = self.changed.get(one) or Dict((), one)
            if isinstance(one, dict):
                one = Dict((), None, one)
            if not isinstance(one, Dict):
                raise TypeError(f"{one!r} is not a dictionary")
            if target.base is None and not target.own and self.since(target.birth) is True:
                target.base, target.own = one.base, dict(one.own)
                return
            if one.base is not None:
                old = self.frozen(Dict((), target.base, target.own))
                new = term("merged", old, self.frozen(one))
                target.base = choose(self.since(target.birth), new, old)
                target.own = {}
                return
            for key, value in one.own.items():
                self.write(target, key, instead(value, target.lookup(key)))

        self.each(source, of)

    def items(self, value: Value) -> list[Value] | None:
        """Return the items of a value, or None if their number is unknown."""
        value = self.settle(value)
        if isinstance(value, Dict) and value.base is None:
            if all(present(one) is True for one in value.own.values()):
                return [*value.own]
        if isinstance(value, Term) and value.op == "list" and value not in self.changed:
            return [*value.args]
        if isinstance(value, Term | Dict | OpenItems):
            return None
        return [*value]

    def unpacked(self, source: Value, item: Value) -> Value:
        """Return an item of a source, whose parts are known for pairs."""
        if isinstance(source, Term) and source.op in ("enumerate", "zip", "items"):
            return tuple(term("get", item, i) for i in range(max(2, len(source.args))))
        return item

    def comprehension(self, generators: Sequence[ast.comprehension], elt: ast.expr) -> Value:
        first, *others = generators
        frame = self.frames[-1]
        source = self.eval(first.iter)
        items = self.items(source)
        before = dict(frame.own)
        try:
            if items is not None:
                found: list[Value] = []
                for one in items:
                    self.assign_new(first.target, one)
                    kept: Value = True
                    for test in first.ifs:
                        kept = both(kept, self.truth(self.eval(test)))
                    if self.known(kept) is False:
                        continue
                    if kept is not True:
                        return self.picked(items, first, others, elt)
                    if others:
                        inner = self.comprehension(others, elt)
                        if not isinstance(inner, list):
                            return self.concatenated(items, first, others, elt)
                        found += inner
                    else:
                        found.append(self.eval(elt))
                return found
            if others:
                raise Unknown("a comprehension over two unknown lists")
            return self.comp("comp", source, first, elt)
        finally:
            frame.own = before

    def picked(self, items: Any, first: ast.comprehension, others: Any, elt: ast.expr) -> Value:
        if others:
            raise Unknown("a comprehension with a condition over two lists")
        return self.comp("comp", self.frozen(items), first, elt)

    def concatenated(self, items: Any, first: Any, others: Any, elt: ast.expr) -> Value:
        parts = []
        for one in items:
            self.assign_new(first.target, one)
            parts.append(self.frozen(self.comprehension(others, elt)))
        return term("joined", *parts)

    def assign_new(self, target: ast.expr, value: Value) -> None:
        frame = self.frames[-1]
        path, self.path = self.path, [*frame.birth]
        try:
            self.assign(target, value)
        finally:
            self.path = path

    def comp(
        self, op: str, source: Value, one: ast.comprehension, elt: ast.expr, *more: ast.expr
    ) -> Value:
        source = self.frozen(source)
        item = term("item of loop", self.depth)
        self.depth += 1
        refusals, self.refusals = self.refusals, {}
        try:
            self.assign_new(one.target, self.unpacked(source, item))
            kept: Value = True
            for test in one.ifs:
                kept = both(kept, self.truth(self.eval(test)))
            values = [self.frozen(self.eval(node)) for node in (elt, *more)]
        finally:
            self.depth -= 1
            inner, self.refusals = self.refusals, refusals
        for condition, why in inner.items():
            for fact in self.path:
                # The conditions outside of the loop are added again.
                condition = condition if fact is not condition else True
            self.refuse(why, term("any", term("comp", self.depth, source, condition, True)))
        return term(op, self.depth, source, *values, kept)

    def dict_comprehension(
        self, generators: Sequence[ast.comprehension], key: ast.expr, value: ast.expr
    ) -> Value:
        first, *others = generators
        source = self.eval(first.iter)
        if others:
            raise Unknown("a dictionary of two lists")
        if isinstance(source, OpenItems):
            source = term("items", self.frozen(source.of))
        items, frame = self.items(source), self.frames[-1]
        before = dict(frame.own)
        try:
            if items is None:
                return Dict((), self.comp("comp dict", source, first, key, value))
            found = Dict(self.path)
            for one in items:
                self.assign_new(first.target, one)
                kept: Value = True
                for test in first.ifs:
                    kept = both(kept, self.truth(self.eval(test)))

                def enter() -> None:
                    name = self.eval(key)
                    if isinstance(name, Term):
                        raise Unknown("an unknown key")
                    self.write(found, name, self.eval(value))

                if kept is True:
                    enter()
                elif kept is not False:
                    self.under(kept, enter)
            return found
        finally:
            frame.own = before

    # Calls

    def eval_call(self, node: ast.Call) -> Value:
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            function = self.frames[-1].function
            after = function.__closure__[function.__code__.co_freevars.index("__class__")]
            return Super(after.cell_contents, self.frames[-1].own["self"])
        function = self.eval(node.func)
        if is_log(function):
            return None
        args: list[Value] = []
        for one in node.args:
            if isinstance(one, ast.Starred):
                items = self.items(self.eval(one.value))
                if items is None:
                    raise Unknown(ast.unparse(node))
                args += items
            else:
                args.append(self.eval(one))
        named = Dict(self.path)
        for keyword in node.keywords:
            value = self.eval(keyword.value)
            if keyword.arg is None:
                self.update(named, value)
            else:
                named.own[keyword.arg] = value
        return self.call(function, args, named)

    def call(self, function: Value, args: list[Value], named: Dict | None = None) -> Value:
        named = named or Dict(self.path)
        if isinstance(function, Term) and function.op == "if":
            return self.each(function, lambda one: self.call(one, args, named))
        if isinstance(function, Term):
            raise Unknown(f"a call of {function!r:.60}")
        if isinstance(function, Method) and isinstance(function.function, str):
            owner = function.owner
            if isinstance(owner, Instance) and function.function == "to_dict":
                assert owner.origin is not None
                return Dict(self.path, term("fields", owner.origin), owner.own)
            return self.call_method(owner, function.function, args, named)
        if isinstance(function, Method):
            return self.run(function.function, [function.owner, *args], named)
        if isinstance(function, Closure):
            return self.run_closure(function, args)
        if isinstance(function, types.MethodType) and is_ours(function.__func__, self.own_code):
            return self.run(function.__func__, [function.__self__, *args], named)
        if is_ours(function, self.own_code):
            return self.run(function, args, named)
        return self.call_other(function, args, named)

    def call_other(self, function: Any, args: list[Value], named: Dict) -> Value:
        from paramproof.tracing.configuration.models import MODELS

        try:
            model = MODELS.get(function)
        except TypeError:
            model = None
        if model is not None:
            return model(self, *args, **named.own)
        owner = getattr(function, "__self__", None)
        if isinstance(owner, dict | list | str) and unknown(args):
            return self.call_method(owner, function.__name__, args, named)
        if named.base is None and not unknown(args) and not unknown([*named.own.values()]):
            return function(*args, **named.own)
        raise Unknown(f"a call of {getattr(function, '__qualname__', function)!s:.60}")

    def call_method(self, owner: Value, name: str, args: list[Value], named: Dict) -> Value:
        if isinstance(owner, Term) and owner.op == "rope":
            return owner
        from paramproof.tracing.configuration.models import call_method

        return call_method(self, owner, name, args, named)

    def run_closure(self, closure: Closure, args: list[Value]) -> Value:
        frame = Frame(closure, self.path)
        frame.own = dict(zip([one.arg for one in closure.node.args.args], args, strict=True))
        self.frames.append(frame)
        try:
            return self.eval(closure.node.body)
        finally:
            self.frames.pop()

    def run(self, function: Any, args: list[Value], named: Dict) -> Value:
        """Run a function of Python; return its result."""
        node = source_of(function.__code__)
        frame = Frame(function, self.path)
        self.bind(frame, function, args, named)
        if len(self.frames) > 60:
            raise Unknown("too many calls")
        self.frames.append(frame)
        try:
            self.block(node.body)
        finally:
            self.frames.pop()
        return frame.result

    def bind(self, frame: Frame, function: Any, args: list[Value], named: Dict) -> None:
        left = Dict(self.path, named.base, named.own)
        given = [*args]
        for parameter in inspect.signature(function, follow_wrapped=False).parameters.values():
            name = parameter.name
            if parameter.kind is parameter.VAR_POSITIONAL:
                frame.own[name] = tuple(given)
                given = []
            elif parameter.kind is parameter.VAR_KEYWORD:
                frame.own[name] = left
                return
            elif given and parameter.kind is not parameter.KEYWORD_ONLY:
                frame.own[name] = given.pop(0)
            else:
                default = MISSING if parameter.default is parameter.empty else parameter.default
                frame.own[name] = self.require(instead(left.lookup(name), default), name)
                left.own[name] = MISSING
        if given:
            raise TypeError(f"{function.__qualname__} takes fewer arguments")


class OpenItems:
    """The items of a dictionary whose keys are unknown."""

    def __init__(self, of: Dict) -> None:
        self.of = of


class Class:
    """The configuration class of an unknown model type."""

    def __init__(self, model_type: Value) -> None:
        self.model_type = model_type


def is_ours(function: Any, packages: Sequence[str]) -> bool:
    return inspect.isfunction(function) and function.__module__.split(".")[0] in packages


def is_log(function: Any) -> bool:
    owner = getattr(function, "__self__", None)
    module = getattr(function, "__module__", "") or ""
    return type(owner).__name__ == "Logger" or module in ("logging", "warnings") or (
        "logging" in module
    )


def product(values: Sequence[Any]) -> Any:
    return math.prod(values)
