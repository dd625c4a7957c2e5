"""What functions of Python, and methods of its types, do in the code of users' functions.

Here are those that constructors of public libraries call with sizes. Others are ``Unknown``.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import itertools
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from paramproof.tracing.configuration.functions import MODELS
from paramproof.tracing.configuration.layers import Module
from paramproof.tracing.configuration.modules import MODULE_MODELS
from paramproof.tracing.configuration.paths import Dict, List
from paramproof.tracing.configuration.tensors import Tensor
from paramproof.tracing.configuration.terms import MISSING, Term, Unknown, Value, is_op, term
from paramproof.tracing.configuration.values import Closure, Method, unknown

if TYPE_CHECKING:
    from paramproof.tracing.configuration.live import LiveInterpreter

NUMBER = term("opaque", "item")
"""A number of a tensor."""


def is_of_opaque(items: Value) -> bool:
    """Return whether a list has a length, and items of which nothing is known."""
    return is_op(items, "comp") and items.args[2] is NUMBER


def get_attr(run: LiveInterpreter, owner: Value, name: Value, *default: Value) -> Value:
    if isinstance(name, Term) and isinstance(owner, Module):
        return term("opaque", "attribute")
    return MODULE_MODELS[getattr](run, owner, name, *default)


def has_attr(run: LiveInterpreter, owner: Value, name: Value) -> Value:
    if isinstance(name, Term) and isinstance(owner, Module):
        return term("truth", term("opaque", "attribute"))
    return MODELS[hasattr](run, owner, name)


def chained(run: LiveInterpreter, *lists: Value) -> Value:
    found = List(run.path)
    for one in lists:
        run.add_items(found, run.listed(one))
    return found


def repeated(run: LiveInterpreter, value: Value, times: Value = None) -> Value:
    if not isinstance(times, int):
        raise Unknown("a value that is repeated")
    return (value,) * times


def replaced(run: LiveInterpreter, value: Value, **changes: Value) -> Value:
    kind = value.kind if isinstance(value, Module) else type(value)
    if not dataclasses.is_dataclass(kind):
        raise Unknown("an object with other values")
    fields = {one.name: run.attribute(value, one.name) for one in dataclasses.fields(kind)}
    return run.call(kind, [], Dict(run.path, None, {**fields, **changes}))


def partial_of(run: LiveInterpreter, function: Value, *args: Value, **named: Value) -> Value:
    if isinstance(function, Method):
        function, args = function.function, (function.owner, *args)
    if not callable(function):
        raise Unknown("some of the arguments of a function inside of another")
    return functools.partial(function, *args, **named)


def iterator(run: LiveInterpreter, *_: Value) -> Value:
    raise Unknown("an iterator")


LIVE_MODELS: dict[Any, Any] = {
    functools.partial: partial_of,
    callable: lambda run, value: isinstance(value, Closure | Method | Module) or callable(value),
    getattr: get_attr,
    hasattr: has_attr,
    inspect.signature: lambda run, function: run.native(inspect.signature, function),
    itertools.chain: chained,
    itertools.repeat: repeated,
    iter: iterator,
    dataclasses.replace: replaced,
    weakref.ref: lambda run, *_: term("opaque", "reference"),
    print: lambda run, *_, **__: None,
}


def method_of(run: LiveInterpreter, owner: Value, name: str, args: Sequence[Value]) -> Value:
    """Return what a method of a text or a tensor gives, ``MISSING`` if that is not said here."""
    match owner, name, args:
        case Tensor(shape=(size,)), "tolist", []:
            return List(run.path, term("comp", run.depth, term("range", 0, size, 1), NUMBER, True))
        case Tensor(shape=tuple(shape)), "numel", []:
            return functools.reduce(functools.partial(run.binary, ast.Mult()), shape, 1)
        case Term(op="text", args=(*_, str(end))), "endswith", [str(wanted)] if len(wanted) <= len(
            end
        ) or not wanted.endswith(end):
            return end.endswith(wanted)
        case str(), "join", [values] if unknown(args) and (parts := run.items(values)):
            return run.text([x for one in parts for x in (owner, one)][1:])
        case str(), "format", _ if unknown(args):
            return formatted(run, owner, args)
    return MISSING


def formatted(run: LiveInterpreter, text: str, args: Sequence[Value]) -> Value:
    *parts, last = text.split("{}")
    if len(parts) != len(args) or {"{", "}"} & {*"".join((*parts, last))}:
        return MISSING
    found = [one for pair in zip(parts, args, strict=True) for one in pair]
    return run.text([*found, last] if last else found)
