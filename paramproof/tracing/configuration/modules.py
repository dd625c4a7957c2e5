"""Run constructors of torch's modules with unknown values.

A module has attributes, as any object of the interpreter, and those that torch registers:
parameters, buffers and inner modules. A list of layers is a list; over an unknown number of
layers it is a ``comp``, whose element is one module with sizes in the index of the loop.

The constructors of torch's modules run as other code does. Functions that fill tensors with
numbers, move them or watch them change no shape and are left out.
"""

from __future__ import annotations

import ast
import collections
import copy
import inspect
import operator
import re
import weakref
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache, partial, reduce
from typing import Any

from torch import nn

from paramproof.tracing.configuration import containers, tensors
from paramproof.tracing.configuration.containers import RETURNING, is_skipped
from paramproof.tracing.configuration.functions import MODELS
from paramproof.tracing.configuration.interpreter import Interpreter
from paramproof.tracing.configuration.layers import (
    DICTS,
    IMAGES,
    INNER,
    LISTS,
    Module,
    Renamer,
    at_turn,
    copied,
    image_of,
    items_at,
    mentions_module,
    reached,
    without_opaque,
)
from paramproof.tracing.configuration.paths import Dict, Heap, List, Raised, source_of
from paramproof.tracing.configuration.statements import COLLECTED, LOST, Loop, assigned
from paramproof.tracing.configuration.tensors import Tensor
from paramproof.tracing.configuration.terms import (
    KINDS,
    MISSING,
    Term,
    Unknown,
    Value,
    both,
    choose,
    inside,
    instead,
    is_op,
    is_truth,
    leaves,
    mentions,
    negate,
    present,
    term,
)
from paramproof.tracing.configuration.values import Closure, Method, unknown

CACHED = type(lru_cache(lambda: None))


