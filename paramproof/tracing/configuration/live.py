"""Run a function that returns a torch module with its sizes unknown.

What the interpreter does not follow costs the proof: it is ``Unknown``, with the line, and never
passed over. So classes whose objects do something else than Python's own are not followed, nor are
context managers, changes of objects that exist already, and functions without a rule or a source
that are given anything but constants.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import operator
import re
import sys
import types
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from os.path import basename
from typing import Any

import torch
from torch import nn

from paramproof.tracing.configuration.blocks import model_of, understood
from paramproof.tracing.configuration.containers import WALKS
from paramproof.tracing.configuration.layers import Module, mentions_module, reached
from paramproof.tracing.configuration.modules import (
    CACHED,
    ModuleInterpreter,
    is_of_loop,
    is_of_opaque,
    is_torch,
)
from paramproof.tracing.configuration.nodes import EMPTY, Data
from paramproof.tracing.configuration.paths import Dict, Frame, Heap, List, Raised, source_of
from paramproof.tracing.configuration.programs import Programs
from paramproof.tracing.configuration.reader_terms import check, model_term
from paramproof.tracing.configuration.statements import COLLECTED, LOST, assigned
from paramproof.tracing.configuration.tensors import Tensor
from paramproof.tracing.configuration.terms import (
    Term,
    Unknown,
    Value,
    facts_of,
    inside,
    is_op,
    mentions,
    negate,
    term,
)
from paramproof.tracing.configuration.values import Closure, Method, Super, unknown
from paramproof.tracing.constructors import Constructor

OWN_NAMES = """
__call__ __dict__ __eq__ __getattr__ __getitem__ __getstate__ __hash__ __init__ __init_subclass__
__iter__ __len__ __replace__ __repr__ __setstate__ __str__ __weakref__
"""
"""Methods with underscores that a class may define without doing something else than Python."""

DESCRIPTORS: tuple[type, ...] = (property, staticmethod, classmethod, types.FunctionType)
DESCRIPTORS += types.GetSetDescriptorType, CACHED
"""Types of attributes of a class that its objects read in a way that is followed, or denied."""


def is_text(one: Term) -> bool:
    """Return whether an operation makes or reads a text: few methods have other objects."""
    is_made = one.op in ("%", "*", "+") and str in map(type, one.args)
    return is_made or one.op in ("method", "str", "text")


NOT_READ = {"torch", "numpy", "transformers", *sys.stdlib_module_names} - {"__main__"}
"""Packages with rules of their own: what their functions do is known, or denied."""

REGISTER = "diffusers.configuration_utils.ConfigMixin.register_to_config"
"""What keeps the arguments of a model of diffusers, as attributes of an object of its own."""

UNCLEAR = (eval, exec, compile, open, globals, locals, vars, dir, input, id, hash)
"""Functions that read or change more than their arguments."""


def reads_text(one: Term) -> bool:
    """Return whether a text decides the shape of a parameter or the length of a loop."""
    is_buffer = "buffer" in str(one.args[:1])
    return is_op(one, "tensor", "comp") and not is_buffer and mentions(one.args[1], is_text)


PLAIN: tuple[type, ...] = (str, int, float, frozenset, type(None), type, types.ModuleType)
"""Types of values that no call changes, as it changes an iterator."""


def is_held(value: Value, deep: bool = True) -> bool:
    """Return whether a value is an object of the interpreter, or may have one in it."""
    if deep and isinstance(value, list | tuple | set | frozenset):
        return any(map(is_held, value))
    return isinstance(value, Heap | Method | Closure | Super | dict | partial)


def holds_module(value: Value) -> bool:
    """Return whether there is a module in a value, or in a list at any depth."""
    return any(
        isinstance(one, Module) or (isinstance(one, List) and holds_module(one.items))
        for one in inside(value)
    )


class Walked(List):
    """Modules or tensors inside of a module, each of which may represent an unknown number."""


def has_loops(module: Module) -> bool:
    """Return whether a module holds modules of an unknown number."""
    every = reached(module, "module")
    held = tuple((*one.own.values(), one.layers.items, one.named.items) for one in every)
    return any(isinstance(one, Term) and mentions_module(one) for one in inside(held))


def names_apart(module: Module) -> bool:
    """Return whether computed names in a module are numbered by one loop each, so none replaces."""
    every, names = [*inside(module.named.items)], list[str]()
    for depth, source, element, _ in (one.args for one in every if is_op(one, "comp")):
        turn, item = term("turn", depth), term("item", depth)
        counts = {"range": item, "enumerate": term("get", item, 0)}.get(source.op, turn)
        for name in (one.args[0] for one in inside(element) if is_op(one, "entry")):
            parts = name.args if is_op(name, "str", "text") else (name,)
            numbers = [
                one.args[0] if is_op(one, "+", "-") and type(one.args[1]) is int else one
                for one in parts
                if isinstance(one, Term)
            ]
            if numbers not in ([counts], [turn]):
                return False
            names.append("".join(one if isinstance(one, str) else "#" for one in parts))
    own = [re.sub(r"\d+", "#", one) for one in (*names, *module.own)]
    is_numbered = len(names) == sum(is_op(one, "entry") for one in every)
    return is_numbered and {*map(own.count, own[: len(names)])} <= {1}


class LiveInterpreter(ModuleInterpreter):
    """Runs functions of a user's packages, and of the libraries that they call."""

    is_live = True

    def __init__(self, sizes: Iterable[str]) -> None:
        super().__init__(("torch",))
        self.place = ("", 0)
        """The file and the line of the model's code that is running."""
        self.places: dict[Term, tuple[str, int]] = {}
        """Conditions that decided something, with the lines where they first did."""
        self.kept: dict[Any, Value] = {}
        """What functions with a cache made of known arguments."""
        self.sizes = {one: term("field", term("self"), one) for one in sizes}
        """The function's own sizes: each is an unknown int of at least 1."""
        for one in self.sizes.values():
            self.declared[one] = term("int")
            self.facts[0] |= facts_of(term(">", one, 0))

    # What is denied

    def native(self, function: Any, *args: Value, **named: Value) -> Value:
        """Call a function of Python with values that it may see as they are."""
        deep = function not in (iter, operator.getitem)  # These do not look at items.
        if any(is_held(one, deep) for one in (*args, *named.values())):
            name = getattr(function, "__name__", str(function))
            raise Unknown(f"what {name!s:.40} does with an object")
        return super().native(function, *args, **named)

    def bound(self, found: Any, owner: Any) -> Value:
        if isinstance(found, CACHED):
            raise Unknown("a method that keeps what it made")
        return super().bound(found, owner)

    def attribute_of_module(self, owner: Module, name: str) -> Value:
        is_found = name in owner.own or (hasattr(owner.kind, name) and name != "__dict__")
        finds = self.is_own(getattr(owner.kind, "__getattr__", None)) and name[:2] != "__"
        if not is_found and finds:
            raise Unknown(f"{name} of a {owner.kind.__name__}")
        if not is_found and self.items(owner.named) != []:
            raise Unknown(f"{name} beside attributes of unknown names")
        return super().attribute_of_module(owner, name)

    def truth(self, value: Value) -> Value:
        if is_op(value, "text") and any(
            self.kind_of(one) is int if isinstance(one, Term) else one for one in value.args
        ):
            return True
        if mentions(value, is_text):
            raise Unknown("what is asked of a text, or of a list, that depends on sizes")
        if isinstance(value, Module) and hasattr(value.kind, "__len__"):
            raise Unknown(f"{value.kind.__name__}.__len__")
        found = super().truth(value)
        if isinstance(found, Term) and self.place[0]:
            self.places.setdefault(found, self.place)
        return found

    def equal(self, one: Value, other: Value) -> Value:
        for value in (one, other):
            if isinstance(value, Module):
                raise Unknown(f"{value.kind.__name__}.__eq__")
        return super().equal(one, other)

    def lookup(self, holder: Dict, key: Value) -> Value:
        if isinstance(key, Module):
            raise Unknown(f"{key.kind.__name__}.__hash__")
        return super().lookup(holder, key)

    def items(self, value: Value) -> list[Value] | None:
        if isinstance(value, Walked):
            raise Unknown("layers of an unknown number, one by one")
        if hasattr(value, "__next__"):
            raise Unknown("an iterator")
        return super().items(value)

    def walk(self, source: Value) -> tuple[Value, Value]:
        return source.args[1:3] if is_of_opaque(source) else super().walk(source)

    # Code

    def loop(self, target: ast.expr, source: Value, body: Sequence[ast.stmt]) -> Value:
        if not isinstance(source, Walked):
            return super().loop(target, source, body)
        if any(isinstance(x, ast.Break | ast.Return) for one in body for x in ast.walk(one)):
            raise Unknown("what a loop over layers of an unknown number leaves behind")
        frame = self.frames[-1]
        if YIELDED in frame.own:
            frame.own[YIELDED].__class__ = Walked
        lost = dict.fromkeys(assigned(target, *body), LOST)
        for one in source.items:
            frame.own |= lost
            self.visit(one, partial(self.unrolled, target, [one], body))
        frame.own |= lost
        return True

    def visit(self, item: Value, run: Callable[[], object]) -> None:
        """Run code for an item that may represent several; the code may change nothing else."""
        allowed = {self.frames[-1], self.frames[-1].own.get(YIELDED), *reached(item)}
        start = next(Heap.serials)
        self.journal.append({})
        try:
            run()
        finally:
            touched = [holder for holder, _ in self.journal.pop().values()]
        if any(one not in allowed and one.serial < start for one in touched):
            raise Unknown("what a loop over layers of an unknown number leaves behind")

    def eval(self, node: ast.expr) -> Value:
        match node:
            case ast.NamedExpr() if COLLECTED in self.frames[-1].own:
                raise Unknown("a name that a comprehension assigns")
            case ast.Yield(value=ast.expr() as value):
                return self.add_items(self.frames[-1].own[YIELDED], (self.eval(value),))
            case ast.YieldFrom(value=value):
                return self.add_items(self.frames[-1].own[YIELDED], self.eval(value))
        return super().eval(node)

    def statement(self, node: ast.stmt) -> Value:
        function = self.frames[-1].function
        if not self.is_own(function):
            return super().statement(node)
        outer, self.place = self.place, (function.__code__.co_filename, node.lineno)
        try:
            return self.own_statement(node)
        except Unknown as error:
            error.place = error.place or f"{basename(self.place[0])}:{node.lineno}"
            raise
        finally:
            self.place = outer

    def own_statement(self, node: ast.stmt) -> Value:
        if self.is_denied(node):
            raise Unknown(f"the statement {ast.unparse(node).splitlines()[0]:.60}")
        return self.attempt(node) if isinstance(node, ast.Try) else super().statement(node)

    def is_denied(self, node: ast.stmt) -> bool:
        match node:
            case ast.With(items=items):
                held = [one.optional_vars or self.eval(one.context_expr) for one in items]
                return {type(one).__module__.partition(".")[0] for one in held} != {"torch"}
            case ast.Assign(value=ast.GeneratorExp()) | ast.AnnAssign(value=ast.GeneratorExp()):
                return True
            case ast.FunctionDef(decorator_list=decorators):
                return bool(decorators)
        return isinstance(node, ast.Global | ast.Nonlocal | ast.While)

    def branch(self, test: Value, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt]) -> Value:
        calls = [(one.function, one.parent) for one in self.frames]
        if calls.count(calls[-1]) > 1 and not self.depth and not isinstance(test, bool):
            raise Unknown("a branch of a function that calls itself")
        return super().branch(test, body, orelse)

    def attempt(self, node: ast.Try) -> Value:
        """Run what raises no error, whatever the sizes are; errors of types are not theirs."""
        kinds = [one.type and ast.unparse(one.type) for one in node.handlers]
        if kinds != ["TypeError"] or node.finalbody:
            return super().statement(node)
        before = len(self.refusals)
        with suppress(Raised):
            after = self.block([*node.body, *node.orelse])
            if len(self.refusals) == before:
                return after
        raise Unknown("an error that is handled")

    # Calls

    def call(self, function: Value, args: Sequence[Value], named: Dict | None = None) -> Value:
        named = named or Dict(self.path)
        if any(function is one for one in UNCLEAR):
            raise Unknown(f"a call of {function.__name__}")
        if isinstance(function, CACHED):
            return self.call_cached(function, args, named)
        inner = ast.walk(function.node) if isinstance(function, Closure) else ()
        if any(isinstance(one, ast.Yield | ast.YieldFrom) for one in inner):
            raise Unknown("a generator inside of a function")
        if isinstance(function, partial):
            given = Dict(self.path, named.base, {**function.keywords, **named.own})
            return self.call(function.func, [*function.args, *args], given)
        if isinstance(function, Module):
            call = inspect.getattr_static(function.kind, "__call__", None)
            if not inspect.isfunction(call) or issubclass(function.kind, nn.Module):
                raise Unknown(f"a call of a {function.kind.__name__}")
            return self.call(call, [function, *args], named)
        if self.is_own(function):
            return self.call_own(function, args, named)
        return super().call(function, args, named)

    def call_cached(self, function: Any, args: Sequence[Value], named: Dict) -> Value:
        """Call a function that gives the same object again for the same arguments."""
        key = function, *args, *named.own.items()
        if key in self.kept:
            return self.kept[key]
        found = self.call(function.__wrapped__, args, named)
        if not (self.path or self.depth or unknown([*args, named])):
            self.kept[key] = found
        elif any(map(is_held, inside(found))):
            raise Unknown("a function that keeps what it made")
        return found

    def call_own(self, function: Value, args: Sequence[Value], named: Dict) -> Value:
        """Call what the user's packages define."""
        if inspect.isfunction(function):
            if f"{function.__module__}.{function.__qualname__}" == REGISTER:
                owner, kind = args[0], function.__globals__["FrozenDict"]
                config = Module(self.path, kind)
                config.own = {**named.own}
                return self.set_attribute(owner, "_internal_dict", config)
            frame = Frame(self.path, function)
            self.bind(frame, function, args, named)
            if function.__code__.co_flags & inspect.CO_GENERATOR:
                frame.own[YIELDED] = List(self.path)
            found = self.run(frame, source_of(function.__code__).body)
            return frame.own.get(YIELDED, found)
        if inspect.isclass(function) and issubclass(function, nn.Module):
            self.refuse_customs(function)
        elif inspect.isclass(function) and not issubclass(function, BaseException):
            return self.plain(function, args, named)
        return super().call(function, args, named)

    def call_known(self, function: Value, args: Sequence[Value], named: Dict) -> Value:
        if function is torch._assert:
            return self.refuse("an assertion of torch", negate(self.truth(args[0])))
        if is_torch(function) and any(map(holds_module, (*args, *named.own.values()))):
            name = getattr(function, "__name__", str(function))
            raise Unknown(f"what {name!s:.40} does with a module")
        return super().call_known(function, args, named)

    def call_method(self, owner: Value, name: str, args: Sequence[Value], named: Dict) -> Value:
        if isinstance(owner, Tensor):
            default = getattr(getattr(torch.ops.aten, name, None), "default", None)
            is_view = torch.Tag.inplace_view in getattr(default, "tags", ())
            if is_view or name in ("resize_", "resize_as_", "set_"):
                raise Unknown(f"the method {name} of a tensor")
        if isinstance(owner, Module) and name == "apply":
            for one in reached(owner, "module"):
                self.visit(one, partial(self.call, args[0], [one]))
            return owner
        found = super().call_method(owner, name, args, named)
        if isinstance(owner, Module) and name.removeprefix("named_") in WALKS and has_loops(owner):
            return Walked(self.path, found.items)
        return found

    def is_own(self, of: Any) -> bool:
        """Return whether something is of a package whose source is read."""
        package = (getattr(of, "__module__", "") or "").partition(".")[0]
        return bool(package) and package not in NOT_READ

    def refuse_customs(self, kind: type) -> None:
        """Raise ``Unknown`` for a class whose objects are made or read in a way of their own."""
        for one in filter(self.is_own, kind.__mro__):
            for name, value in vars(one).items():
                is_special = name[:2] == name[-2:] == "__" and name not in OWN_NAMES.split()
                is_read = hasattr(type(value), "__get__")
                is_known = type(value) in DESCRIPTORS or not is_read
                if not is_known or (is_special and (is_read or callable(value))):
                    raise Unknown(f"{one.__name__}.{name}")
        if self.is_own(type(kind)):
            raise Unknown(f"the class of {kind.__name__}")

    def plain(self, kind: type, args: Sequence[Value], named: Dict) -> Value:
        """Return an object that is not a module."""
        is_value = issubclass(kind, tuple) or type(kind).__name__ == "EnumType"
        if is_value and not unknown([*args, named]):
            return self.native(kind, *args, **named.own)
        if issubclass(kind, (list, dict, set, str, int, float, tuple)):
            raise Unknown(f"an object of {kind.__name__}")
        self.refuse_customs(kind)
        made = Module(self.path, kind)
        init = kind.__init__
        if dataclasses.is_dataclass(kind) and init.__code__.co_filename == "<string>":
            frame = Frame(self.path, init)
            self.bind(frame, init, [made, *args], named)
            for field in dataclasses.fields(kind):
                value = frame.own[field.name]
                is_made = type(value).__name__ == "_HAS_DEFAULT_FACTORY_CLASS"
                made.own[field.name] = self.call(field.default_factory, []) if is_made else value
        elif init is not object.__init__:
            self.call(init, [made, *args], named)
        return made

    def call_other(self, function: Any, args: Sequence[Value], named: Dict) -> Value:
        try:
            return super().call_other(function, args, named)
        except Unknown:
            values = [getattr(function, "__self__", None), *args, *named.own.values()]
            is_known = callable(function) and named.base is None and not unknown(values)
            if not is_known or not all(isinstance(one, PLAIN) for one in values):
                raise
            return self.boxed(self.native(function, *args, **named.own))


