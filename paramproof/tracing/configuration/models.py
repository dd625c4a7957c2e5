"""What functions of Python, and methods of its types, do with unknown values."""

from __future__ import annotations

import ast
import copy
import functools
import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy

from paramproof.tracing.configuration.paths import Dict, Instance, List, Raised
from paramproof.tracing.configuration.terms import (
    MISSING,
    Term,
    Unknown,
    Value,
    both,
    choose,
    either,
    instead,
    negate,
    present,
    term,
)
from paramproof.tracing.configuration.values import concrete, unknown

if TYPE_CHECKING:
    from paramproof.tracing.configuration.interpreter import Interpreter

    Model = Callable[..., Value]

PURE_MODULES = frozenset({"builtins", "inspect", "itertools", "math", "operator", "re", "typing"})
"""Modules whose functions and classes give the same for the same arguments."""

NAMES = {dict: "object", list: "list", int: "int", float: "float", str: "text", bool: "flag"}


def is_instance(run: Interpreter, value: Value, kinds: Any) -> Value:
    kinds = getattr(kinds, "__args__", kinds)
    wanted = tuple(kinds) if isinstance(kinds, tuple) else (kinds,)
    is_part = [one for one in wanted if run.is_part_class(one)]

    def of(one: Value) -> Value:
        if isinstance(one, Instance) and one.kind:
            return issubclass(one.kind, wanted)
        kind = run.kind_of(one)
        if kind is object:
            return bool(is_part) and run.any_part(is_part)
        if kind is not None:
            return issubclass(kind, wanted)
        names = [NAMES[one] for one in wanted if one in NAMES]
        names += ["list"] * any(one in (Sequence, Iterable) for one in wanted)
        names += ["object"] * any(one in (Mapping, Iterable) for one in wanted)
        names += ["text"] * any(one in (Sequence, Iterable) for one in wanted)
        if is_part and one.op in ("field", "if"):
            names += ["part"] * run.any_part(is_part)
        return run.known(term("isinstance", one, *sorted({*names}))) if names else False

    return run.each(value, of)


def get_attr(run: Interpreter, owner: Value, name: Value, *default: Value) -> Value:
    def of(one: Value, attr: Value) -> Value:
        if isinstance(attr, Term):
            found = any_attr(run, one, attr)
        elif not isinstance(attr, str):
            raise Raised(f"the name {attr!r:.40} of an attribute")
        else:
            found = run.attribute_of(one, attr)
        return instead(found, default[0]) if default else run.require(found, attr)

    return run.pairs(owner, name, of)


def any_attr(run: Interpreter, owner: Value, name: Term) -> Value:
    """Return the attribute with an unknown part in its name, such as ``_check_{kind}``."""
    if (
        name.op != "text"
        or len(name.args) != 3
        or not isinstance(owner, Instance)
        or not owner.kind
    ):
        raise Unknown(f"an attribute with the name {name!r:.80}")
    before, part, after = name.args
    found: Value = MISSING
    for one in dir(owner.kind):
        if one.startswith(before) and one.endswith(after) and len(one) > len(before + after):
            is_it = run.compared(ast.Eq(), part, one[len(before) : len(one) - len(after)])
            found = choose(is_it, run.attribute_of(owner, one), found)
    return found


def has_attr(run: Interpreter, owner: Value, name: str) -> Value:
    return run.each(owner, lambda one: run.known(present(run.attribute_of(one, name))))


def set_attr(run: Interpreter, owner: Value, name: Value, value: Value) -> None:
    if not isinstance(name, str):
        raise Unknown("an attribute with an unknown name that is set")
    run.each(owner, lambda one: run.set_attribute(one, name, value))


def length(run: Interpreter, value: Value) -> Value:
    def of(one: Value) -> Value:
        items = run.items(one)
        return term("len", run.frozen(one)) if items is None else len(items)

    return run.read(value, of)


def range_of(run: Interpreter, *args: Value) -> Value:
    if not unknown(args):
        return run.native(range, *args)
    start, stop, step = (0, *args, 1) if len(args) == 1 else (*args, 1)[:3]
    return term("range", *map(run.frozen, (start, stop, step)))


def listed(kind: type) -> Model:
    def of_all(run: Interpreter, value: Value = ()) -> Value:
        def of(one: Value) -> Value:
            items = run.items(one)
            found = run.frozen(one) if items is None else tuple(items)
            if kind is set and not unknown(found):
                found = tuple(dict.fromkeys(found))
            if items is None and kind is not set and run.kind_of(one) is set:
                found = term("comp", run.depth, found, term("item", run.depth), True)
            if kind is tuple:
                return found if items is not None else term("as tuple", found)
            return List(run.path, found, kind)

        return run.each(value, of)

    return of_all


def dict_of(run: Interpreter, value: Value = MISSING, **named: Value) -> Value:
    found = Dict(run.path)
    if value is not MISSING:
        pairs = None if run.kind_of(value) is dict else run.items(value)
        if pairs is not None:
            for pair in pairs:
                run.set_item(found, *(run.subscript(pair, at) for at in (0, 1)))
        elif run.kind_of(value) is list:
            found.base = term("from pairs", run.frozen(value))
        else:
            run.update(found, value)
    found.own |= named
    return found