class ModuleInterpreter(Interpreter):
    """Runs constructors of torch's modules."""

    is_live = False
    left_out = re.compile(r"torch\.(nn\.init|_C|compiler)")
    """Modules whose functions fill tensors or watch them, and no more."""

    def __init__(self, *of: Any) -> None:
        super().__init__(*of)
        self.models = {**MODELS, **MODULE_MODELS}
        self.named = {"weight_norm": containers.weight_norm}
        """Functions of a name, of which there are several."""

    # Attributes of modules and tensors

    def attribute_of(self, owner: Value, name: str) -> Value:
        if isinstance(owner, Module):
            if name == "__init__":
                raise Unknown("a module that is made again")
            if isinstance(name, Term) and self.is_live:
                found = term("opaque", "module")
                return choose(term("truth", found), found, MISSING)
            return self.attribute_of_module(owner, name)
        if isinstance(owner, Tensor):
            return tensors.tensor_attribute(self, owner, name)
        if is_op(owner, "opaque"):
            return owner
        return super().attribute_of(owner, name)

    def attribute_of_module(self, owner: Module, name: str) -> Value:
        found = owner.own.get(name, MISSING)
        if present(found) is True:
            return found
        if name == "__class__":
            return owner.kind
        if name in ("dtype", "device"):
            return term("opaque", name)
        static = inspect.getattr_static(owner.kind, name, MISSING)
        return instead(found, self.bound(static, owner))

    def bound(self, found: Any, owner: Any) -> Value:
        is_named = is_native(found) and found.__name__ != "__init__"
        return Method(owner, found.__name__) if is_named else super().bound(found, owner)

    def set_attribute(self, owner: Value, name: Value, value: Value) -> None:
        if isinstance(owner, Tensor):
            if name == "requires_grad":
                self.write(owner, name, self.truth(value))
            elif name == "data" and isinstance(value, Tensor):
                self.touch(owner)
                owner.shape = choose(self.since(owner.birth), value.shape, owner.shape)
        elif isinstance(owner, Module) and isinstance(name, Term):
            self.add_items(owner.named, (term("entry", name, value),))
        elif isinstance(owner, Module):
            static = inspect.getattr_static(owner.kind, name, None)
            if isinstance(static, property) and static.fset:
                self.call(static.fset, [owner, value])
            else:
                self.write(owner, name, value)
        elif not is_op(owner, "opaque") or mentions_module(value):
            super().set_attribute(owner, name, value)

    def set_item(self, holder: Value, index: Value, value: Value) -> None:
        if isinstance(holder, Module) and issubclass(holder.kind, DICTS):
            self.set_attribute(holder, index, value)
        elif isinstance(holder, Tensor):
            tensors.set_item(self, holder, index, value)
        elif not is_op(holder, "opaque"):
            super().set_item(holder, index, value)

    def subscript_of(self, holder: Value, index: Value) -> Value:
        if isinstance(holder, Tensor):
            return tensors.item_of(self, holder, index)
        items = holder.items if isinstance(holder, List) else holder
        if is_op(items, "opaque"):
            return List(self.path, items) if isinstance(index, slice) else items
        if isinstance(holder, Module):
            if issubclass(holder.kind, DICTS) and isinstance(index, str):
                return self.require(holder.own.get(index, MISSING), index)
            if isinstance(index, slice) or not issubclass(holder.kind, LISTS):
                raise Unknown("an item of a module")
            return self.subscript_of(holder.layers, index)
        is_layers = isinstance(holder, List) and mentions_module(items)
        if is_layers and (self.items(holder) is None or unknown(index)):
            of = self.some_layers if isinstance(index, slice) else self.layer
            return of(items, index)
        return super().subscript_of(holder, index)

    def lookup(self, holder: Dict, key: Value) -> Value:
        if not unknown(key) or holder.base is not None:
            return super().lookup(holder, key)
        found: Value = MISSING
        for name, value in holder.own.items():
            pairs = zip(name, key, strict=True) if isinstance(key, tuple) else [(name, key)]
            is_it: Value = True
            for one, wanted in pairs:
                if isinstance(one, bool) and is_truth(wanted):
                    is_it = both(is_it, self.known(choose(one, wanted, negate(wanted))))
                else:
                    is_it = both(is_it, self.compared(ast.Eq(), wanted, one))
            found = choose(is_it, value, found)
        return found

    def some_layers(self, items: Value, index: slice) -> Value:
        """Return some of the items of a list of layers, which keep what they are."""
        given = index.start, index.stop, index.step
        match items, given:
            case (
                Term(op="comp", args=(depth, source, element, True)),
                (None, None, -1) | (None | 0, _, None),
            ):
                turn = before = term("turn", depth)
                if index.step:
                    before = self.binary(ast.Sub(), self.length(source), term("+", turn, 1))
                part = term("slice", source, *map(self.frozen, given))
                image = Renamer({turn: before}, image_of).of(element)
                return List(self.path, term("comp", depth, part, image, True))
        raise Unknown(f"some of the layers {items!r:.80}")

    def layer(self, items: Value, index: Value) -> Value:
        """Return an item of a list of layers of an unknown number."""
        match items:
            case Term(op="comp", args=(depth, source, element, True)):
                at, length = index, self.length(source)
                if isinstance(index, int):
                    at = term("+", length, index) if index < 0 else index
                    needed = self.compared(ast.Gt(), length, ~index if index < 0 else index)
                    self.refuse("no such layer", negate(self.truth(needed)))
                turn = term("turn", depth)
                changes = {turn: at, **items_at(source, term("item", depth), at)}
                when = term("==", turn, at)
                return Renamer(changes, lambda one: image_of(one, when)).of(element)
            case Term(op="concat", args=(Term(op="list", args=(first, more)),)) if (
                isinstance(index, int) and index >= 0
            ):
                length = self.length(first)
                return self.both_sides(
                    self.truth(self.compared(ast.Gt(), length, index)),
                    lambda: self.subscript(List((), first), index),
                    lambda: self.subscript(List((), more), self.binary(ast.Sub(), index, length)),
                )
        raise Unknown(f"an item of layers {items!r:.80}")

    def touch(self, holder: Heap) -> None:
        if holder in IMAGES:
            raise Unknown("a change of one layer of an unknown number")
        super().touch(holder)

    def write(self, holder: Heap, key: Any, value: Value) -> None:
        if holder not in IMAGES:
            return super().write(holder, key, value)
        of, when = IMAGES[holder]
        if when is MISSING or is_of_loop(when.args[1]) or isinstance(key, Term):
            self.touch(holder)
        holder.own[key] = choose(self.since(holder.birth), value, holder.own.get(key, MISSING))
        with self.assuming(when):
            return self.write(of, key, value)

    def built(self, module: nn.Module) -> Module:
        """Return a module that exists already, with what it says of itself."""
        made = Module(self.path, type(module))
        made.own |= {name: one for name, one in vars(module).items() if name[0] != "_"}
        for name, one in module.named_parameters(recurse=False):
            made.own[name] = Tensor(self, tuple(one.shape), "parameter", one.requires_grad)
        for name, buffer in module.named_buffers(recurse=False):
            made.own[name] = Tensor(self, tuple(buffer.shape))
            made.buffers[name] = name not in module._non_persistent_buffers_set
        made.own |= {name: self.built(one) for name, one in module.named_children()}
        return made

    # Values

    def frozen(self, value: Value) -> Value:
        if isinstance(value, Module) and issubclass(value.kind, LISTS):
            return self.frozen(value.layers)
        if is_op(value, "entry") or isinstance(value, Module | Tensor) or callable(value):
            return value
        return super().frozen(value)

    def held(self, value: Value) -> Value:
        held = super().held
        return leaves(value, lambda one: one if isinstance(one, Module | Tensor) else held(one))

    def items(self, value: Value) -> list[Value] | None:
        value = self.settle(value)
        if isinstance(value, Module):
            if not issubclass(value.kind, LISTS):
                raise Unknown("the items of a module")
            value = value.layers
        return None if isinstance(value, Tensor) else super().items(value)

    def truth(self, value: Value) -> Value:
        opaque = term("opaque", "truth")
        return super().truth(leaves(value, lambda one: opaque if isinstance(one, Tensor) else one))

    def kind_of(self, value: Value) -> Any:
        if isinstance(value, Module):
            return value.kind
        if isinstance(value, Tensor):
            return nn.Parameter if value.role == "parameter" else nn.Buffer
        if is_op(value, "opaque"):
            return None if value.args[0] == "module" else float
        if is_op(value, "+") and {list, tuple} & {*map(self.kind_of, value.args)}:
            return list
        return super().kind_of(value)

    def binary_of(self, op: ast.operator, one: Value, other: Value) -> Value:
        if isinstance(one, Tensor) or isinstance(other, Tensor):
            function = operator.matmul if isinstance(op, ast.MatMult) else tensors.elementwise
            return tensors.applied(self, function, [one, other], Dict(()))
        for value in (one, other):
            if is_op(value, "opaque"):
                return value
        sign = type(op).__name__
        same = {(0, "Add"), (0, "Sub"), (1, "Mult"), (1, "FloorDiv")}
        if type(other) is int and self.kind_of(one) is int:
            if (other, sign) in same:
                return one
            if (other, sign) == (1, "Mod"):
                return 0
        return super().binary_of(op, one, other)

    def compared(self, op: ast.cmpop, left: Value, right: Value) -> Value:
        compared = super().compared
        if isinstance(op, ast.NotEq) and (isinstance(left, Tensor) or isinstance(right, Tensor)):
            op = ast.Eq()  # A tensor of the same shape.
        return self.pairs(left, right, lambda one, other: compared(op, one, other))

    def computed(self, sign: str, operation: Callable[..., Any], *args: Value) -> Value:
        if any(isinstance(one, Tensor) for one in args):
            return tensors.applied(self, tensors.elementwise, args, Dict(()))
        if any(is_op(one, "opaque") for one in args) and KINDS.get(sign) is not bool:
            return term("opaque", sign)
        return super().computed(sign, operation, *args)

    # Loops over layers and tensors

    def walk(self, source: Value) -> tuple[Value, Value]:
        match source:
            case Tensor(shape=(size, *rest)):
                return term("range", 0, size, 1), Tensor(self, tuple(rest))
            case Tensor():
                return term("opaque", "items"), Tensor(self, None)
            case Term(op="comp", args=(depth, inner, element, True)) if any(
                isinstance(one, Module | Tensor) or callable(one) for one in inside(element)
            ):
                if depth != self.depth:
                    raise Unknown("a loop over layers at another depth")
                return inner, element
            case Term(op="enumerate", args=(Term(op="comp") as comp, 0)) if mentions_module(comp):
                inner, element = self.walk(comp)
                return inner, (term("turn", self.depth), element)
        return without_opaque(source), super().walk(source)[1]

    def objects_in(self, item: Value) -> Collection[Heap]:
        return reached(item)

    def loop(self, target: ast.expr, source: Value, body: Sequence[ast.stmt]) -> Value:
        loop = super().loop
        source = self.settle(source)
        if isinstance(source, Term) and any(isinstance(one, List) for one in source.args):
            return self.each(source, lambda one: loop(target, one, body))
        return loop(target, source, body)

    def fold(self, target: ast.expr, source: Value, body: Sequence[ast.stmt]) -> None:
        match source, body:
            case (
                Term(op="range", args=(0, stop, 1)),
                [ast.Assign(targets=[ast.Attribute(owner, name)], value=ast.Constant(None))],
            ) if not self.depth and any(isinstance(x, ast.Subscript) for x in ast.walk(owner)):
                # It is set in one layer in each turn, and no turn may read another.
                item = term("item", INNER)
                self.assign(target, item)
                image = IMAGES.get(self.eval(owner))
                self.assign(target, LOST)
                match image:
                    case of, Term(op="==", args=(turn, Term(op="+", args=(at, 1)))) if at is item:
                        end = self.binary(ast.Add(), stop, 1)
                        is_after = self.compared(ast.GtE(), turn, 1)
                        with self.assuming(both(is_after, self.compared(ast.Lt(), turn, end))):
                            return self.write(of, name, None)
        frame = self.frames[-1]
        if COLLECTED not in frame.own:
            # Names that the loop assigns, and its function reads after it, may be absent before.
            last = max(one.end_lineno or 0 for one in body)
            every = ast.walk(source_of(frame.function.__code__))
            after = {one.id for one in every if isinstance(one, ast.Name) and one.lineno > last}
            for name in assigned(target, *body) & after:
                if frame.own.get(name, LOST) is LOST:
                    frame.own[name] = MISSING
        return super().fold(target, source, body)

    def after_loop(self, loop: Loop, number: int) -> Value:
        found, _ = loop.collected(number)
        if not mentions_module(found):
            return super().after_loop(loop, number)
        changes = {
            term("state", loop.depth, other): at_turn(loop, other)
            for other in range(len(loop.nexts))
            if other != number
        }
        found = Renamer(changes).of(found)
        if is_op(found, "slice"):
            return self.some_layers(found.args[0], slice(None, None, -1)).items
        return found

    def statement(self, node: ast.stmt) -> Value:
        match node:
            case ast.Assert(test=test):
                error = ast.copy_location(ast.Raise(), node)
                return self.branch(negate(self.truth(self.eval(test))), [error], [])
            case ast.With(body=body):
                return self.block(body)
            case ast.While(body=body, orelse=[]):
                # A number of turns that is computed, as of a loop over what is read of a tensor.
                return self.loop(ast.Name("while", ast.Store()), term("opaque", "while"), body)
        return super().statement(node)

    def augmented(self, op: ast.operator, old: Value, value: Value) -> Value:
        return old if isinstance(old, Tensor) else super().augmented(op, old, value)

    # Calls

    def eval_call(self, node: ast.Call) -> Value:
        if any(isinstance(one, ast.Starred) for one in node.args):
            function = self.eval(node.func)
            if function is nn.Sequential or is_torch(function):
                return self.call(function, [self.eval(ast.List(node.args))])
        return super().eval_call(node)

    def call(self, function: Value, args: Sequence[Value], named: Dict | None = None) -> Value:
        named = named or Dict(self.path)
        if isinstance(function, CACHED):
            function = function.__wrapped__
        if inspect.isclass(function) and issubclass(function, nn.Module):
            return self.make(function, args, named)
        if is_op(function, "opaque"):
            # What an object makes that is not understood may be a module.
            return term("opaque", "module") if function.args[0] == "object" else function
        if not callable(function) and not isinstance(function, Closure | Method | Term):
            raise Raised(f"a call of {function!r:.60}")
        name = getattr(function, "__name__", "")
        if inspect.isroutine(function) and name in self.named:
            return self.named[name](self, function, args, named)
        if inspect.isfunction(function) or inspect.isbuiltin(function):
            is_left_out = self.left_out.fullmatch(str(function.__module__))
            if is_left_out or is_skipped(name):
                return args[0] if args and (is_left_out or name in RETURNING) else None
            if name.startswith("is_") and name.endswith("_available"):
                return self.native(function, *args)
            if function.__qualname__.startswith("_ntuple.<locals>"):
                return self.repeated(args[0], inspect.getclosurevars(function).nonlocals["n"])
        return self.call_known(function, args, named)

    def call_known(self, function: Value, args: Sequence[Value], named: Dict) -> Value:
        """Call a function that is not left out."""
        if is_torch(function):
            return tensors.torch_function(self, function, args, named)
        return super().call(function, args, named)

    def call_method(self, owner: Value, name: str, args: Sequence[Value], named: Dict) -> Value:
        if isinstance(owner, Module):
            return containers.module_method(self, owner, name, args, named)
        if isinstance(owner, Tensor):
            return tensors.tensor_method(self, owner, name, args, named)
        return super().call_method(owner, name, args, named)

    def call_other(self, function: Any, args: Sequence[Value], named: Dict) -> Value:
        is_math = getattr(function, "__module__", "") == "math"
        if is_math or function in (int, float, round, max, min, abs, sum):
            is_computed = any(isinstance(one, Tensor) or is_op(one, "opaque") for one in args)
            if is_computed or (is_math and unknown(args) and function not in self.models):
                return term("opaque", function.__name__)
        return super().call_other(function, args, named)

    def length(self, value: Value) -> Value:
        items = self.items(value)
        if items is not None:
            return len(items)
        match self.frozen(value):
            case Term(op="comp" | "enumerate", args=(_, source, _, True) | (source, _)):
                return self.length(source)
            case Term(op="range", args=(0, stop, 1)) if self.kind_of(stop) is int:
                return stop
            case Term(op="concat", args=(Term(op="list", args=args),)):
                lengths = [self.each(one, self.length) for one in args]
                return reduce(lambda found, one: self.binary(ast.Add(), one, found), lengths, 0)
            case found:
                return term("len", found)

    def repeated(self, value: Value, count: int) -> Value:
        """Return a value as often as a convolution has dimensions, or the items of a list."""

        def of(one: Value) -> Value:
            is_list = self.call(isinstance, [one, collections.abc.Iterable])
            items = self.items(one) if is_list is True else [one] * count
            if items is not None and isinstance(is_list, bool):
                return tuple(items)
            with self.assuming(is_list):
                self.refuse(None, negate(term("==", term("len", self.frozen(one)), count)))
            every = (partial(self.subscript, one, number) for number in range(count))
            return tuple(self.both_sides(is_list, item, lambda: one) for item in every)

        return self.each(value, of)

    def make(self, kind: Any, args: Sequence[Value], named: Dict) -> Value:
        made = Module(self.path, kind)
        self.call(kind.__init__, [made, *args], named)
        return made

    copied = copied

    def decided(self, value: Value) -> bool:
        found = self.truth(value)
        if not isinstance(found, bool):
            raise Unknown("a buffer that may be saved or not")
        return found


