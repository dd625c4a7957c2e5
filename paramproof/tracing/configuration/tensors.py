"""The shapes of the tensors that a constructor makes.

A shape is a tuple of sizes, a term for a list of sizes whose number is unknown, or None. What a
function of torch makes is found by running it on tensors without numbers, with a number in place of
each unknown size: a size of the result is what gives it for each of four choices of numbers. If
nothing does, the shape is unknown. A number that is read out of a tensor is ``opaque``. Neither may
reach the shape of a parameter, which is checked when tensors are written.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial, reduce
from itertools import product
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from paramproof.tracing.configuration.paths import Dict, Heap, List, Raised
from paramproof.tracing.configuration.terms import MISSING, Term, Unknown, Value, instead, term
from paramproof.tracing.configuration.values import Method, unknown

if TYPE_CHECKING:
    from paramproof.tracing.configuration.modules import ModelInterpreter

SIZED = frozenset({"empty", "zeros", "ones", "randn", "rand", "empty_strided"})
"""Functions that take the shape of what they make."""

PRIMES = [one for one in range(211, 800) if all(one % two for two in range(2, 29))]

FLOATS = 0.5, 3.5, 41.5, 7.25
TURNS = len(FLOATS)
"""How many choices of numbers a function runs with."""

OPERATIONS: dict[str, tuple[ast.operator, Callable[[int, int], int]]] = {
    "+": (ast.Add(), operator.add),
    "-": (ast.Sub(), operator.sub),
    "*": (ast.Mult(), operator.mul),
    "//": (ast.FloorDiv(), operator.floordiv),
}


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


def shape_of(run: ModelInterpreter, value: Value) -> Value:
    """Return the shape of a tensor that is made of numbers and lists of them."""
    if isinstance(value, Tensor):
        return value.shape
    if not is_list(run, value):
        known = not isinstance(value, Term) or run.kind_of(value) in (int, float, bool)
        return () if known or run.kinds_of(value) in ({"int"}, {"int", "float"}) else None
    items = run.items(value)
    if items is None:
        declared = run.declared.get(value) if isinstance(value, Term) else None
        flat = [term(op, term(kind)) for op in ("list", "tuple") for kind in ("int", "float")]
        return (run.length(value),) if declared in flat else None
    inner = shape_of(run, items[0]) if items else ()
    return None if not isinstance(inner, tuple) else (len(items), *inner)


def torch_function(run: ModelInterpreter, name: str, args: Sequence[Value], named: Dict) -> Value:
    """Return what a function of torch makes."""

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
        return Tensor(run, concatenated(run, run.items(args[0]), given(1, "dim", 0)))
    if name == "normal" and (size := run.lookup(named, "size")) is not MISSING:
        if not is_list(run, size):
            raise Raised("a size that is no list")
        return Tensor(run, sizes(run, [size]))
    return applied(run, getattr(torch, name, None), args, named)


def concatenated(run: ModelInterpreter, parts: list[Value] | None, dim: Value) -> Value:
    shapes = [one.shape for one in parts or () if isinstance(one, Tensor)]
    if not shapes or len(shapes) < len(parts or ()):
        return None
    if not all(isinstance(one, tuple) for one in shapes):
        return None
    at = dim % len(shapes[0])
    size = reduce(partial(run.binary, ast.Add()), [one[at] for one in shapes])
    return (*shapes[0][:at], size, *shapes[0][at + 1 :])


def stored(run: ModelInterpreter, role: str, data: Value, trains: Value) -> Value:
    if data is not None and not isinstance(data, Tensor):
        raise Unknown(f"a parameter of {data!r:.60}")
    shape = (0,) if data is None else data.shape
    return Tensor(run, shape, role, run.truth(trains))


def tensor_attribute(run: ModelInterpreter, owner: Tensor, name: str) -> Value:
    match name:
        case "shape" if isinstance(owner.shape, tuple):
            return owner.shape
        case "data" | "real":
            return owner
        case "T":
            return applied(run, torch.t, [owner], Dict(()))
        case "requires_grad":
            return owner.own[name]
        case "is_meta":
            return True
        case "shape" | "dtype" | "device" | "ndim" if name != "ndim" or owner.shape is None:
            return term("opaque", name)
        case "grad":
            return None
        case "ndim":
            return len(owner.shape)
    return Method(owner, name) if hasattr(nn.Parameter, name) else MISSING


def tensor_method(
    run: ModelInterpreter, owner: Tensor, name: str, args: Sequence[Value], named: Dict
) -> Value:
    match name:
        case "requires_grad_":
            run.write(owner, "requires_grad", run.truth(args[0] if args else True))
            return owner
        case "item" | "tolist":
            return term("opaque", name) if name == "item" else List(run.path, term("opaque", name))
        case "register_hook":
            return None
        case "size" if not args:
            return tensor_attribute(run, owner, "shape")
        case "view" | "reshape":
            return Tensor(run, reshaped(run, owner.shape, sizes(run, args)))
    if name.endswith("_") and not name.startswith("_"):
        return owner
    return applied(run, getattr(torch.Tensor, name), [owner, *args], named)


def reshaped(run: ModelInterpreter, shape: Value, wanted: Value) -> Value:
    if not isinstance(wanted, tuple) or -1 not in wanted:
        return wanted
    if not isinstance(shape, tuple):
        return None
    whole = partial(reduce, partial(run.binary, ast.Mult()))
    rest = whole([one for one in wanted if one != -1], 1)
    size = run.binary(ast.FloorDiv(), whole(shape, 1), rest)
    return tuple(size if one == -1 else one for one in wanted)


# Functions that run with numbers in place of unknown sizes


class _Unreadable(Exception):
    """A value has nothing that may stand in its place, or a size none of the forms known here."""


class _Numbers:
    """Puts numbers in place of unknown sizes, and reads sizes of results."""

    def __init__(self, run: ModelInterpreter) -> None:
        self.run = run
        self.symbols: dict[Term, None] = {}
        """The unknown sizes, also those inside of others."""
        self.constants: dict[int, None] = {}
        self.turn = 0

    def number(self, value: Term) -> int:
        self.symbols.setdefault(value)
        # A quotient is a size of its own unless the divisor is small: it might be 0 at each turn.
        is_quotient = value.op == "//" and not (type(value.args[1]) is int and value.args[1] < 65)
        if value.op in OPERATIONS and self.run.kind_of(value) is int and not is_quotient:
            sizes = [self.number(one) if isinstance(one, Term) else one for one in value.args]
            return OPERATIONS[value.op][1](*sizes)
        place = list(self.symbols).index(value)
        at = place * 37 % len(PRIMES)
        # Of each order, with and without small factors, and less than most known sizes.
        other = 4 * PRIMES[(11 * at + 5) % len(PRIMES)] + 1
        return (PRIMES[at], 6 * PRIMES[-1 - at], place + 2, other)[self.turn]

    def of(self, value: Value) -> Any:  # noqa: C901 - a case for each kind of value
        """Return what stands for a value; every unknown number differs from turn to turn."""
        run = self.run
        if isinstance(value, Tensor):
            if not isinstance(value.shape, tuple):
                raise _Unreadable
            return torch.empty(tuple(map(self.of, value.shape)), device="meta")
        if isinstance(value, slice):
            return slice(*map(self.of, (value.start, value.stop, value.step)))
        if isinstance(value, Term) and value.op == "opaque":
            settings = {"dtype": torch.float32, "device": torch.device("meta")}
            return settings.get(value.args[0], FLOATS[self.turn])
        if isinstance(value, List | list | tuple) or is_list(run, value):
            if (items := run.items(value)) is None:
                raise _Unreadable
            return (
                type(value)(map(self.of, items))
                if isinstance(value, tuple)
                else [self.of(one) for one in items]
            )
        if isinstance(value, Term):
            if run.kind_of(value) not in (int, None):
                if run.kind_of(value) is not float:
                    raise _Unreadable
                return FLOATS[self.turn]
            return self.number(value)
        if type(value) is int:
            self.constants.setdefault(value)
        if unknown(value):
            raise _Unreadable
        return value

    def read(self, results: Sequence[Any]) -> Value:
        """Return what is the same about the results of all turns."""
        first = results[0]
        if isinstance(first, torch.Tensor):
            shapes = [tuple(one.shape) for one in results]
            if len({*map(len, shapes)}) > 1:
                raise _Unreadable
            return Tensor(self.run, tuple(map(self.size, zip(*shapes, strict=True))))
        if isinstance(first, list | tuple):
            return tuple(map(self.read, zip(*results, strict=True)))
        if type(first) is int:
            return self.size(results)
        return first if all(one is first for one in results) else term("opaque", "result")

    def size(self, found: Sequence[int]) -> Value:
        if len({*found}) == 1:
            return found[0]
        for numbers, make in self.forms():
            if [*numbers] == [*found]:
                return make()
        raise _Unreadable

    def forms(self) -> Iterator[tuple[Iterable[int], Callable[[], Value]]]:
        """Yield what a size of a result may be: a size, or an operation on two or all of them."""
        symbols, binary = [*self.symbols], self.run.binary
        known: dict[Value, list[int]] = {one: [one] * TURNS for one in self.constants}
        known |= {one: [] for one in symbols}
        for self.turn in range(TURNS):
            for one in symbols:
                known[one].append(self.number(one))
        for size, numbers in known.items():
            yield numbers, partial(self.run.settle, size)
        for one, other in product(known, repeat=2):
            for sign in "+", "*", "-":
                node, operation = OPERATIONS[sign]
                yield map(operation, known[one], known[other]), partial(binary, node, one, other)
            if 0 not in known[other]:
                rounded = [-(-a // b) for a, b in zip(known[one], known[other], strict=True)]
                yield rounded, partial(rounded_up, self.run, one, other)
        if symbols:
            numbers = [math.prod(known[one][turn] for one in symbols) for turn in range(TURNS)]
            yield numbers, partial(reduce, partial(binary, ast.Mult()), symbols)


def rounded_up(run: ModelInterpreter, one: Value, other: Value) -> Value:
    up = run.binary(ast.Sub(), run.binary(ast.Add(), one, other), 1)
    return run.binary(ast.FloorDiv(), up, other)


def applied(run: ModelInterpreter, function: Any, args: Sequence[Value], named: Dict) -> Value:
    """Return what a function of torch makes of tensors, sizes and settings."""
    numbers = _Numbers(run)
    left = {key: one for key, one in named.own.items() if key not in ("device", "dtype", "out")}
    results = []
    try:
        for numbers.turn in range(TURNS):
            stand = [numbers.of(one) for one in args], {k: numbers.of(v) for k, v in left.items()}
            with torch.device("meta"):
                results.append(function(*stand[0], **stand[1]))
        return numbers.read(results)
    except (_Unreadable, RuntimeError, TypeError, ValueError, IndexError, NotImplementedError):
        return Tensor(run, None)


def tensor_item(run: ModelInterpreter, owner: Tensor, index: Value) -> Value:
    return applied(run, operator.getitem, [owner, index], Dict(()))


def joined(run: ModelInterpreter, left: Value, right: Value) -> Value:
    """Return the tensor of arithmetic on two values, at least one of which is a tensor."""
    shapes = [one.shape if isinstance(one, Tensor) else () for one in (left, right)]
    if shapes[0] == shapes[1] or shapes[1] == ():
        return Tensor(run, shapes[0])
    if shapes[0] == ():
        return Tensor(run, shapes[1])
    return applied(run, operator.add, [left, right], Dict(()))