def quantifier(op: str) -> Model:
    def of_one(run: Interpreter, value: Value) -> Value:
        items = run.items(value)
        if items is None:
            return run.known(term(op, run.frozen(value)))
        found: Value = op == "all"
        for one in items:
            found = both(found, run.truth(one)) if op == "all" else either(found, run.truth(one))
        return run.known(found)

    return lambda run, value: run.read(value, lambda one: of_one(run, one))


def folded(op: str, function: Callable[..., Any]) -> Model:
    def of(run: Interpreter, *args: Value, **named: Value) -> Value:
        value = args[0] if len(args) == 1 else List(run.path, args)
        items = run.items(value)
        if items is not None and not unknown(items) and not unknown([*named.values()]):
            return run.boxed(run.native(function, concrete(items), **named))
        if named:
            raise Unknown(f"{op} with {[*named]}")
        found = term(op, run.frozen(value))
        return List(run.path, found) if op == "sorted" else found

    return of


def unary(op: str, function: Callable[..., Any]) -> Model:
    def of(run: Interpreter, value: Value = 0, *more: Value) -> Value:
        return run.each(value, lambda one: run.computed(op, function, one, *more))

    return of


def enumerated(run: Interpreter, value: Value, start: Value = 0) -> Value:
    items = run.items(value)
    if items is not None and not unknown(start):
        return tuple(enumerate(items, start))
    return term("enumerate", run.frozen(value), run.frozen(start))


def zipped(run: Interpreter, *values: Value, strict: bool = False) -> Value:
    items = [run.items(one) for one in values]
    if strict:
        raise Unknown("a strict zip")
    if any(one is None for one in items):
        return term("zip", *map(run.frozen, values))
    return tuple(zip(*(one or () for one in items), strict=False))


def reverse(run: Interpreter, value: Value) -> Value:
    items = run.items(value)
    if items is None:
        return term("slice", run.frozen(value), None, None, -1)
    return tuple(items[::-1])


def copied(run: Interpreter, value: Value, *memo: Value) -> Value:
    def of(one: Value) -> Value:
        one = run.current(one)
        if isinstance(one, Dict):
            return Dict(run.path, one.base, {k: run.each(v, of) for k, v in one.own.items()})
        if isinstance(one, List):
            deep = one.items if isinstance(one.items, Term) else tuple(map(of, one.items))
            return List(run.path, deep, one.kind)
        if isinstance(one, Instance):
            raise Unknown("a copy of a configuration object")
        kind = run.kind_of(one)
        if isinstance(one, Term) and kind in (dict, list):
            return Dict(run.path, one) if kind is dict else List(run.path, one)
        return one

    return run.each(value, of)


def type_of(run: Interpreter, value: Value) -> Value:
    def of(one: Value) -> Value:
        kind = one.kind if isinstance(one, Instance) else run.kind_of(one)
        if kind in (None, object):
            raise Unknown("the type of an unknown value")
        return kind

    return run.each(value, of)


def reduced(run: Interpreter, function: Value, values: Value, *start: Value) -> Value:
    items = run.items(values)
    if items is None:
        raise Unknown("a reduction of an unknown list")
    return functools.reduce(lambda one, other: run.call(function, [one, other]), items, *start)


def following(run: Interpreter, value: Value, *default: Value) -> Value:
    """Return the first item of an iterator that nothing else has read."""
    items = run.items(value)
    if items is None:
        whole = run.frozen(value)
        found = choose(run.known(term("truth", whole)), term("get", whole, 0), MISSING)
    else:
        found = items[0] if items else MISSING
    return instead(found, default[0]) if default else run.require(found, "an item")


MODELS: dict[Any, Model] = {
    isinstance: is_instance,
    getattr: get_attr,
    hasattr: has_attr,
    setattr: set_attr,
    len: length,
    range: range_of,
    list: listed(list),
    tuple: listed(tuple),
    set: listed(set),
    frozenset: listed(set),
    dict: dict_of,
    any: quantifier("any"),
    all: quantifier("all"),
    sum: folded("sum", sum),
    max: folded("max", max),
    min: folded("min", min),
    sorted: folded("sorted", sorted),
    math.prod: folded("prod", math.prod),
    numpy.prod: folded("prod", math.prod),
    int: unary("int", int),
    float: unary("float", float),
    str: unary("str", str),
    abs: unary("abs", abs),
    round: unary("round", round),
    math.ceil: unary("ceil", math.ceil),
    math.floor: unary("floor", math.floor),
    math.sqrt: unary("sqrt", math.sqrt),
    math.log2: unary("log2", math.log2),
    math.isfinite: unary("isfinite", math.isfinite),
    bool: lambda run, value=False: run.truth(value),
    enumerate: enumerated,
    zip: zipped,
    reversed: reverse,
    copy.deepcopy: copied,
    copy.copy: copied,
    type: type_of,
    functools.reduce: reduced,
    next: following,
    iter: lambda run, value: value,
    itertools.chain.from_iterable: lambda run, value: term("concat", run.frozen(value)),
}

