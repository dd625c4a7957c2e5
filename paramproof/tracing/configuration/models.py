"""What functions of Python do with unknown values."""

from __future__ import annotations

import ast
import copy
import functools
import math
from collections.abc import Callable
from typing import Any

from paramproof.tracing.configuration.interpreter import (
    Class,
    Dict,
    Instance,
    Interpreter,
    Method,
    OpenItems,
    unknown,
)
from paramproof.tracing.configuration.terms import (
    MISSING,
    Term,
    Unknown,
    Value,
    both,
    choose,
    either,
    instead,
    present,
    term,
    there,
)

KINDS = {dict: "object", list: "list", int: "int", float: "float", str: "text", bool: "flag"}


def _names(kinds: Any) -> list[Any]:
    if hasattr(kinds, "__args__"):
        kinds = kinds.__args__
    return [*kinds] if isinstance(kinds, tuple) else [kinds]


def is_instance(run: Interpreter, value: Value, kinds: Any) -> Value:
    wanted = _names(kinds)

    def of(one: Value) -> Value:
        if isinstance(one, Instance):
            if one.kind is None:
                return any(k.__name__ == "PreTrainedConfig" for k in wanted)
            return any(issubclass(one.kind, k) for k in wanted if isinstance(k, type))
        if isinstance(one, Dict) or (isinstance(one, Term) and one in run.changed):
            return dict in wanted or any(k.__name__ == "Mapping" for k in wanted)
        if isinstance(one, Term):
            names = [KINDS[k] for k in wanted if k in KINDS]
            names += ["list"] * any(k.__name__ in ("Sequence", "Iterable") for k in wanted)
            if one.op in ("list", "comp", "range", "slice"):
                return "list" in names
            if not names:
                return False
            return run.known(term("isinstance", one, *sorted({*names})))
        return isinstance(one, tuple(wanted))

    return run.each(value, of)


def get_attr(run: Interpreter, owner: Value, name: Value, *default: Value) -> Value:
    if isinstance(name, Term) and name.op == "if":
        return run.each(name, lambda one: get_attr(run, owner, one, *default))
    if isinstance(name, Term):
        return any_attr(run, owner, name, *default)

    def of(one: Value) -> Value:
        if isinstance(one, Term) and name not in ("get", "items"):
            found = MISSING
        else:
            found = run.attribute_of(one, name)
        if default:
            return instead(found, default[0])
        return run.require(found, name)

    return run.each(owner, of)


def any_attr(run: Interpreter, owner: Value, name: Term, *default: Value) -> Value:
    """Return the attribute with an unknown part in its name, such as ``_check_{kind}``."""
    if name.op != "text" or not isinstance(owner, Instance) or owner.kind is None:
        raise Unknown(f"an attribute with the name {name!r:.80}")
    before, part, after = name.args
    found = default[0] if default else MISSING
    for one in dir(owner.kind):
        if one.startswith(before) and one.endswith(after) and len(one) > len(before + after):
            middle = one[len(before) : len(one) - len(after)]
            is_it = run.compared(ast.Eq(), part, middle)
            found = choose(is_it, run.attribute_of(owner, one), found)
    return run.require(found, name)


def has_attr(run: Interpreter, owner: Value, name: str) -> Value:
    def of(one: Value) -> Value:
        return run.known(present(run.attribute_of(one, name)))

    return run.each(owner, of)


def set_attr(run: Interpreter, owner: Value, name: str, value: Value) -> None:
    run.each(owner, lambda one: run.set_attribute(one, name, value))


def length(run: Interpreter, value: Value) -> Value:
    def of(one: Value) -> Value:
        items = run.items(one)
        if items is not None:
            return len(items)
        if isinstance(one, Term) and one.op == "range" and one.args[0] == 0 and one.args[2] == 1:
            return one.args[1]
        return term("len", run.frozen(one))

    return run.each(value, of)


def range_of(run: Interpreter, *args: Value) -> Value:
    if not unknown(args):
        return range(*args)
    start, stop, step = (0, *args, 1) if len(args) == 1 else (*args, 1)[:3]
    return term("range", start, stop, step)


