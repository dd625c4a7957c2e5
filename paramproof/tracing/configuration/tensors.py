"""The shapes of the tensors that a constructor makes.

A shape is a tuple of sizes, a term for a list of sizes whose number is unknown, or None. Torch runs
a function, with other numbers in place of unknown sizes if they only move from axis to axis.
Otherwise ``SHAPES`` may have an exact rule, and if it has none, the shape is unknown. A number that
is read out of a tensor is ``opaque``. Neither may reach the shape of a parameter, which is checked
when tensors are written.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial, reduce
from itertools import pairwise, zip_longest
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
    both,
    choose,
    mentions,
    negate,
    term,
)
from paramproof.tracing.configuration.values import Method, unknown

if TYPE_CHECKING:
    from paramproof.tracing.configuration.modules import ModuleInterpreter

NUMBER = term("opaque", "item")
"""A number of a tensor."""


class Tensor(Heap):
    """A tensor, made inside of ``depth`` loops."""

    def __init__(
        self, run: ModuleInterpreter, shape: Value, role: str = "", trains: Value = False
    ) -> None:
        super().__init__(run.path)
        self.shape, self.role = shape, role
        self.storage = (self.serial, *(term("turn", depth) for depth in range(run.depth)))
        self.own["requires_grad"] = trains


def sizes(run: ModuleInterpreter, *args: Value, size: Value = MISSING, **_: Value) -> Value:
    """Return the shape that a function of torch is given: as one list, or as its arguments."""
    if size is not MISSING:
        if not is_list(run, size):
            raise Raised("a size that is no list")
        args = (size,)
    if len(args) != 1:
        return args
    items = run.items(args[0]) if is_list(run, args[0]) else [args[0]]
    return run.frozen(args[0]) if items is None else tuple(items)


def is_list(run: ModuleInterpreter, value: Value) -> bool:
    value = run.settle(value)
    if isinstance(value, Term) and value.op == "if":
        kinds = {is_list(run, one) for one in value.args[1:]}
        if len(kinds) != 1:
            raise Unknown("a shape that may be a number")
        return kinds.pop()
    return issubclass(run.kind_of(value) or object, list | tuple)


def shape_of(run: ModuleInterpreter, value: Value, *_: Value, **__: Value) -> Value:
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
    """Return whether a value is not a tensor, and is not read out of an object that may hold one.

    If a value of a configuration is not a number, torch raises an error anyway.
    """
    return not isinstance(value, Heap) and not mentions(
        value,
        lambda one: (
            one.op == "rope"
            or (one.op == "opaque" and not hasattr(math, one.args[0]))
            or any(isinstance(x, Heap) for x in one.args)
        ),
    )


def torch_function(
    run: ModuleInterpreter, function: Any, args: Sequence[Value], named: Dict
) -> Value:
    """Return what a function of torch or numpy makes."""
    name, module = getattr(function, "__name__", ""), getattr(function, "__module__", "") or ""

    if not any(isinstance(one, Tensor) for one in args):
        if module == "numpy" and name in ("ceil", "floor", "log2", "prod", "sqrt"):
            is_int = name == "prod" and run.kind_of(args[0]) is int
            return args[0] if is_int else run.call(getattr(math, name), args, named)
        if isinstance(function, numpy.ufunc) and {*map(run.kind_of, args)} <= {int, float}:
            return term("opaque", name)

    if named.base is not None or name.startswith("Uninitialized"):
        raise Unknown(f"a call of {name} with unknown names or without sizes")
    if name in ("Parameter", "Buffer"):
        return stored(run, name, *args, **named.own)
    if not module.startswith("numpy"):
        function = getattr(torch, name, None)  # What torch.nn.functional alone has is not run.
    return applied(run, function, args, named)


def stored(
    run: ModuleInterpreter,
    name: str,
    data: Value = None,
    requires_grad: Value = True,
    *,
    persistent: Value = True,
) -> Value:
    """Return a parameter or a buffer."""
    role, trains = "parameter", requires_grad
    if name == "Buffer":
        role, trains = "buffer" if run.decided(persistent) else "temporary buffer", False

    def of(one: Value) -> Value:
        if one is not None and not isinstance(one, Tensor):
            raise Unknown(f"a parameter of {one!r:.60}")
        return Tensor(run, (0,) if one is None else one.shape, role, run.truth(trains))

    return run.each(data, of)


def tensor_attribute(run: ModuleInterpreter, owner: Tensor, name: str) -> Value:
    match name:
        case "shape" if isinstance(owner.shape, tuple):
            return owner.shape
        case "data" | "real":
            return owner
        case "T":
            return applied(run, torch.t, [owner], Dict(()))
    if not hasattr(nn.Parameter, name):
        return MISSING
    return Method(owner, name) if callable(getattr(nn.Parameter, name)) else term("opaque", name)


def tensor_method(
    run: ModuleInterpreter, owner: Tensor, name: str, args: Sequence[Value], named: Dict
) -> Value:
    match name:
        case "requires_grad_":
            run.write(owner, "requires_grad", run.truth(args[0] if args else True))
            return owner
        case "tolist" if run.is_live and isinstance(owner.shape, tuple) and len(owner.shape) == 1:
            items = term("comp", run.depth, term("range", 0, *owner.shape, 1), NUMBER, True)
            return List(run.path, items)
        case "numel" if run.is_live and isinstance(owner.shape, tuple):
            return reduce(partial(run.binary, ast.Mult()), owner.shape, 1)
        case "item" | "tolist":
            return term("opaque", name) if name == "item" else List(run.path, term("opaque", name))
        case "size":
            shape = tensor_attribute(run, owner, "shape")
            return run.subscript(shape, args[0]) if args else shape
        case "to":
            return Tensor(run, owner.shape)
    if name.endswith("_") and not name.startswith("_"):
        return owner
    return applied(run, getattr(torch.Tensor, name), [owner, *args], named)


# Functions of torch


def applied(run: ModuleInterpreter, function: Any, args: Sequence[Value], named: Dict) -> Value:
    """Return what a function of torch makes, whose shape may be unknown."""
    left = {key: one for key, one in named.own.items() if key not in ("device", "dtype", "out")}
    name, module = getattr(function, "__name__", ""), getattr(function, "__module__", "") or ""
    if is_pointwise(name):
        function, name = elementwise, elementwise.__name__
    elif module.startswith("numpy"):
        function = torch.arange if name == "arange" else None  # Others have other arguments.
    with suppress(*REFUSED):
        return at_stand_ins(run, function, args, left)
    with suppress(*REFUSED):
        rule = made_of if name.endswith("Tensor") else SHAPES[name]
        return Tensor(run, rule(run, *args, **left))
    return Tensor(run, None)


REFUSED = AttributeError, LookupError, NotImplementedError, RuntimeError, TypeError, ValueError
"""What torch raises, and a rule that is absent or does not have this form of the call."""


def at_stand_ins(
    run: ModuleInterpreter, function: Any, args: Sequence[Value], named: Mapping[str, Value]
) -> Value:
    """Return what torch makes with a number in place of each unknown value, and then with another.

    An axis has the unknown size whose numbers it has both times.
    """
    unknowns: dict[Term, int] = {}

    def standing(value: Value, sign: int) -> Any:
        again = partial(standing, sign=sign)
        if isinstance(value, Tensor) and isinstance(value.shape, tuple):
            return torch.empty(again(value.shape), device="meta")
        if isinstance(value, List | list | tuple) and (items := run.items(value)) is not None:
            return (tuple if isinstance(value, tuple) else list)(map(again, items))
        if isinstance(value, Term) and function.__name__ in UNIFORM and is_number(value):
            return STAND_IN + sign * unknowns.setdefault(value, len(unknowns) + 1)
        if isinstance(value, Heap) or unknown(value):
            raise ValueError("a value without a number in its place")
        return value

    def result(one: Any, other: Any) -> Value:
        if isinstance(one, torch.Tensor):
            pairs = zip(one.shape, other.shape, strict=True)
            return Tensor(run, tuple(a if a == b else names[a, b] for a, b in pairs))
        if isinstance(one, list | tuple):
            return tuple(map(result, one, other))
        return term("opaque", "result") if isinstance(one, float | torch.Generator) else one

    found: list[Any] = []
    for sign in (1, -1):
        given = [standing(one, sign) for one in args]
        more = {key: standing(one, sign) for key, one in named.items()}
        with torch.device("meta"):
            found.append(function(*given, **more))
    names = {(STAND_IN + at, STAND_IN - at): one for one, at in unknowns.items()}
    return result(*found)


def elementwise(*values: Any, **named: Any) -> Any:
    """Return a tensor as functions make it whose elements each depend on one of each tensor."""
    every = [one for one in (*values, *named.values()) if isinstance(one, torch.Tensor)]
    if {list, tuple} & {*map(type, values)}:
        raise ValueError("a list, of which numpy makes a tensor")
    return torch.broadcast_tensors(torch.empty(()), *every)[0]


def item_of(run: ModuleInterpreter, one: Tensor, index: Value) -> Value:
    """Return a part of a tensor; where its sizes are unknown, an axis is left out, or a slice."""
    if isinstance(one.shape, tuple) and unknown(one.shape):
        given = [*index] if isinstance(index, tuple) else [index]
        given = [0 if run.kind_of(at) is int else at for at in given]
        shape = [*one.shape]
        for axis, (at, size) in enumerate(zip(given, shape, strict=False)):
            match at:
                case slice(start=int() | None as start, stop=None, step=int() | None as step):
                    if 0 <= (start or 0) < (step or 1):
                        shape[axis] = counted(run, start or 0, size, step or 1)
                        given[axis] = slice(None)
                case _ if at in (None, Ellipsis):
                    break
        if not all(at in (0, None, Ellipsis, slice(None)) for at in given):
            return Tensor(run, None)
        one, index = Tensor(run, (*shape,)), (*given,)
    return applied(run, operator.getitem, [one, index], Dict(()))


def set_item(run: ModuleInterpreter, one: Tensor, index: Value, value: Value) -> None:
    """Refuse a value that has another size than the part of a tensor that it replaces."""
    if not isinstance(value, Tensor) or not isinstance(value.shape, tuple):
        return
    if isinstance(shape := item_of(run, one, index).shape, tuple):
        for size, other in zip(value.shape[::-1], shape[::-1], strict=False):
            require_equal(run, size, other, size)


# Exact shapes. A size that may be a float at a reader is one that the reader refuses.


def made_of(run: ModuleInterpreter, *given: Value) -> Value:
    """Return the shape that a class of tensors is given, or that of what it is given."""
    is_data = given and (isinstance(given[0], Tensor) or is_list(run, given[0]))
    return shape_of(run, given[0]) if is_data else sizes(run, *given)


def broadcast(run: ModuleInterpreter, *values: Value, **named: Value) -> Value:
    """Return the shape of elements that each depend on one of each tensor."""
    shapes = [one.shape[::-1] for one in (*values, *named.values()) if not is_number(one)]

    def common(size: Value, other: Value) -> Value:
        if size == other or other == 1:
            return size
        require_equal(run, size, other, size, other)
        return choose(equal(run, size, 1), other, size)

    return tuple(reduce(common, axis) for axis in zip_longest(*shapes, fillvalue=1))[::-1]


def equal(run: ModuleInterpreter, one: Value, other: Value) -> Value:
    return run.known(run.truth(run.compared(ast.Eq(), one, other)))


def require_equal(run: ModuleInterpreter, one: Value, other: Value, *may_be_one: Value) -> None:
    """Refuse tensors of two sizes that differ, neither of which is one where it may be."""
    alike = [*(equal(run, size, 1) for size in may_be_one), equal(run, one, other)]
    run.refuse("raised by PyTorch: sizes of tensors differ", reduce(both, map(negate, alike)))


def concatenated(
    run: ModuleInterpreter, given: Value, dim: int = 0, axis: int | None = None
) -> Value:
    shapes = [one.shape for one in run.items(given) or ()]
    at = (dim if axis is None else axis) % len(shapes[0])
    for one, other in pairwise(shapes):
        for here in range(len(one)):
            if here != at:
                require_equal(run, one[here], other[here])
    size = reduce(partial(run.binary, ast.Add()), [one[at] for one in shapes])
    return (*shapes[0][:at], size, *shapes[0][at + 1 :])


def arange(run: ModuleInterpreter, start: Value, end: Value = None, step: Value = 1) -> Value:
    start, end = (0, start) if end is None else (start, end)
    if type(step) is not int or step < 1 or float in map(run.kind_of, (start, end)):
        return None
    return (counted(run, start, end, step),)


def counted(run: ModuleInterpreter, start: Value, end: Value, step: int) -> Value:
    """Return how many numbers there are from ``start`` to ``end``."""
    size = end if start == 0 else run.binary(ast.Sub(), end, start)
    up = run.binary(ast.Sub(), run.binary(ast.Add(), size, step), 1)
    return size if step == 1 else run.binary(ast.FloorDiv(), up, step)


def flattened(run: ModuleInterpreter, one: Tensor, start_dim: int = 0, end_dim: int = -1) -> Value:
    start, end = (dim % len(one.shape) for dim in (start_dim, end_dim))
    whole = reduce(partial(run.binary, ast.Mult()), one.shape[start : end + 1])
    return (*one.shape[:start], whole, *one.shape[end + 1 :])


def reshaped(run: ModuleInterpreter, one: Tensor, *given: Value) -> Value:
    wanted = sizes(run, *given)
    if not isinstance(wanted, tuple) or -1 not in wanted:
        return wanted
    if not isinstance(one.shape, tuple):
        return None
    whole = partial(reduce, partial(run.binary, ast.Mult()))
    rest = whole([size for size in wanted if size != -1], 1)
    left = run.binary(ast.FloorDiv(), whole(one.shape, 1), rest)
    return tuple(left if size == -1 else size for size in wanted)


@cache
def is_pointwise(name: str) -> bool:
    """Return whether torch says of a function that each element depends on one of each tensor."""
    packet = getattr(torch.ops.aten, name, None)
    forms = [getattr(packet, one) for one in packet.overloads()] if packet else []
    tensor = torch._C.TensorType.get()
    of_tensors = [one for one in forms if tensor in [arg.type for arg in one._schema.arguments]]
    known = [torch.Tag.pointwise in one.tags for one in of_tensors if "out" not in one.__name__]
    return bool(known) and all(known)


SHAPES: dict[str, Callable[..., Value]] = {
    **dict.fromkeys(("array", "as_tensor", "asarray", "from_numpy", "tensor"), shape_of),
    **dict.fromkeys(("cat", "concat", "concatenate"), concatenated),
    **dict.fromkeys(("empty", "ones", "rand", "randn", "zeros"), sizes),
    **dict.fromkeys(("reshape", "view"), reshaped),
    "arange": arange,
    "elementwise": broadcast,
    "flatten": flattened,
    "full": lambda run, size, *_, **__: sizes(run, size),
    "new_zeros": lambda run, _, *given: sizes(run, *given),
    "normal": lambda run, *_, size, **__: sizes(run, size=size),
}

UNIFORM = frozenset(
    {"contiguous", "elementwise", "expand", "flip", "float", "getitem", "hann_window", "linspace"}
    | {"mean", "meshgrid", "outer", "permute", "roll", "stack", "std", "sum", "t", "tril"}
    | {"unsqueeze", "zeros_like"}
)
"""Functions that give an axis a size that they are given, or none, whatever the sizes are."""

STAND_IN = 500
"""The numbers in place of unknown values are close to this one."""
