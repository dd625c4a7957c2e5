"""Attributes, truth, comparisons and arithmetic of values, of which some are unknown."""

from __future__ import annotations

import ast
import inspect
import operator
from collections.abc import Callable
from functools import partial, reduce
from typing import Any

from paramproof.tracing.configuration.paths import Dict, Instance, List, Raised
from paramproof.tracing.configuration.terms import (
    MISSING,
    Term,
    Unknown,
    Value,
    choose,
    either,
    instead,
    is_truth,
    negate,
    present,
    term,
)
from paramproof.tracing.configuration.values import (
    JSON_TYPES,
    Method,
    Super,
    Values,
    concrete,
    fields_of,
    unknown,
)

SIGNS: dict[type[ast.AST], tuple[str, Callable[..., Any]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv),
    ast.FloorDiv: ("//", operator.floordiv),
    ast.Mod: ("%", operator.mod),
    ast.Pow: ("**", operator.pow),
    ast.BitAnd: ("&", operator.and_),
    ast.BitOr: ("|", operator.or_),
    ast.USub: ("neg", operator.neg),
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
}
"""The operation that a node of Python stands for."""


def with_items(source: Value) -> Dict | None:
    """Return the dictionary whose items, of which some are unknown, a loop goes through."""
    match source:
        case Term(op="items", args=(Term(op="dict", args=(base, *pairs)),)):
            return Dict((), base, zip(pairs[::2], pairs[1::2], strict=True))
        case Term(op="items", args=(base,)):
            return Dict((), base)
    return None