class Live(Programs):
    """The result of a function, as a catalogue of one model, whose configuration is its sizes.

    Raises ``Unknown`` if it is not followed. ``unclear`` says what is not followed at some sizes,
    and ``places`` has the lines of the conditions that decide something.
    """

    def __init__(self, constructor: Constructor) -> None:
        super().__init__()
        self.name, self.sizes = constructor.name, constructor.sizes
        run = LiveInterpreter(self.sizes)
        with understood():
            made = run.call(constructor.function, [], Dict((), None, run.sizes))
            self.made = model_of(run, made)
            if not all(map(names_apart, reached(made, "module"))):
                raise Unknown("names that may be alike")
            if mentions(self.made.module, reads_text):
                raise Unknown("a number that is read from a text")
        self.unclear = [str(why) for why in run.refusals.values() if isinstance(why, Unknown)]
        self.places = {one: place for one, place in run.places.items() if not is_of_loop(one)}

    def rules(self, name: str) -> Data | None:
        if name != "sizes":
            return None
        return {**EMPTY, "keys": {k: [check(term("int")), size] for k, size in self.sizes.items()}}

    def model(self, name: str) -> Any:
        return model_term(self.made) if name == self.name else super().model(name)


YIELDED = "_yielded"
"""The name of the list of what a generator yields."""
