"""The shapes of the tensors that a constructor makes with functions of torch.

A shape is a tuple of sizes, a term for a list of sizes whose number is unknown, or None: a
function that is not listed here gives a tensor of unknown shape. A number that is read out of a
tensor is ``opaque``. Neither may reach the shape of a parameter, which is checked when tensors
are written.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from paramproof.tracing.configuration.paths import Dict, Heap, List
from paramproof.tracing.configuration.terms import MISSING, Term, Unknown, Value, instead, term
from paramproof.tracing.configuration.values import Method

if TYPE_CHECKING:
    from paramproof.tracing.configuration.modules import ModelInterpreter

FILLED = frozenset(
    [
        "empty",
        "zeros",
        "ones",
        "randn",
        "rand",
        "Tensor",
        "FloatTensor",
        "LongTensor",
        "IntTensor",
        "BoolTensor",
        "empty_strided",
    ]
)
"""Functions that take the shape of what they make."""

LIKE = frozenset(
    [
        "abs",
        "acos",
        "all_gather",
        "arccos",
        "atan",
        "bernoulli_",
        "bool",
        "clamp",
        "clip",
        "clone",
        "constant_",
        "contiguous",
        "copy_",
        "cos",
        "cpu",
        "cumsum",
        "cuda",
        "data",
        "detach",
        "div",
        "div_",
        "double",
        "erfinv",
        "exp",
        "exp_",
        "expm1",
        "fill_",
        "flip",
        "float",
        "floor",
        "full_like",
        "half",
        "int",
        "log",
        "log1p",
        "log_",
        "logical_not",
        "long",
        "masked_fill",
        "masked_fill_",
        "mul",
        "mul_",
        "neg",
        "normal_",
        "empty_like",
        "ones_like",
        "pow",
        "rand_like",
        "randn_like",
        "relu",
        "requires_grad_",
        "roll",
        "round",
        "rsqrt",
        "sigmoid",
        "sin",
        "softmax",
        "sqrt",
        "sub",
        "tanh",
        "to",
        "tril",
        "trunc_normal_",
        "triu",
        "type",
        "uniform_",
        "zero_",
        "zeros_like",
        "add",
        "add_",
        "sub_",
        "clamp_",
        "type_as",
        "normal",
        "trunc",
        "inverse",
    ]
)
"""Functions and methods whose result has the shape of their first argument."""

SETTINGS = frozenset(
    [
        "device",
        "dtype",
        "finfo",
        "iinfo",
        "is_grad_enabled",
        "no_grad",
        "get_default_dtype",
        "Generator",
        "Size",
        "is_autocast_enabled",
        "set_grad_enabled",
        "inference_mode",
        "set_default_dtype",
    ]
)
"""What has nothing to do with shapes."""


class Tensor(Heap):
    """A tensor, made inside of ``depth`` loops."""

    def __init__(
        self, run: ModelInterpreter, shape: Value, role: str = "", trains: Value = False
    ) -> None:
        super().__init__(run.path)
        self.shape, self.role = shape, role
        self.storage = (self.serial, *(term("turn", depth) for depth in range(run.depth)))
        self.own["requires_grad"] = trains


def sizes(run: ModelInterpreter, args: Sequence[Value]) -> Value:
    """Return the shape that a function of torch is given: as one list, or as its arguments."""
    if len(args) != 1:
        return tuple(args)
    items = run.items(args[0]) if is_list(run, args[0]) else [args[0]]
    return run.frozen(args[0]) if items is None else tuple(items)


def is_list(run: ModelInterpreter, value: Value) -> bool:
    value = run.settle(value)
    if isinstance(value, Term) and value.op == "if":
        kinds = {is_list(run, one) for one in value.args[1:]}
        if len(kinds) != 1:
            raise Unknown("a shape that may be a number")
        return kinds.pop()
    kind = run.kind_of(value)
    return kind is not None and issubclass(kind, list | tuple)


def is_number(run: ModelInterpreter, value: Value) -> bool:
    if not isinstance(value, Term) or run.kind_of(value) in (int, float, bool):
        return True
    kinds = run.kinds_of(value)
    return bool(kinds) and kinds <= {"int", "float", "bool"}


def shape_of(run: ModelInterpreter, value: Value) -> Value:
    """Return the shape of a tensor that is made of numbers and lists of them."""
    if isinstance(value, Tensor):
        return value.shape
    if not is_list(run, value):
        return () if is_number(run, value) else None
    items = run.items(value)
    if items is None:
        declared = run.declared.get(value) if isinstance(value, Term) else None
        flat = declared in [
            term(op, term(kind)) for op in ("list", "tuple") for kind in ("int", "float")
        ]
        return (run.length(value),) if flat else None
    inner = shape_of(run, items[0]) if items else ()
    return None if not isinstance(inner, tuple) else (len(items), *inner)


def torch_function(run: ModelInterpreter, name: str, args: Sequence[Value], named: Dict) -> Value:  # noqa: C901 - a case for each function
    """Return what a function of torch makes."""

    def given(number: int, key: str, default: Value = MISSING) -> Value:
        return args[number] if number < len(args) else instead(run.lookup(named, key), default)

    if name in ("Parameter", "Buffer", "UninitializedParameter"):
        trains = name == "Parameter" and given(1, "requires_grad", True)
        role = "parameter" if name == "Parameter" else "buffer"
        if role == "buffer" and not run.decided(given(1, "persistent", True)):
            role = "temporary buffer"
        return run.each(given(0, "data", None), lambda one: stored(run, role, one, trains))
    if name in FILLED:
        if args and isinstance(args[0], Tensor):
            return Tensor(run, args[0].shape)
        if name.endswith("Tensor") and args and is_list(run, args[0]):
            return Tensor(run, shape_of(run, args[0]))
        whole = run.lookup(named, "size")
        return Tensor(run, sizes(run, args if whole is MISSING else [whole]))
    if name in ("full", "normal", "randint") and not (args and isinstance(args[0], Tensor)):
        where = {"full": 0, "normal": 2, "randint": len(args) - 1}[name]
        return Tensor(run, sizes(run, [given(where, "size")]))
    if name in ("tensor", "as_tensor", "from_numpy", "asarray", "array"):
        return Tensor(run, shape_of(run, args[0]))
    if name == "arange":
        start, stop, step = (0, *args, 1) if len(args) == 1 else (*args, given(2, "step", 1))[:3]
        length = run.binary(ast.Sub(), stop, start)
        if step != 1:
            length = run.binary(
                ast.FloorDiv(), run.binary(ast.Sub(), run.binary(ast.Add(), length, step), 1), step
            )
            if not all(run.kind_of(one) is int for one in (start, stop, step)):
                return Tensor(run, None)
        return Tensor(run, (length,))
    if name == "linspace":
        return Tensor(run, (given(2, "steps"),))
    if name == "eye":
        return Tensor(run, (args[0], given(1, "m", args[0])))
    if name in ("cat", "concat", "concatenate", "stack"):
        return Tensor(run, stacked(run, name, run.items(args[0]), given(1, "dim", 0)))
    if name in SETTINGS:
        return term("opaque", name)
    if args and isinstance(args[0], Tensor):
        return tensor_method(run, args[0], name, args[1:], named)
    return Tensor(run, None)


def stacked(run: ModelInterpreter, name: str, parts: Value, dim: Value) -> Value:
    shapes = [one.shape if isinstance(one, Tensor) else None for one in parts or ()]
    if not shapes or not isinstance(dim, int) or not all(isinstance(one, tuple) for one in shapes):
        return None
    first = shapes[0]
    if name == "stack":
        at = dim % (len(first) + 1)
        return (*first[:at], len(shapes), *first[at:])
    at = dim % len(first)
    size = first[at]
    for one in shapes[1:]:
        size = run.binary(ast.Add(), size, one[at])
    return (*first[:at], size, *first[at + 1 :])


def stored(run: ModelInterpreter, role: str, data: Value, trains: Value) -> Value:
    if data is not None and not isinstance(data, Tensor):
        raise Unknown(f"a parameter of {data!r:.60}")
    shape = (0,) if data is None else data.shape
    return Tensor(run, shape, role, run.truth(trains))


def tensor_attribute(run: ModelInterpreter, owner: Tensor, name: str) -> Value:
    match name:
        case "shape":
            if owner.shape is None:
                return term("opaque", "shape")
            return owner.shape
        case "ndim":
            return len(owner.shape) if isinstance(owner.shape, tuple) else term("opaque", "ndim")
        case "data" | "real":
            return owner
        case "T":
            return tensor_method(run, owner, "t", [], Dict(run.path))
        case "requires_grad":
            return owner.own[name]
        case "device":
            return torch.device("meta")
        case "dtype" | "grad":
            return None
        case "is_meta":
            return True
    return Method(owner, name) if hasattr(nn.Parameter, name) else MISSING


def tensor_method(  # noqa: C901 - a case for each method
    run: ModelInterpreter, owner: Tensor, name: str, args: Sequence[Value], named: Dict
) -> Value:
    shape = owner.shape
    rank = len(shape) if isinstance(shape, tuple) else None

    def at(number: int) -> int:
        value = args[number]
        if rank is None or not isinstance(value, int) or not -rank <= value < rank:
            raise Unknown(f"the dimension of {name}")
        return value % rank

    match name, args:
        case "requires_grad_", _:
            trains = args[0] if args else True
            run.write(owner, "requires_grad", run.truth(trains))
            return owner
        case "size", ():
            return tensor_attribute(run, owner, "shape")
        case "size", (int(),):
            return term("opaque", name) if rank is None else shape[at(0)]
        case "item" | "tolist" | "numel" | "nelement", _:
            if name in ("numel", "nelement") and rank is not None:
                return product(run, shape)
            if name == "tolist":
                return List(run.path, term("opaque", name))
            return term("opaque", name)
        case "dim", () if rank is not None:
            return rank
        case "mean" | "sum" | "std" | "var" | "max" | "min" | "norm" | "prod" | "any" | "all", ():
            if not named.own:
                return Tensor(run, ())
        case "split" | "chunk" | "unbind", _:
            return List(run.path, term("opaque", name))
        case "register_hook", _:
            return None
        case "new_zeros" | "new_empty" | "new_ones", _:
            return Tensor(run, sizes(run, args))
    if name in LIKE:
        return Tensor(run, shape)
    return Tensor(run, moved(run, name, shape, rank, args, at))


def moved(run: Any, name: str, shape: Value, rank: int | None, args: Any, at: Any) -> Value:  # noqa: C901 - a case for each method
    """Return the shape after a method that moves numbers, or None."""
    if name in ("view", "reshape", "expand", "repeat"):
        wanted = sizes(run, args)
        if not isinstance(wanted, tuple):
            return wanted if name in ("view", "reshape") else None
        free = [i for i, one in enumerate(wanted) if isinstance(one, int) and one == -1]
        if name == "repeat" and rank is not None:
            padded = (*(1,) * (len(wanted) - rank), *shape)
            return tuple(run.binary(ast.Mult(), a, b) for a, b in zip(padded, wanted, strict=True))
        if name == "expand" and rank is not None:
            before = len(wanted) - rank
            return tuple(shape[i - before] if i in free else one for i, one in enumerate(wanted))
        if not free:
            return wanted if name != "repeat" else None
        if len(free) == 1 and rank is not None and name in ("view", "reshape"):
            rest = product(run, [one for i, one in enumerate(wanted) if i not in free])
            size = run.binary(ast.FloorDiv(), product(run, shape), rest)
            return tuple(size if i in free else one for i, one in enumerate(wanted))
        return None
    if rank is None:
        return None
    match name, args:
        case "unsqueeze", (int(where),):
            where = where if where >= 0 else where + rank + 1
            return (*shape[:where], 1, *shape[where:])
        case "squeeze", (int(),) if shape[at(0)] == 1:
            return (*shape[: at(0)], *shape[at(0) + 1 :])
        case "t", ():
            return shape[::-1]
        case "transpose", (int(), int()):
            turned = [*shape]
            turned[at(0)], turned[at(1)] = turned[at(1)], turned[at(0)]
            return tuple(turned)
        case "permute", _:
            order = sizes(run, args)
            if isinstance(order, tuple) and all(isinstance(one, int) for one in order):
                return tuple(shape[one] for one in order)
        case "flatten", ():
            return (product(run, shape),)
    return None


def product(run: ModelInterpreter, values: Sequence[Value]) -> Value:
    if all(isinstance(one, int) for one in values):
        return math.prod(values)
    found: Value = 1
    for one in values:
        found = one if found == 1 and isinstance(found, int) else run.binary(ast.Mult(), found, one)
    return found


def tensor_item(run: ModelInterpreter, owner: Tensor, index: Value) -> Tensor:
    """Return the tensor of a subscript."""
    shape = owner.shape
    if not isinstance(shape, tuple):
        return Tensor(run, None)
    parts = list(index) if isinstance(index, tuple) else [index]
    found: list[Value] = []
    left = [*shape]
    for number, one in enumerate(parts):
        if one is None:
            found.append(1)
        elif one is Ellipsis:
            while len(left) > len([p for p in parts[number + 1 :] if p is not None]):
                found.append(left.pop(0))
        elif isinstance(one, slice):
            size = left.pop(0)
            whole = one.start in (None, 0) and one.stop is None and one.step in (None, 1)
            found.append(size if whole else sliced(run, size, one))
        elif isinstance(one, int) or (isinstance(one, Term) and run.kind_of(one) is int):
            left.pop(0)
        else:
            return Tensor(run, None)
    return Tensor(run, (*found, *left))


def sliced(run: ModelInterpreter, size: Value, one: slice) -> Value:
    if all(isinstance(part, int | None) for part in (size, one.start, one.stop, one.step)):
        return len(range(*one.indices(size)))
    return term("len", term("slice", term("range", 0, size, 1), one.start, one.stop, one.step))


def joined(run: ModelInterpreter, left: Value, right: Value) -> Tensor:
    """Return the tensor of arithmetic on two values, at least one of which is a tensor."""
    shapes = [one.shape if isinstance(one, Tensor) else () for one in (left, right)]
    if not all(isinstance(one, tuple) for one in shapes):
        return Tensor(run, shapes[0] if shapes[0] == shapes[1] else None)
    rank = max(map(len, shapes))
    padded = [(*(1,) * (rank - len(one)), *one) for one in shapes]
    found: list[Value] = []
    for one, other in zip(*padded, strict=True):
        if one is other or one == other or other == 1:
            found.append(one)
        elif one == 1:
            found.append(other)
        else:
            return Tensor(run, None)
    return Tensor(run, tuple(found))