def listed(kind: type) -> Callable[..., Value]:
    def of_all(run: Interpreter, value: Value = ()) -> Value:
        def of(one: Value) -> Value:
            items = run.items(one)
            if items is None:
                return term("set", run.frozen(one)) if kind is set else run.frozen(one)
            if kind is set:
                return run.set_of(items)
            return kind(items)

        return run.each(value, of)

    return of_all


def dict_of(run: Interpreter, value: Value = (), **named: Value) -> Value:
    found = Dict(run.path)
    if isinstance(value, Dict | Term | dict):
        run.update(found, value)
    else:
        pairs = run.items(value)
        if pairs is None:
            return Dict((), term("from pairs", run.frozen(value)))
        for pair in pairs:
            key, held = pair
            found.own[key] = held
    found.own |= named
    return found


def quantifier(op: str) -> Callable[..., Value]:
    def of(run: Interpreter, value: Value) -> Value:
        items = run.items(value)
        if items is None:
            return run.known(term(op, run.frozen(value)))
        found: Value = op == "all"
        for one in items:
            found = both(found, run.truth(one)) if op == "all" else either(found, run.truth(one))
        return run.known(found)

    return of


def folded(op: str, function: Callable[..., Any]) -> Callable[..., Value]:
    def of(run: Interpreter, *args: Value, **named: Value) -> Value:
        (value,) = args if len(args) == 1 else (list(args),)
        items = run.items(value) if len(args) == 1 else list(args)
        if not unknown(items) and items is not None and not unknown([*named.values()]):
            return function(items, **named)
        if named:
            raise Unknown(f"{op} with {[*named]}")
        return term(op, run.frozen(value if items is None else items))

    return of


def unary(op: str, function: Callable[..., Any]) -> Callable[..., Value]:
    def of(run: Interpreter, value: Value = 0, *more: Value) -> Value:
        def one_of(one: Value) -> Value:
            if not unknown(one) and not unknown(more):
                return function(one, *more)
            return term(op, run.frozen(one), *more)

        return run.each(value, one_of)

    return of


def bool_of(run: Interpreter, value: Value = False) -> Value:
    return run.truth(value)


def enumerated(run: Interpreter, value: Value, start: Value = 0) -> Value:
    items = run.items(value)
    if items is not None and not unknown(start):
        return [*enumerate(items, start)]
    return term("enumerate", run.frozen(value), start)


def zipped(run: Interpreter, *values: Value, **named: Value) -> Value:
    items = [run.items(one) for one in values]
    if all(one is not None for one in items):
        return [*zip(*items, strict=False)]  # type: ignore[arg-type]
    return term("zip", *map(run.frozen, values))


def reverse(run: Interpreter, value: Value) -> Value:
    items = run.items(value)
    if items is not None:
        return items[::-1]
    return term("slice", run.frozen(value), None, None, -1)


def sort(run: Interpreter, value: Value, **named: Value) -> Value:
    items = run.items(value)
    if items is not None and not unknown(items) and "key" not in named:
        return sorted(items, **named)
    if named:
        raise Unknown("a sorted list by a key")
    return term("sorted", run.frozen(value))


def copied(run: Interpreter, value: Value, *memo: Value) -> Value:
    def of(one: Value) -> Value:
        if isinstance(one, Term) and one in run.changed:
            one = run.changed[one]
        if isinstance(one, Dict):
            return Dict(run.path, one.base, one.own)
        if isinstance(one, Instance):
            raise Unknown("a copy of a configuration object")
        return one if isinstance(one, Term) else copy.copy(one)

    return run.each(value, of)


def type_of(run: Interpreter, value: Value) -> Value:
    def of(one: Value) -> Value:
        if isinstance(one, Instance):
            return one.kind
        if isinstance(one, Term):
            raise Unknown("the type of an unknown value")
        return type(one)

    return run.each(value, of)