# Functions that are not run as they are written


def zipped(run: ModuleInterpreter, *values: Value, strict: bool = False) -> Value:
    if strict:
        lengths = [run.each(one, run.length) for one in values]
        for one in lengths[1:]:
            same = run.truth(run.compared(ast.Eq(), lengths[0], one))
            run.refuse("lists of other lengths", negate(same))
    return MODELS[zip](run, *values)


def get_attr(run: ModuleInterpreter, owner: Value, name: Value, *default: Value) -> Value:
    is_opaque = inspect.ismodule(owner) or (run.is_live and isinstance(owner, Module))
    if isinstance(name, Term) and is_opaque:
        return term("opaque", "module" if run.is_live else "attribute")
    return MODELS[getattr](run, owner, name, *default)


def signature(run: ModuleInterpreter, one: Value) -> Value:
    if isinstance(one, Method):
        one = partial(one.function, None)
    return one if isinstance(one, Term) else run.native(inspect.signature, one)


def is_callable(run: ModuleInterpreter, one: Value) -> bool:
    if isinstance(one, Term) and run.kind_of(one) in (None, float):
        raise Unknown(f"whether {one!r:.60} can be called")
    return isinstance(one, Module | Method | Closure) or callable(one)


def partial_of(run: ModuleInterpreter, function: Value, *args: Value, **named: Value) -> Value:
    """Return a function with some of its arguments, which only a user's code calls."""
    if not run.is_live:
        return term("opaque", "function")
    if isinstance(function, Method):
        function, args = function.function, (function.owner, *args)
    if not callable(function):
        raise Unknown("some of the arguments of a function inside of another")
    return partial(function, *args, **named)


