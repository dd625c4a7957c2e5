"""What functions of Python, and methods of its types, do with unknown values.

A function whose arguments are known is called. With unknown ones it is the operation of its name,
and one that only counts or orders items works on a known number of unknown items as well. What
does anything else is written here; what is not here is ``Unknown``.
"""

from __future__ import annotations

import ast
import copy
import inspect
import itertools
import math
from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import TYPE_CHECKING, Any

import numpy

from paramproof.tracing.configuration.paths import Dict, Instance, List, source_of
from paramproof.tracing.configuration.terms import (
    MISSING,
    SORTS,
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
from paramproof.tracing.configuration.values import JSON_TYPES, concatenated, concrete, unknown

if TYPE_CHECKING:
    from paramproof.tracing.configuration.interpreter import Interpreter

    Model = Callable[..., Value]

PURE_MODULES = frozenset({"builtins", "inspect", "itertools", "math", "operator", "re", "typing"})
"""Modules whose functions and classes give the same for the same arguments."""


def of_numbers(function: Any, run: Interpreter, value: Value, *more: Value) -> Value:
    return run.each(value, lambda one: run.computed(function.__name__, function, one, *more))


def of_lists(function: Any, run: Interpreter, *args: Value, **named: Value) -> Value:
    value = args[0] if len(args) == 1 else List(run.path, args)
    items = run.items(value)
    if items is not None and not unknown(items):
        return run.boxed(run.native(function, concrete(items), **named))
    if named:
        raise Unknown(f"{function.__name__} with {[*named]}")
    found = term(function.__name__, run.frozen(value))
    return List(run.path, found) if function is sorted else found


# Objects and their attributes


def is_instance(run: Interpreter, value: Value, kinds: Any) -> Value:
    def of(one: Value, kinds: Value) -> Value:
        kinds = getattr(kinds, "__args__", kinds)
        wanted = tuple(run.items(kinds) or ()) if isinstance(kinds, tuple | List) else (kinds,)
        wanted = tuple(getattr(kind, "__origin__", kind) for kind in wanted)
        if not all(map(inspect.isclass, wanted)):
            raise Unknown("whether an object is of an unknown class")
        names = {SORTS[of.__name__] for of in JSON_TYPES if issubclass(of, wanted)} or {"other"}
        if bool not in wanted:
            names.discard("flag")  # For Python, a flag is an int, too.
        if isinstance(one, Term) and run.kinds_of(one).isdisjoint(names):
            return False
        kind = one.kind if isinstance(one, Instance) and one.kind else run.kind_of(one)
        if kind is object:
            return run.takes_parts(wanted)
        if kind is not None:
            return issubclass(kind, wanted)
        names.discard("other")
        if one.op in ("field", "if") and run.takes_parts(wanted):
            names.add("part")
        return run.known(term("isinstance", one, *sorted(names))) if names else False

    return run.pairs(value, kinds, of)


def type_of(run: Interpreter, value: Value) -> Value:
    def of(one: Value) -> Value:
        kind = one.kind if isinstance(one, Instance) else run.kind_of(one)
        if kind in (None, object):
            raise Unknown("the type of an unknown value")
        return kind

    return run.each(value, of)


def get_attr(run: Interpreter, owner: Value, name: Value, *default: Value) -> Value:
    def of(one: Value, attr: Value) -> Value:
        if not isinstance(attr, str):
            raise Unknown(f"an attribute with the name {attr!r:.80}")
        if default and isinstance(one, Instance) and one.kind:
            # A property that gives another attribute is absent where that is.
            attr = forwarded(inspect.getattr_static(one.kind, attr, None)) or attr
        found = run.attribute_of(one, attr)
        return instead(found, default[0]) if default else run.require(found, attr)

    return run.pairs(owner, name, of)


def forwarded(found: Any) -> str:
    """Return the name of the attribute of an object that a property returns, or nothing."""
    if isinstance(found, property) and inspect.isfunction(found.fget):
        match source_of(found.fget.__code__).body:
            case [*texts, ast.Return(ast.Attribute(ast.Name("self"), name))] if all(
                isinstance(one, ast.Expr) for one in texts
            ):
                return name
    return ""


# Lists


def on_items(
    op: str, known: Model, more: Sequence[Value], run: Interpreter, *of: Value, **named: Value
) -> Value:
    """Return what a function of lists makes that does not look at their items."""
    if named:
        raise Unknown(f"{op} with {[*named]}")
    items = [run.items(one) for one in of]
    if any(one is None for one in items):
        return term(op, *map(run.frozen, of), *more)
    return known(*items)


def range_of(run: Interpreter, *args: Value) -> Value:
    bounds = (0, *args, 1) if len(args) == 1 else (*args, 1)[:3]
    return run.computed("range", range, *bounds)


def listed(run: Interpreter, value: Value = (), kind: type = list) -> Value:
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


def repeated(run: Interpreter, value: Value, times: Value = None) -> Value:
    if not isinstance(times, int):
        raise Unknown("a value that is repeated")
    return (value,) * times


def dict_of(run: Interpreter, value: Value = (), **named: Value) -> Value:
    found, kind = Dict(run.path), run.kind_of(value)
    pairs = None if kind is dict else run.items(value)
    for pair in pairs or ():
        run.set_item(found, *(run.subscript(pair, at) for at in (0, 1)))
    if pairs is None and kind is list:
        found.base = term("from pairs", run.frozen(value))
    elif pairs is None:
        run.update(found, value)
    found.own |= named
    return found


def quantifier(op: str, run: Interpreter, value: Value) -> Value:
    join = both if op == "all" else either
    found = partial(
        on_items, op, lambda items: reduce(join, map(run.truth, items), op == "all"), (), run
    )
    return run.read(value, lambda one: run.known(found(one)))


def following(run: Interpreter, value: Value, *default: Value) -> Value:
    """Return the first item of an iterator that nothing else has read."""
    items = run.items(value)
    if items is None:
        whole = run.frozen(value)
        found = choose(run.known(term("truth", whole)), term("get", whole, 0), MISSING)
    else:
        found = items[0] if items else MISSING
    return instead(found, default[0]) if default else run.require(found, "an item")


def iterator(run: Interpreter, *_: Value) -> Value:
    raise Unknown("an iterator")


NUMBERS = abs, float, int, math.ceil, math.floor, math.isfinite, math.log2, math.sqrt, round, str
LISTS = math.prod, max, min, numpy.prod, sorted, sum

MODELS: dict[Any, Model] = {
    **{one: partial(of_numbers, one) for one in NUMBERS},
    **{one: partial(of_lists, one) for one in LISTS},
    isinstance: is_instance,
    type: type_of,
    getattr: get_attr,
    hasattr: lambda run, owner, name: run.each(
        owner, lambda one: run.known(present(run.attribute_of(one, name)))
    ),
    setattr: lambda run, owner, *of: run.each(owner, lambda one: run.set_attribute(one, *of)),
    bool: lambda run, value=False: run.truth(value),
    **dict.fromkeys((copy.copy, copy.deepcopy), lambda run, one, *memo: run.each(one, run.boxed)),
    len: lambda run, value: run.read(value, partial(on_items, "len", len, (), run)),
    range: range_of,
    list: listed,
    tuple: partial(listed, kind=tuple),
    set: partial(listed, kind=set),
    frozenset: partial(listed, kind=set),
    dict: dict_of,
    any: partial(quantifier, "any"),
    all: partial(quantifier, "all"),
    enumerate: lambda run, value, start=0: on_items(
        "enumerate", lambda items: tuple(enumerate(items, start)), (start,), run, value
    ),
    zip: partial(on_items, "zip", lambda *items: tuple(zip(*items, strict=False)), ()),
    reversed: partial(on_items, "slice", lambda items: tuple(items[::-1]), (None, None, -1)),
    next: following,
    iter: iterator,
    print: lambda run, *_, **__: None,
    itertools.chain: lambda run, *lists: run.chained(lists),
    itertools.repeat: repeated,
}
"""How to compute a function if some of its arguments are unknown."""

# Methods

PURE = {name for kind in (str, frozenset) for name in dir(kind) if name[0] != "_"} - {"copy"}
PURE |= {"bit_length", "is_integer"}
"""The methods of texts, lists, sets and numbers that change nothing."""


def call_method(
    run: Interpreter, owner: Value, name: str, args: Sequence[Value], named: Dict
) -> Value:
    """Call a method of a list, a dictionary, a text, a number or a part."""
    owner = run.current(owner)
    if isinstance(owner, Instance) and name == "to_dict":
        return Dict(run.path, term("fields", run.frozen(owner)))
    if isinstance(owner, Term) and run.kind_of(owner) in (None, dict) and hasattr(dict, name):
        if name in ("pop", "setdefault", "update"):
            owner = run.object_of(owner, Dict)
        else:
            run.expect(owner, dict)
            owner = Dict((), owner)
    if isinstance(owner, Dict):
        return dict_method(run, owner, name, args, named)
    if isinstance(owner, Term) and name in ("append", "extend"):
        owner = run.object_of(owner, List)
    if named.own or named.base is not None:
        raise Unknown(f"the method {name} with named arguments")
    if name in PURE and not unknown(owner) and not unknown(args):
        return run.boxed(run.native(getattr(concrete(owner), name), *map(concrete, args)))
    if isinstance(owner, List) and (name not in PURE or owner.kind is set):
        return list_method(run, owner, name, *args)
    return pure_method(run, owner, name, args)


def pure_method(run: Interpreter, owner: Value, name: str, args: Sequence[Value]) -> Value:
    """Call a method of a text, a list or a number that changes nothing."""
    match owner, name, args:
        case str(), "join", [values] if parts := run.items(values):
            return run.text([x for one in parts for x in (owner, one)][1:])
        case str(), "format", _ if owner.count("{}") == len(args) and not (
            {"{", "}"} & {*owner.replace("{}", "")}
        ):
            pairs = zip(owner.split("{}"), (*args, ""), strict=True)
            return run.text([x for pair in pairs for x in pair if x != ""])
        case Term(op="text", args=(*_, str(end))), "endswith", [str(wanted)] if len(wanted) <= len(
            end
        ) or not wanted.endswith(end):
            return end.endswith(wanted)
    if name not in PURE or run.kind_of(owner) is set:
        raise Unknown(f"the method {name} of {owner!r:.60}")
    return term("method", name, run.frozen(owner), *map(run.frozen, args))


SETS = {"add": ast.BitOr(), "difference": ast.Sub(), "isdisjoint": ast.BitAnd()}
"""The operators that compute methods of sets."""


def list_method(run: Interpreter, owner: List, name: str, *args: Value) -> Value:
    """Call a method of a list, or of a set of which something is unknown."""
    match name, args:
        case "append", (value,):
            run.add_items(owner, (value,))
        case "extend", (value,):
            run.add_items(owner, value)
        case "insert", (0, value):
            run.replace(owner, concatenated(run.frozen((value,)), run.frozen(owner)))
        case "add" | "difference" | "difference_update" | "isdisjoint", (other,):
            more = List((), (other,), set) if name == "add" else listed(run, other, set)
            found = run.binary(SETS[name.removesuffix("_update")], owner, more)
            if name == "isdisjoint":
                return negate(run.truth(found))
            if name == "difference":
                return found
            known = not unknown(found) and run.since(owner.birth) is True
            run.replace(owner, found.items if known else run.frozen(found))
        case _:
            raise Unknown(f"the method {name} of a {owner.kind.__name__}")
    return None


def dict_method(
    run: Interpreter, owner: Dict, name: str, args: Sequence[Value], named: Dict
) -> Value:
    match name, args:
        case "get" | "setdefault", (key, *default):
            other = default[0] if default else None
            value = run.each(key, lambda one: instead(run.lookup(owner, one), other))
            if name == "setdefault":
                run.write(owner, key, value)
            return value
        case "pop", (key, *default):
            value = run.lookup(owner, key)
            run.write(owner, key, MISSING)
            return instead(value, default[0]) if default else run.require(value, key)
        case "update", _:
            for one in (*args, named):
                run.update(owner, one)
            return None
        case "copy", ():
            return Dict(run.path, owner.base, owner.own)
        case "items" | "keys" | "values", ():
            if run.items(owner) is not None:
                return tuple(getattr(owner.own, name)())
            return term(name, run.frozen(owner))
    raise Unknown(f"the method {name} of a dictionary")
