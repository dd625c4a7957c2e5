"""What Python's operations do with unknown values: attributes, items, comparisons, arithmetic."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial, reduce
from typing import Any

from paramproof.tracing.configuration.paths import Dict, Frame, Heap, Instance, List, Paths, Raised
from paramproof.tracing.configuration.terms import (
    KINDS,
    MISSING,
    SORTS,
    Term,
    Unknown,
    Value,
    choose,
    either,
    instead,
    is_op,
    is_truth,
    leaves,
    mentions,
    negate,
    present,
    term,
    there,
)


class Method:
    """A function of Python, or the name of a method of a built-in type, with its first argument."""

    def __init__(self, owner: Value, function: Any) -> None:
        self.owner, self.function = owner, function


class Super:
    def __init__(self, after: type, owner: Instance) -> None:
        self.after, self.owner = after, owner


class Closure:
    """A lambda, or a function inside of a function, with the frame that it reads."""

    def __init__(self, node: ast.Lambda | ast.FunctionDef, frame: Frame) -> None:
        self.node, self.frame = node, frame


JSON_TYPES = dict, list, str, int, float, bool
NAMED = {dict: "object", list: "list", str: "text", object: "part"}
"""Types of which a value may be known to be, as ``isinstance`` names them."""

SORTS_OF = {**SORTS, "null": "null", "sequence": "list", "tuple": "list"}
"""What values of declared types are, as ``isinstance`` names it."""


@cache
def fields_of(kind: Any) -> frozenset[str]:
    return frozenset(one.name for one in dataclasses.fields(kind))


def unknown(value: Value) -> bool:
    """Return whether a value depends on unknown ones."""
    match value:
        case Dict(base=None, own=inner) | dict(inner):
            return any(map(unknown, inner.values()))
        case List(items=tuple(inner)) | tuple(inner) | list(inner) | set(inner):
            return any(map(unknown, inner))
        case slice():
            return unknown([value.start, value.stop, value.step])
    return isinstance(value, Term | Instance | Dict | List)


def concrete(value: Value) -> Value:
    """Return a value that is not unknown as Python has it."""
    if isinstance(value, List):
        return value.kind(map(concrete, value.items))
    if isinstance(value, Dict):
        return {key: concrete(one) for key, one in value.own.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(concrete, value))
    return value


def concatenated(one: Value, other: Value) -> Value:
    """Return two lists as one; where the items of all choices are known, they stay known."""
    known: list[bool] = []
    leaves(one, lambda leaf: known.append(leaf.op == "list"))
    if all(known) and other.op == "list":
        return leaves(one, lambda leaf: term("list", *leaf.args, *other.args))
    return term("concat", term("list", one, other))


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
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
}
"""The operation of a term, and the function, for each of Python's operators."""


def opened(whole: Value) -> Dict:
    """Return an unknown dictionary, with the entries that are known to be in it as its own."""
    base, *pairs = whole.args if is_op(whole, "dict") else (whole,)
    return Dict((), base, zip(pairs[::2], pairs[1::2], strict=True))