MODULE_MODELS: dict[Any, Callable[..., Value]] = {
    **{kind.__init__: containers.fill for kind in (*LISTS, *DICTS)},
    nn.Module.__init__: lambda run, *_, **__: None,
    callable: is_callable,
    collections.OrderedDict: MODELS[dict],
    **dict.fromkeys((copy.copy, copy.deepcopy), lambda run, one, *_: run.each(one, run.copied)),
    partial: partial_of,
    getattr: get_attr,
    inspect.signature: signature,
    len: lambda run, value: run.each(value, run.length),
    weakref.ref: lambda run, *_: term("opaque", "reference"),
    zip: zipped,
}


def is_of_opaque(items: Value) -> bool:
    """Return whether a list has a length, and items of which nothing is known."""
    return is_op(items, "comp") and items.args[2] is tensors.NUMBER


def is_native(function: Any) -> bool:
    """Return whether a function is a method of torch's base class or of its containers."""
    native = "torch.nn.modules.module", "torch.nn.modules.container"
    return inspect.isfunction(function) and function.__module__ in native


def is_of_loop(value: Value) -> bool:
    return mentions(value, lambda one: one.op in ("item", "turn", "state"))


def is_torch(function: Any) -> bool:
    module = getattr(function, "__module__", None) or ""
    if module.startswith(("torch.nn.modules", "torch.nn.utils")):
        return False
    owner = getattr(function, "__self__", None)
    of_torch = inspect.ismodule(owner) and owner.__name__.startswith("torch")
    return (
        module.split(".")[0] in ("torch", "numpy") or of_torch or type(function).__name__ == "ufunc"
    )