class Operators(Values):
    """Python's operators on values, and their attributes."""

    # Attributes

    def attribute(self, owner: Value, name: str) -> Value:
        if name in ("copy", "get", "items", "keys", "values"):
            owner = self.unified(owner)
        return self.require(self.each(owner, lambda one: self.attribute_of(one, name)), name)

    def attribute_of(self, owner: Value, name: str) -> Value:
        """Return an attribute, or ``MISSING``."""
        owner = self.current(owner)
        if isinstance(owner, Super):
            kinds = owner.owner.kind.__mro__
            rest = kinds[kinds.index(owner.after) + 1 :]
            found = next((vars(one)[name] for one in rest if name in vars(one)), MISSING)
            return self.bound(found, owner.owner)
        if isinstance(owner, Instance):
            return self.attribute_of_instance(owner, name)
        if isinstance(owner, Term | Dict | List):
            kind = self.kind_of(owner)
            kinds = JSON_TYPES if kind is None else (kind,)
            if any(hasattr(one, name) for one in kinds):
                return Method(owner, name)
            if isinstance(owner, Term) and kind is None and owner.op == "field":
                return self.attribute_of_instance(Instance((), None, owner), name)
            return MISSING
        return getattr(owner, name, MISSING)

    def bound(self, found: Any, owner: Instance) -> Value:
        is_of_class = isinstance(found, staticmethod | classmethod)
        if is_of_class or type(found).__name__ == "classproperty":
            return found.__get__(None, owner.kind)
        if isinstance(found, property):
            return self.call(Method(owner, found.fget), [])
        return Method(owner, found) if inspect.isfunction(found) else found

    def attribute_of_instance(self, owner: Instance, name: str) -> Value:
        kind = owner.kind
        if name == "__class__" and kind:
            return kind
        if name == "__dict__":
            return Method(owner, name)
        name = kind.attribute_map.get(name, name) if kind else name
        static = inspect.getattr_static(kind, name, MISSING) if kind else MISSING
        if isinstance(static, property):
            return self.bound(static, owner)
        found = owner.own.get(name, MISSING)
        if present(found) is True:
            return found
        if owner.origin is not None:
            if static is not MISSING and (callable(static) or isinstance(static, classmethod)):
                return instead(found, self.bound(static, owner))
            below = term("field", owner.origin, name)
            if static is MISSING and kind and name not in fields_of(kind):
                below = choose(self.known(term("has field", owner.origin, name)), below, MISSING)
            return instead(found, below)
        if owner.rest is not None:
            given = self.lookup(owner.rest, name)
            if static is not MISSING and not isinstance(static, str | int | float | tuple | None):
                self.refuse(f"{name} is no key", self.known(present(given)))
                given = MISSING
            found = instead(found, given)
        return instead(found, self.bound(static, owner))

    def set_attribute(self, owner: Value, name: Value, value: Value) -> None:
        if isinstance(owner, Term):
            owner = self.object_of(owner, Instance)
        if not isinstance(owner, Instance) or not isinstance(name, str):
            raise Unknown(f"an attribute {name!r:.60} of {owner!r:.60} that is set")
        name = owner.kind.attribute_map.get(name, name) if owner.kind else name
        static = inspect.getattr_static(owner.kind, name, None) if owner.kind else None
        if isinstance(static, property):
            if static.fset is None:
                raise Raised(f"{name} cannot be set")
            self.call(Method(owner, static.fset), [value])
        else:
            self.write(owner, name, value)

    # Operators

    def truth(self, value: Value) -> Value:
        def of(one: Value) -> Value:
            if isinstance(one, Term) and one in self.changed:
                return self.with_changes(one, lambda it: term("truth", it) if it is one else of(it))
            if isinstance(one, Dict):
                entries = [self.known(present(entry)) for entry in one.own.values()]
                if one.base is not None and True not in entries:
                    return term("truth", self.frozen(one))
                return reduce(either, entries, False)
            if isinstance(one, List):
                one = one.items
            if isinstance(one, Term):
                if one.op == "list":
                    return bool(one.args)
                return one if is_truth(one) else term("truth", one)
            return bool(one)

        return self.known(self.read(value, lambda one: self.known(of(one))))

    def compared(self, op: ast.cmpop, left: Value, right: Value) -> Value:
        match op:
            case ast.Is() | ast.IsNot():
                compare: Callable[..., Value] = self.identical
            case ast.In() | ast.NotIn():
                compare = self.contained
            case ast.Eq() | ast.NotEq():
                compare = self.equal
            case _:
                compare = partial(self.computed, *SIGNS[type(op)])
        found = self.pairs(left, right, compare)
        return negate(found) if isinstance(op, ast.IsNot | ast.NotIn | ast.NotEq) else found

    def computed(self, sign: str, operation: Callable[..., Any], *args: Value) -> Value:
        """Return an operation on values without choices."""
        if not unknown(args):
            return self.boxed(self.native(operation, *map(concrete, args)))
        return self.known(term(sign, *map(self.frozen, args)))

    def equal(self, one: Value, other: Value) -> Value:
        if one is other:
            return True
        kinds = {self.kind_of(one), self.kind_of(other)}
        is_null = len(kinds) == 2 and type(None) in kinds
        if kinds == {list, tuple} or (is_null and None not in kinds):
            return False
        if object in kinds:
            raise Unknown("a part that is compared")
        return self.computed("==", operator.eq, one, other)

    def identical(self, one: Value, other: Value) -> Value:
        if isinstance(one, Term) and (other is None or isinstance(other, bool)):
            kind = self.kind_of(one)
            if kind not in (None, type(other)):
                return False
            return self.known(term("is", one, other))
        if isinstance(other, Term) and one is not other:
            raise Unknown(f"whether {one!r:.60} is the same object as {other!r:.60}")
        return one is other

    def contained(self, item: Value, holder: Value) -> Value:
        holder = [*holder] if isinstance(holder, dict) else self.current(holder)
        if isinstance(holder, Dict) and not isinstance(item, Term):
            return self.known(present(self.lookup(holder, item)))
        if not unknown(item) and not unknown(holder):
            return self.native(operator.contains, concrete(holder), concrete(item))
        return self.known(term("in", self.frozen(item), self.frozen(holder)))

    def binary(self, op: ast.operator, left: Value, right: Value) -> Value:
        return self.pairs(left, right, lambda one, other: self.binary_of(op, one, other))

    def binary_of(self, op: ast.operator, one: Value, other: Value) -> Value:
        if isinstance(op, ast.BitXor) and is_truth(one) and is_truth(other):
            return choose(one, negate(other), other)
        if type(op) not in SIGNS:
            raise Unknown(f"the operation {type(op).__name__}")
        sign, operation = SIGNS[type(op)]
        kinds = {self.kind_of(one), self.kind_of(other)}
        if dict in kinds and sign == "|":
            entries = Dict(self.path)
            self.update(entries, one)
            self.update(entries, other)
            return entries
        if list in kinds and sign == "+":
            found = List(self.path)
            for part in (one, other):
                self.add_items(found, self.listed(part))
            return found
        if kinds & {list, tuple} and sign == "*" and isinstance(other, int):
            items = self.items(one)
            if items is not None:
                times = tuple(items * other)
                return times if isinstance(one, tuple) else List(self.path, times)
        negative = sign == "**" and isinstance(other, float | int) and other < 0
        divisor = one if negative else other if sign in ("/", "//", "%") else 1
        if unknown(divisor) and str not in kinds:
            self.refuse("a division by zero", self.computed("==", operator.eq, divisor, 0))
        found = self.computed(sign, operation, one, other)
        if isinstance(found, Term) and kinds & {list, set}:
            return List(self.path, found, list if list in kinds else set)
        return found