class Values(Paths):
    """Operations of Python on values, of which some are unknown."""

    call: Callable[..., Value]

    def __init__(self) -> None:
        super().__init__()
        self.changed: dict[Term, Heap] = {}
        """The objects for unknown lists, dictionaries and parts that code has changed."""
        self.embedded: set[Term] = set()
        """Unknown values inside of terms, where a later change would be lost."""
        self.origins: dict[Term, int] = {}
        self.declared: dict[Term, Term] = {}
        """The declared types of unknown values."""

    def takes_parts(self, kinds: Sequence[Any]) -> bool:
        """Return whether a part of an unknown class is an instance of one of some classes."""
        return False

    def kinds_of(self, value: Value) -> set[str]:
        """Return the kinds of values that the declared type of a field allows."""
        declared = self.declared.get(value, term("anything"))
        members = declared.args if declared.op == "union" else (declared,)
        kinds = {SORTS_OF.get(one.op, "other") for one in members} - {"null"}
        return {*SORTS.values(), "other"} if "other" in kinds else kinds

    # Objects

    def boxed(self, value: Value, made: dict[int, Value] | None = None) -> Value:
        """Return a new object for a list, a set or a dictionary, and for those inside of it."""
        made = {} if made is None else made
        again = partial(self.boxed, made=made)
        if id(value) in made:
            return made[id(value)]
        if type(value) is tuple:
            return tuple(map(again, value))
        one = self.current(value) if isinstance(value, dict | Term) else value
        if isinstance(one, list | set | frozenset):
            one = List((), tuple(one), list if isinstance(one, list) else set)
        found = one
        if isinstance(one, List):
            items = one.items if isinstance(one.items, Term) else again(one.items)
            found = List(self.path, items, one.kind)
        elif isinstance(one, Dict):
            found = Dict(self.path, one.base, {k: self.each(v, again) for k, v in one.own.items()})
        elif isinstance(one, Instance):
            raise Unknown("a copy of a configuration object")
        elif isinstance(one, Term) and self.kind_of(one) in (None, dict, list):
            other = choose(self.is_of(one, dict), Dict(self.path, one), one)
            found = choose(self.is_of(one, list), List(self.path, one), other)
        made[id(value)] = found
        return found

    def object_of(self, value: Value, kind: Any) -> Value:
        """Return an object for an unknown value, so that code can change it."""
        # These operations give a part of another value, which may be changed there.
        is_part = is_op(value, "get", "field", "key")
        if not is_part or mentions(value, lambda one: one.op in ("item", "state")):
            raise Unknown(f"a change of {value!r:.80}")
        found = self.changed.get(value)
        if found is None:
            if value in self.embedded or mentions(value, lambda one: self.origins.get(one, 0) > 1):
                raise Unknown(f"a change of {value!r:.80}, which stands elsewhere too")
            found = Instance((), None, value) if kind is Instance else kind((), value)
            self.changed[value] = found
        if not isinstance(found, kind):
            raise Unknown(f"{value!r:.80} as two kinds of object")
        return self.current(value)

    def current(self, value: Value) -> Value:
        """Return the object for a dictionary, or for an unknown value that code has changed."""
        if isinstance(value, Term) and value in self.changed:
            self.expect(value, self.kind_of(self.changed[value]))
            return self.changed[value]
        return Dict((), None, value) if isinstance(value, Mapping) else value

    def frozen(self, value: Value) -> Value:  # noqa: C901 - a case for each type
        """Return a value as it is now, to be used inside a term."""
        if isinstance(value, Term) and value in self.changed:
            # Code changes a dictionary where it knows that it is one. Elsewhere it may be null.
            found = self.changed[value]
            is_one = self.is_of(value, self.kind_of(found))
            return choose(is_one, self.frozen(found) if is_one is not False else None, value)
        if isinstance(value, List):
            items = value.items if isinstance(value.items, Term) else self.frozen(value.items)
            is_set = value.kind is set and not (isinstance(items, Term) and items.op == "set")
            return term("set", items) if is_set else items
        if isinstance(value, list | tuple):
            return term("list", *map(self.held, value))
        if isinstance(value, set | frozenset):
            return term("set", term("list", *sorted(value, key=repr)))
        if isinstance(value, range):
            return term("range", value.start, value.stop, value.step)
        if isinstance(value, dict):
            value = Dict((), None, value)
        if isinstance(value, Dict | Instance):
            own, op, base = {**value.own}, "dict", value.base if isinstance(value, Dict) else None
            if isinstance(value, Instance):
                op, base = "with fields", value.origin
                if base is None:
                    raise Unknown("a configuration object inside itself")
                for one, child in self.changed.items():
                    if one.op == "field" and one.args[0] is base:
                        own.setdefault(one.args[1], child)
            pairs = [part for k, v in own.items() for part in (k, self.held(v))]
            return term(op, base, *pairs) if pairs or base is None else base
        if isinstance(value, Term) and value.op == "if":
            return leaves(value, self.frozen)
        if isinstance(value, Term | str | int | float | None):
            return value
        raise Unknown(f"a value of {type(value).__name__}")

    def held(self, value: Value) -> Value:
        """Return a value frozen inside of another one, where no later change reaches it."""
        leaves(value, lambda one: self.embedded.add(one) if isinstance(one, Term) else None)
        return self.frozen(value)

    def kind_of(self, value: Value) -> Any:
        """Return the type of a value, or None if it is unknown."""
        if isinstance(value, List):
            return value.kind
        if isinstance(value, Dict | Instance):
            return object if isinstance(value, Instance) else dict
        if not isinstance(value, Term):
            return type(value)
        declared = self.declared.get(value)
        for kind in (int, str, float, bool):
            of = term(kind.__name__)
            if declared is of or self.known(term("accepts", value, of)) is True:
                return kind
        is_number = value.op in ("+", "-", "*", "//", "%", "neg")
        if is_number and all(self.kind_of(one) is int for one in value.args):
            return int
        for holder in NAMED:
            if self.is_of(value, holder) is True:
                return holder
        return tuple if value.op == "as tuple" else KINDS.get(value.op)

    def is_of(self, value: Term, kind: Any) -> Value:
        """Return whether an unknown value is of one of the types that facts tell apart."""
        return self.known(term("isinstance", value, NAMED[kind]))

    def expect(self, value: Value, kind: type) -> None:
        """Refuse what is not of a type."""
        found = self.kind_of(value)
        if found not in (None, kind):
            raise Raised(f"a {getattr(found, '__name__', found)} in place of a {kind.__name__}")
        if found is None:
            self.refuse(None, negate(self.is_of(value, kind)))

    def read(self, value: Value, run: Callable[[Value], Value]) -> Value:
        """Return what a function that changes nothing makes of each choice of a value or a list."""

        def of(one: Value) -> Value:
            if isinstance(one, List) and isinstance(one.items, Term) and one.items.op == "if":
                return self.each(one.items, lambda items: run(List((), items, one.kind)))
            return run(one)

        return self.each(value, of)

    def require(self, value: Value, name: object) -> Value:
        """Return a value; refuse where it is absent."""
        when = self.known(present(value))
        if when is False:
            raise Raised(f"{name!s:.60} is absent")
        self.refuse(f"{name!s:.60} is absent", negate(when))
        return there(value)

    # Items

    def lookup(self, holder: Dict, key: Value) -> Value:
        """Return the value of a key, or ``MISSING``."""

        def within(base: Value) -> Value:
            if base is None:
                return MISSING
            if base.op == "dict" and not isinstance(key, Term):
                whole = opened(base)
                if not any(isinstance(one, Term) for one in whole.own):
                    return self.lookup(whole, key)
            return choose(term("has", base, key), term("get", base, key), MISSING)

        if isinstance(key, Term):
            return within(self.frozen(holder))
        if key in holder.own:
            return holder.own[key]
        return leaves(holder.base, within)

    def subscript(self, holder: Value, index: Value) -> Value:
        subscript = self.subscript_of
        return self.each(index, lambda at: self.read(holder, lambda one: subscript(one, at)))

    def subscript_of(self, holder: Value, index: Value) -> Value:
        holder = self.current(holder)
        if isinstance(holder, Dict):
            return self.require(self.lookup(holder, index), index)
        items = self.items(holder) if isinstance(holder, List | tuple) else None
        if not unknown(index) and (items is not None or not unknown(holder)):
            found = self.native(operator.getitem, holder if items is None else items, index)
            is_list = items is not None and isinstance(index, slice)
            return List(self.path, tuple(found)) if is_list else found
        whole = self.frozen(holder)
        if isinstance(index, slice):
            found = term("slice", whole, *map(self.frozen, (index.start, index.stop, index.step)))
            return found if self.kind_of(holder) is str else List(self.path, found)
        if isinstance(index, str):
            return self.require(self.lookup(Dict((), whole), index), index)
        return term("get", whole, self.frozen(index))

    def set_item(self, holder: Value, index: Value, value: Value) -> None:
        if isinstance(holder, Term):
            holder = self.object_of(holder, Dict if isinstance(index, str) else List)
        match holder, index:
            case Method(function="__dict__"), _:
                self.write(holder.owner, index, value)
            case Dict(), Term():
                old = self.settle(self.frozen(holder))
                self.replace(holder, term("dict", old, index, self.held(value)))
            case Dict(), _:
                self.write(holder, index, value)
            case List(kind=kind, items=tuple(items)), int() if kind is list:
                made = [*items]
                was = self.native(made.__getitem__, index)
                made[index] = choose(self.since(holder.birth), value, was)
                self.touch(holder)
                holder.items = tuple(made)
            case List(kind=kind), _ if kind is list:
                old = self.frozen(holder)
                self.replace(holder, term("replaced", old, self.frozen(index), self.held(value)))
            case _:
                raise Unknown(f"an item of {holder!r:.60} that is set")

    def chained(self, lists: Sequence[Value], kind: type = list) -> List:
        """Return a new list of the items of some lists."""
        found = List(self.path, (), kind)
        for one in lists:
            self.add_items(found, one)
        return found

    def write(self, holder: Heap, key: Any, value: Value) -> None:
        if isinstance(key, Term):
            raise Unknown(f"a change of the unknown key {key!r:.60}")
        self.touch(holder)
        old = self.lookup(holder, key) if isinstance(holder, Dict) else holder.own.get(key, MISSING)
        holder.own[key] = choose(self.since(holder.birth), value, old)

    def replace(self, holder: Dict | List, value: Value) -> None:
        """Change the whole of a list or a dictionary."""
        self.touch(holder)
        when = self.since(holder.birth)
        whole = value if when is True else choose(when, value, self.frozen(holder))
        if isinstance(holder, Dict):
            holder.base, holder.own = whole, {}
        else:
            holder.items = whole

    def add_items(self, holder: List, source: Value) -> None:
        """Append the items of a source, whose number may be unknown."""
        items = self.items(source)
        is_whole = self.since(holder.birth) is True
        if is_whole and items is not None and isinstance(holder.items, tuple):
            return self.replace(holder, (*holder.items, *items))
        old = self.settle(self.frozen(holder))
        more = self.frozen(source if items is None else items)
        return self.replace(holder, concatenated(old, more))

    def unified(self, value: Value) -> Value:
        """Return a choice of dictionaries over the same base as one dictionary, to be read."""
        value = self.settle(value)
        if self.kind_of(value) is dict and isinstance(value, Term):
            return self.changed.get(value, value)
        if isinstance(value, Term) and value.op == "if":
            condition, *sides = value.args
            one, other = map(self.unified, sides)
            if isinstance(one, Dict) and isinstance(other, Dict) and one.base is other.base:
                look, names = self.lookup, (*one.own, *other.own)
                found = {key: choose(condition, look(one, key), look(other, key)) for key in names}
                return Dict(self.path, one.base, found)
        return value

    def update(self, target: Dict, source: Value) -> None:
        """Take the entries of a source over into a dictionary."""

        def of(one: Value) -> None:
            one = self.current(one)
            if not isinstance(one, Dict):
                self.expect(one, dict)
                one = Dict((), one)
            if one.base is None:
                for key, value in one.own.items():
                    self.write(target, key, instead(value, self.lookup(target, key)))
            elif target.base is None and self.since(target.birth) is True:
                self.touch(target)
                own = {key: instead(self.lookup(one, key), v) for key, v in target.own.items()}
                target.base, target.own = one.base, {**one.own, **own}
            else:
                old, new = self.frozen(target), self.frozen(one)
                merged = new if old is term("dict", None) else term("merged", old, new)
                self.replace(target, merged)

        self.each(self.unified(source), of)

    def items(self, value: Value) -> list[Value] | None:
        """Return the items of a value, or None if their number is unknown."""
        value = self.current(self.settle(value))
        if isinstance(value, List):
            is_set = value.kind is set and isinstance(value.items, tuple)
            if is_set and len(value.items) > 1 and unknown(value.items):
                return None  # Two may be equal.
            value = tuple(dict.fromkeys(value.items)) if is_set else value.items
        known = isinstance(value, Dict) and value.base is None
        if known and all(present(one) is True for one in value.own.values()):
            return [*value.own]
        if isinstance(value, Term) and value.op == "list":
            return [*value.args]
        if isinstance(value, Term | Dict):
            return None
        if isinstance(value, Instance | None):
            raise Raised(f"the items of {value!r:.40}")
        return [*self.native(iter, value)]

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
        if isinstance(found, staticmethod | classmethod) or type(found).__name__ == "classproperty":
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
            if callable(static) or isinstance(static, classmethod):
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
                is_one = self.is_of(one, self.kind_of(self.changed[one]))
                changed = term("truth", self.frozen(self.changed[one]))
                return choose(is_one, changed, term("truth", one))
            if isinstance(one, Dict):
                entries = [self.known(present(entry)) for entry in one.own.values()]
                if one.base is not None and True not in entries:
                    return term("truth", self.frozen(one))
                return reduce(either, entries, False)
            if isinstance(one, List):
                one = one.items
            if is_op(one, "list"):
                return bool(one.args)
            if isinstance(one, Term):
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
        if kinds == {list, tuple} or (kinds > {type(None)} and None not in kinds):
            return False
        if object in kinds:
            raise Unknown("a part that is compared")
        return self.computed("==", operator.eq, one, other)

    def identical(self, one: Value, other: Value) -> Value:
        if isinstance(one, Term) and (other is None or isinstance(other, bool)):
            is_possible = self.kind_of(one) in (None, type(other))
            return is_possible and self.known(term("is", one, other))
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
        kinds = {self.kind_of(one), self.kind_of(other)}
        if type(op) not in SIGNS:
            raise Unknown(f"the operation {type(op).__name__}")
        sign, operation = SIGNS[type(op)]
        if dict in kinds and sign == "|":
            entries = Dict(self.path)
            self.update(entries, one)
            self.update(entries, other)
            return entries
        if list in kinds and sign == "+":
            return self.chained([one, other])
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