def reduced(run: Interpreter, function: Value, values: Value, *start: Value) -> Value:
    items = run.items(values)
    if items is None:
        raise Unknown("a reduction of an unknown list")
    rest = [*start, *items]
    found = rest.pop(0)
    for one in rest:
        found = run.call(function, [found, one])
    return found


MODELS: dict[Any, Callable[..., Value]] = {
    isinstance: is_instance,
    getattr: get_attr,
    hasattr: has_attr,
    setattr: set_attr,
    len: length,
    range: range_of,
    list: listed(list),
    tuple: listed(tuple),
    set: listed(set),
    dict: dict_of,
    any: quantifier("any"),
    all: quantifier("all"),
    sum: folded("sum", sum),
    max: folded("max", max),
    min: folded("min", min),
    math.prod: folded("prod", math.prod),
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
    bool: bool_of,
    enumerate: enumerated,
    zip: zipped,
    reversed: reverse,
    sorted: sort,
    copy.deepcopy: copied,
    copy.copy: copied,
    type: type_of,
    functools.reduce: reduced,
}

PURE = frozenset(
    "lower upper strip split rsplit startswith endswith replace index count removeprefix "
    "removesuffix join isdigit bit_length".split()
)
"""The methods of texts and lists that change nothing."""


def call_method(
    run: Interpreter, owner: Value, name: str, args: list[Value], named: Dict
) -> Value:
    if isinstance(owner, Term):
        if owner in run.changed and isinstance(run.changed[owner], Dict):
            owner = run.changed[owner]
        elif name in ("get", "pop", "setdefault", "items", "keys", "values", "update", "copy"):
            held = Dict((), owner)
            if name in ("pop", "setdefault", "update"):
                run.changed[owner] = held
            owner = held
    if isinstance(owner, dict):
        owner = Dict((), None, owner)
    if isinstance(owner, Dict):
        return dict_method(run, owner, name, args, named)
    if isinstance(owner, list):
        return list_method(run, owner, name, args)
    if name in PURE and not named.own:
        return term("method", name, run.frozen(owner), *map(run.frozen, args))
    raise Unknown(f"the method {name} of {owner!r:.80}")


def list_method(run: Interpreter, owner: list[Value], name: str, args: list[Value]) -> Value:
    if name in ("append", "extend", "insert", "pop", "reverse", "remove", "sort"):
        if run.path or unknown(args) and name not in ("append", "insert"):
            items = run.items(args[0]) if args and name == "extend" else None
            if run.path or items is None:
                raise Unknown(f"a list that is changed under a condition: {name}")
            args = [items]
        return getattr(owner, name)(*args)
    if unknown(owner) or unknown(args):
        return term("method", name, run.frozen(owner), *map(run.frozen, args))
    return getattr(owner, name)(*args)


def dict_method(
    run: Interpreter, owner: Dict, name: str, args: list[Value], named: Dict
) -> Value:
    match name:
        case "get":
            key = run.settle(args[0])
            if isinstance(key, Term):
                return term("get or", run.frozen(owner), key, *args[1:] or (None,))
            return instead(owner.lookup(key), args[1] if args[1:] else None)
        case "pop":
            value = owner.lookup(args[0])
            run.write(owner, args[0], MISSING)
            return instead(value, args[1]) if args[1:] else run.require(value, args[0])
        case "setdefault":
            value = instead(owner.lookup(args[0]), args[1] if args[1:] else None)
            run.write(owner, args[0], value)
            return value
        case "update":
            for one in args:
                run.update(owner, one)
            run.update(owner, named)
            return None
        case "copy":
            return Dict(run.path, owner.base, owner.own)
        case "items" | "keys" | "values":
            entries = owner.own.items()
            if owner.base is None and all(present(v) is True for _, v in entries):
                return {"items": [*entries], "keys": [*owner.own], "values": [*owner.own.values()]}[
                    name
                ]
            if name == "items":
                return OpenItems(owner)
            return term(name, run.frozen(owner))
    raise Unknown(f"the method {name} of a dictionary")


__all__ = ["MODELS", "Class", "Method", "call_method", "choose", "there"]
