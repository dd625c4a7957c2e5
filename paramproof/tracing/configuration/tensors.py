"""The shapes of the tensors that a constructor makes.

A shape is a tuple of sizes, a term for a list of sizes whose number is unknown, or None. Torch runs
a function if all that it is given is known. Otherwise ``SHAPES`` may have an exact rule of its
shape, and if it has none, the shape is unknown. A number that is read out of a tensor is
``opaque``. Neither may reach the shape of a parameter, which is checked when tensors are written.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from functools import cache, partial, reduce
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy
import torch
from torch import nn

from paramproof.tracing.configuration.paths import Dict, Heap, List, Raised
from paramproof.tracing.configuration.terms import (
    MISSING,
    Term,
    Unknown,
    Value,
    instead,
    mentions,
    term,
)
from paramproof.tracing.configuration.values import Method, concrete, unknown

if TYPE_CHECKING:
    from paramproof.tracing.configuration.modules import ModuleInterpreter

SIZED = frozenset({"empty", "zeros", "ones", "randn", "rand", "empty_strided"})
"""Functions that take the shape of what they make."""


MATH = frozenset({"prod", "log2", "ceil", "floor", "sqrt"})
"""Functions of numpy that are those of ``math`` for numbers."""


class Tensor(Heap):
    """A tensor, made inside of ``depth`` loops."""

    def __init__(
        self, run: ModuleInterpreter, shape: Value, role: str = "", trains: Value = False
    ) -> None:
        super().__init__(run.path)
        self.shape, self.role = shape, role
        self.storage = (self.serial, *(term("turn", depth) for depth in range(run.depth)))
        self.own["requires_grad"] = trains


def sizes(run: ModuleInterpreter, args: Sequence[Value]) -> Value:
    """Return the shape that a function of torch is given: as one list, or as its arguments."""
    if len(args) != 1:
        return tuple(args)
    items = run.items(args[0]) if is_list(run, args[0]) else [args[0]]
    return run.frozen(args[0]) if items is None else tuple(items)


def is_list(run: ModuleInterpreter, value: Value) -> bool:
    value = run.settle(value)
    if isinstance(value, Term) and value.op == "if":
        kinds = {is_list(run, one) for one in value.args[1:]}
        if len(kinds) != 1:
            raise Unknown("a shape that may be a number")
        return kinds.pop()
    kind = run.kind_of(value)
    return kind is not None and issubclass(kind, list | tuple)


def shape_of(run: ModuleInterpreter, value: Value) -> Value:
    """Return the shape of a tensor that is made of numbers and lists of them."""
    if isinstance(value, Tensor):
        return value.shape
    if not is_list(run, value):
        known = not isinstance(value, Term) or run.kind_of(value) in (int, float, bool)
        known = known or run.kinds_of(value) in ({"int"}, {"int", "float"})
        return () if known and is_number(value) else None
    items = run.items(value)
    if items is None:
        declared = run.declared.get(value) if isinstance(value, Term) else None
        flat = [term(op, term(kind)) for op in ("list", "tuple") for kind in ("int", "float")]
        return (run.length(value),) if declared in flat else None
    inner = shape_of(run, items[0]) if items else ()
    return None if not isinstance(inner, tuple) else (len(items), *inner)


def is_number(value: Value) -> bool:
    """Return whether a value is no tensor, nor perhaps one that is read out of another.

    What a configuration has, and is not a number, is an error of torch.
    """
    return not isinstance(value, Heap) and not mentions(
        value,
        lambda one: (
            one.op == "rope"
            or (one.op == "opaque" and not hasattr(math, one.args[0]))
            or any(isinstance(x, Heap) for x in one.args)
        ),
    )


def torch_function(  # noqa: C901 - a case for each kind of function
    run: ModuleInterpreter, function: Any, args: Sequence[Value], named: Dict
) -> Value:
    """Return what a function of torch or numpy makes."""
    name, module = getattr(function, "__name__", ""), getattr(function, "__module__", "") or ""

    if not any(isinstance(one, Tensor) for one in args):
        if name in MATH and module == "numpy":
            is_int = name == "prod" and run.kind_of(args[0]) is int
            return args[0] if is_int else run.call(getattr(math, name), args, named)
        if isinstance(function, numpy.ufunc) and {*map(run.kind_of, args)} <= {int, float}:
            return term("opaque", name)

    def given(number: int, key: str, default: Value = MISSING) -> Value:
        return args[number] if number < len(args) else instead(run.lookup(named, key), default)

    if name in ("Parameter", "Buffer", "UninitializedParameter"):
        trains = name == "Parameter" and given(1, "requires_grad", True)
        role = "parameter" if name == "Parameter" else "buffer"
        if role == "buffer" and not run.decided(given(1, "persistent", True)):
            role = "temporary buffer"
        return run.each(given(0, "data", None), lambda one: stored(run, role, one, trains))
    of_list = args and is_list(run, args[0])
    if name in ("tensor", "as_tensor", "from_numpy", "asarray", "array") or (
        name.endswith("Tensor") and args and (of_list or isinstance(args[0], Tensor))
    ):
        return Tensor(run, shape_of(run, args[0]))
    if name in SIZED or name.endswith("Tensor"):
        whole = run.lookup(named, "size")
        return Tensor(run, sizes(run, args if whole is MISSING else [whole]))
    if name in ("cat", "concat", "concatenate"):
        axis = "axis" if module.startswith("numpy") else "dim"
        return Tensor(run, concatenated(run, run.items(args[0]), given(1, axis, 0)))
    if name == "normal" and (size := run.lookup(named, "size")) is not MISSING:
        if not is_list(run, size):
            raise Raised("a size that is no list")
        return Tensor(run, sizes(run, [size]))
    # Other functions of numpy have other arguments.
    is_same = not module.startswith("numpy") or is_pointwise(name) or name == "arange"
    return applied(run, getattr(torch, name, None) if is_same else None, args, named)


def concatenated(run: ModuleInterpreter, parts: list[Value] | None, dim: Value) -> Value:
    shapes = [one.shape for one in parts or () if isinstance(one, Tensor)]
    if not shapes or len(shapes) < len(parts or ()):
        return None
    if not all(isinstance(one, tuple) for one in shapes):
        return None
    at = dim % len(shapes[0])
    size = reduce(partial(run.binary, ast.Add()), [one[at] for one in shapes])
    return (*shapes[0][:at], size, *shapes[0][at + 1 :])


def stored(run: ModuleInterpreter, role: str, data: Value, trains: Value) -> Value:
    if data is not None and not isinstance(data, Tensor):
        raise Unknown(f"a parameter of {data!r:.60}")
    shape = (0,) if data is None else data.shape
    return Tensor(run, shape, role, run.truth(trains))


def tensor_attribute(run: ModuleInterpreter, owner: Tensor, name: str) -> Value:
    match name:
        case "shape" if isinstance(owner.shape, tuple):
            return owner.shape
        case "data" | "real":
            return owner
        case "T":
            return applied(run, torch.t, [owner], Dict(()))
        case "shape" | "dtype" | "device" | "ndim":
            return term("opaque", name)
    return Method(owner, name) if callable(getattr(nn.Parameter, name, None)) else MISSING


def tensor_method(
    run: ModuleInterpreter, owner: Tensor, name: str, args: Sequence[Value], named: Dict
) -> Value:
    match name:
        case "requires_grad_":
            run.write(owner, "requires_grad", run.truth(args[0] if args else True))
            return owner
        case "item" | "tolist":
            return term("opaque", name) if name == "item" else List(run.path, term("opaque", name))
        case "size":
            shape = tensor_attribute(run, owner, "shape")
            return run.subscript(shape, args[0]) if args else shape
        case "view" | "reshape":
            return Tensor(run, reshaped(run, owner.shape, sizes(run, args)))
    if name.endswith("_") and not name.startswith("_"):
        return owner
    return applied(run, getattr(torch.Tensor, name), [owner, *args], named)


def reshaped(run: ModuleInterpreter, shape: Value, wanted: Value) -> Value:
    if not isinstance(wanted, tuple) or -1 not in wanted:
        return wanted
    if not isinstance(shape, tuple):
        return None
    whole = partial(reduce, partial(run.binary, ast.Mult()))
    rest = whole([one for one in wanted if one != -1], 1)
    size = run.binary(ast.FloorDiv(), whole(shape, 1), rest)
    return tuple(size if one == -1 else one for one in wanted)


# Functions of torch


def applied(run: ModuleInterpreter, function: Any, args: Sequence[Value], named: Dict) -> Value:
    """Return what a function of torch makes, whose shape may be unknown."""
    left = {key: one for key, one in named.own.items() if key not in ("device", "dtype", "out")}
    name = getattr(function, "__name__", "")
    try:
        if not any(map(is_unknown, (*args, *left.values()))):
            known = [*map(standing, args)], {key: standing(one) for key, one in left.items()}
            with torch.device("meta"):
                return result(run, function(*known[0], **known[1]))
        if name == "meshgrid" and left.get("indexing") == "ij":
            parts = [*args] if isinstance(args[0], Tensor) else run.items(args[0]) or ()
            return tuple(Tensor(run, tuple(one.shape[0] for one in parts)) for _ in parts)
        if rule := broadcast if is_pointwise(name) else SHAPES.get(name):
            return Tensor(run, rule(run, *args, **left))
    except (AttributeError, LookupError, NotImplementedError, RuntimeError, TypeError, ValueError):
        pass  # Torch refuses it, or the rule does not have this form of the call.
    return Tensor(run, None)


def is_unknown(value: Value) -> bool:
    if isinstance(value, Tensor):
        return not isinstance(value.shape, tuple) or unknown(value.shape)
    if isinstance(value, List | list | tuple):
        items = value.items if isinstance(value, List) else value
        return isinstance(items, Term) or any(map(is_unknown, items))
    return unknown(value)


def standing(value: Value) -> Any:
    """Return a known value as torch has it."""
    if isinstance(value, Tensor):
        return torch.empty(value.shape, device="meta")
    return concrete(value)


def result(run: ModuleInterpreter, found: Any) -> Value:
    if isinstance(found, torch.Tensor):
        return Tensor(run, tuple(found.shape))
    if isinstance(found, list | tuple):
        return tuple(result(run, one) for one in found)
    is_random = isinstance(found, float | torch.Generator)
    return term("opaque", "result") if is_random else found


# Exact shapes. A size that may be a float at a reader is one that the reader refuses.

Shape = tuple[Value, ...] | None


def broadcast(run: ModuleInterpreter, *values: Value, **named: Value) -> Shape:
    """Return the shape of arithmetic on tensors and numbers: an axis of one item is repeated."""

    def size(one: Value, other: Value) -> Value:
        if one is other or other == 1 or one == 1:
            return other if one == 1 else one
        raise ValueError("sizes of which one may be 1")

    found: tuple[Value, ...] = ()
    for one in (*values, *named.values()):
        shape = one.shape if isinstance(one, Tensor) else () if is_number(one) else None
        if not isinstance(shape, tuple):
            return None
        pairs = zip_longest(reversed(found), reversed(shape), fillvalue=1)
        found = tuple(size(one, other) for one, other in pairs)[::-1]
    return found


def arange(run: ModuleInterpreter, start: Value, end: Value = None, step: Value = 1) -> Shape:
    start, end = (0, start) if end is None else (start, end)
    if type(step) is not int or step < 1 or float in map(run.kind_of, (start, end)):
        return None
    size = end if start == 0 else run.binary(ast.Sub(), end, start)
    up = run.binary(ast.Sub(), run.binary(ast.Add(), size, step), 1)
    return (size if step == 1 else run.binary(ast.FloorDiv(), up, step),)


def expanded(run: ModuleInterpreter, one: Tensor, *given: Value) -> Shape:
    wanted = sizes(run, given)
    old = (-1,) * (len(wanted) - len(one.shape)) + one.shape
    return tuple(was if new == -1 else new for was, new in zip(old, wanted, strict=True))


def of_item(run: ModuleInterpreter, one: Tensor, index: Value) -> Shape:
    given = index if isinstance(index, tuple) else (index,)
    axes = len(one.shape) - sum(at is not None and at is not Ellipsis for at in given)
    found: list[Value] = []
    left = [*one.shape]
    for at in given if Ellipsis in given else (*given, Ellipsis):
        if at is None:
            found.append(1)
        elif at is Ellipsis:
            found += [left.pop(0) for _ in range(axes)]
        elif at == slice(None):
            found.append(left.pop(0))
        elif run.kind_of(at) is int:
            left.pop(0)
        else:
            return None
    return tuple(found)


def unsqueezed(run: ModuleInterpreter, one: Tensor, dim: int) -> Shape:
    at = dim % (len(one.shape) + 1)
    return (*one.shape[:at], 1, *one.shape[at:])


def stacked(run: ModuleInterpreter, given: Value, dim: int = 0) -> Shape:
    parts = run.items(given) or []
    shape = broadcast(run, *parts)
    if shape is None:
        return None
    at = dim % (len(shape) + 1)
    return (*shape[:at], len(parts), *shape[at:])


def flattened(run: ModuleInterpreter, one: Tensor, start_dim: int = 0, end_dim: int = -1) -> Shape:
    start, end = (dim % len(one.shape) for dim in (start_dim, end_dim))
    whole = reduce(partial(run.binary, ast.Mult()), one.shape[start : end + 1])
    return (*one.shape[:start], whole, *one.shape[end + 1 :])


def reduced(run: ModuleInterpreter, one: Tensor, dim: int | None = None) -> Shape:
    left = [] if dim is None else [*one.shape]
    if dim is not None:
        left.pop(dim)
    return tuple(left)


@cache
def is_pointwise(name: str) -> bool:
    """Return whether torch says of a function that each element depends on one of each tensor."""
    packet = getattr(torch.ops.aten, name, None)
    forms = [getattr(packet, one) for one in packet.overloads()] if packet else []
    tensor = torch._C.TensorType.get()
    of_tensors = [one for one in forms if tensor in [arg.type for arg in one._schema.arguments]]
    known = [torch.Tag.pointwise in one.tags for one in of_tensors if "out" not in one.__name__]
    return bool(known) and all(known)


SAME = ("contiguous", "flip", "float", "roll", "to", "tril", "zeros_like")
"""Functions whose result has the shape of their first argument."""

SHAPES: dict[str, Callable[..., Shape]] = {
    **dict.fromkeys(SAME, lambda run, one, *_, **__: one.shape),
    **dict.fromkeys(("mean", "std", "sum"), reduced),
    "arange": arange,
    "expand": expanded,
    "flatten": flattened,
    "full": lambda run, size, *_, **__: sizes(run, [size]),
    "getitem": of_item,
    "hann_window": lambda run, window_length: (window_length,),
    "linspace": lambda run, start, end, steps: (steps,),
    "outer": lambda run, one, other: (*one.shape, *other.shape),
    "permute": lambda run, one, *dims: tuple(one.shape[dim] for dim in sizes(run, dims)),
    "stack": stacked,
    "t": lambda run, one: one.shape[::-1],
    "unsqueeze": unsqueezed,
}