PURE = frozenset(
    {"bit_length", "count", "endswith", "index", "is_integer", "isdigit", "isnumeric", "join"}
    | {"lower", "removeprefix", "removesuffix", "replace", "rsplit", "split", "startswith"}
    | {"strip", "upper"}
)
"""The methods of texts, lists and numbers that change nothing."""

SETS = {"difference": ast.Sub(), "union": ast.BitOr(), "intersection": ast.BitAnd()}


def call_method(  # noqa: C901 - a case for each type
    run: Interpreter, owner: Value, name: str, args: Sequence[Value], named: Dict
) -> Value:
    """Call a method of a list, a dictionary, a text, a number or a part."""
    owner = run.current(owner)
    if isinstance(owner, Instance):
        if name != "to_dict":
            raise Unknown(f"the method {name} of a part")
        return Dict(run.path, term("fields", run.frozen(owner)))
    if isinstance(owner, Term) and run.kind_of(owner) in (None, dict) and hasattr(dict, name):
        if name in ("pop", "setdefault", "update"):
            owner = run.object_of(owner, Dict)
        else:
            run.expect(owner, dict)
            owner = Dict((), owner)
    if isinstance(owner, Mapping):
        owner = Dict((), None, owner)
    if isinstance(owner, Dict):
        return dict_method(run, owner, name, args, named)
    if isinstance(owner, Term) and name in ("append", "extend", "insert"):
        owner = run.object_of(owner, List)
    if named.own or named.base is not None:
        raise Unknown(f"the method {name} with named arguments")
    if isinstance(owner, List) and name not in PURE:
        return (
            set_method(run, owner, name, args)
            if owner.kind is set
            else list_method(run, owner, name, args)
        )
    if name not in PURE and not isinstance(owner, str):
        raise Unknown(f"the method {name} of {owner!r:.60}")
    if unknown(owner) or unknown(args):
        return term("method", name, run.frozen(owner), *map(run.frozen, args))
    return run.boxed(run.native(getattr(concrete(owner), name), *map(concrete, args)))


def list_method(run: Interpreter, owner: List, name: str, args: Sequence[Value]) -> Value:
    match name, args:
        case "append", (value,):
            run.add_items(owner, (value,))
        case "extend", (value,):
            items = run.items(value)
            run.add_items(owner, run.current(value) if items is None else tuple(items))
        case "copy", ():
            return List(run.path, owner.items, owner.kind)
        case "insert" | "pop" | "reverse", _ if isinstance(owner.items, tuple) and not unknown(
            args
        ):
            if run.since(owner.birth) is not True:
                raise Unknown(f"a list with {name} under a condition")
            run.touch(owner)
            changed = [*owner.items]
            found = run.native(getattr(changed, name), *args)
            owner.items = tuple(changed)
            return found
        case _:
            raise Unknown(f"the method {name} of a list")
    return None


def set_method(run: Interpreter, owner: List, name: str, args: Sequence[Value]) -> Value:
    if name in SETS and len(args) == 1:
        other = listed(set)(run, args[0])
        return run.binary(SETS[name], owner, other)
    if name in ("add", "discard", "update", "difference_update") and len(args) == 1:
        one = [args[0]] if name in ("add", "discard") else args[0]
        operation: ast.operator = ast.BitOr() if name in ("add", "update") else ast.Sub()
        found = run.binary(operation, owner, listed(set)(run, one))
        run.touch(owner)
        when = run.since(owner.birth)
        owner.items = choose(when, run.frozen(found), run.frozen(owner))
        return None
    if name in ("isdisjoint", "issubset"):
        operation = ast.BitAnd() if name == "isdisjoint" else ast.Sub()
        return negate(run.truth(run.binary(operation, owner, listed(set)(run, args[0]))))
    raise Unknown(f"the method {name} of a set")


def dict_method(
    run: Interpreter, owner: Dict, name: str, args: Sequence[Value], named: Dict
) -> Value:
    match name:
        case "get":
            key, *default = args

            def of(one: Value) -> Value:
                return instead(run.lookup(owner, one), default[0] if default else None)

            return run.each(key, of)
        case "pop":
            value = run.lookup(owner, args[0])
            run.write(owner, args[0], MISSING)
            return instead(value, args[1]) if args[1:] else run.require(value, args[0])
        case "setdefault":
            value = instead(run.lookup(owner, args[0]), args[1] if args[1:] else None)
            run.write(owner, args[0], value)
            return value
        case "update":
            for one in (*args, named):
                run.update(owner, one)
            return None
        case "copy":
            return Dict(run.path, owner.base, owner.own)
        case "items" | "keys" | "values":
            if owner.base is None and all(present(one) is True for one in owner.own.values()):
                entries = {
                    "items": owner.own.items(),
                    "keys": owner.own,
                    "values": owner.own.values(),
                }
                return tuple(entries[name])
            return term(name, run.frozen(owner))
    raise Raised(f"the method {name} of a dictionary")
