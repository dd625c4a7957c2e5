"""Run a function that returns a torch module with its sizes unknown.

What the interpreter does not follow costs the proof: it is ``Unknown``, with the line, and never
passed over. So classes whose objects do something else than Python's own are not followed, nor are
context managers, changes of objects that exist already, and functions without a rule or a source
that are given anything but constants.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import operator
import sys
import types
from collections.abc import Callable, Sequence
from os.path import basename
from typing import Any

import torch
from torch import nn

from paramproof.catalogue.program import Part
from paramproof.tracing.configuration.blocks import is_computed, model_of, understood
from paramproof.tracing.configuration.interpreter import WrongNames
from paramproof.tracing.configuration.layers import Module, mentions_module, reached
from paramproof.tracing.configuration.live_functions import LIVE_MODELS, is_of_opaque, method_of
from paramproof.tracing.configuration.modules import CACHED, ModuleInterpreter, is_of_loop, is_torch
from paramproof.tracing.configuration.nodes import EMPTY, Data
from paramproof.tracing.configuration.paths import Dict, Frame, Heap, List, Raised, source_of
from paramproof.tracing.configuration.programs import Programs
from paramproof.tracing.configuration.reader_terms import check, model_term
from paramproof.tracing.configuration.statements import COLLECTED, LOST, assigned
from paramproof.tracing.configuration.tensors import Tensor
from paramproof.tracing.configuration.terms import (
    MISSING,
    Term,
    Unknown,
    Value,
    exported,
    facts_of,
    inside,
    instead,
    is_op,
    mentions,
    negate,
    term,
)
from paramproof.tracing.configuration.values import Closure, Method, Super, unknown
from paramproof.tracing.constructors import Constructor

OWN_NAMES = """
__abstractmethods__ __annotations__ __call__ __constants__ __dataclass_fields__
__dataclass_params__ __dict__ __doc__ __eq__ __firstlineno__ __getattr__ __getitem__
__getstate__ __hash__ __init__ __init_subclass__ __iter__ __len__ __match_args__ __module__
__orig_bases__ __parameters__ __post_init__ __replace__ __repr__ __setstate__ __slotnames__
__slots__ __static_attributes__ __str__ __weakref__
"""
"""Names with underscores that a class may define without doing something else than Python."""

OWN = frozenset(OWN_NAMES.split())


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


STRUCTURE = (iter, len, tuple, list, dict, zip, enumerate, reversed, operator.getitem)
"""Functions that move the items of tuples and lists, and do not look at them."""


def reads_text(one: Term) -> bool:
    """Return whether a text decides the shape of a parameter or the length of a loop."""
    is_buffer = "buffer" in str(one.args[:1])
    return is_op(one, "tensor", "comp") and not is_buffer and mentions(one.args[1], is_text)


PLAIN: tuple[type, ...] = (str, int, float, list, tuple, dict, set, frozenset, slice, type(None))
PLAIN += type, types.ModuleType


def has_state(value: Value) -> bool:
    """Return whether a call may change an object of Python, such as an iterator."""
    held = value if isinstance(value, list | tuple) else [value]
    return not all(isinstance(one, PLAIN) for one in held)


def is_object(value: Value) -> bool:
    return isinstance(value, Heap | Method | Closure | Super)


def is_held(value: Value) -> bool:
    """Return whether there is an object of the interpreter in a value."""
    if isinstance(value, dict):
        value = [*value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return any(map(is_held, value))
    if isinstance(value, functools.partial):
        return is_held([*value.args, *value.keywords.values(), value.func])
    return is_object(value)


def holds_module(value: Value) -> bool:
    """Return whether there is a module in a value, or in a list at any depth."""
    return any(
        isinstance(one, Module) or (isinstance(one, List) and holds_module(one.items))
        for one in inside(value)
    )


@functools.cache
def changes_shape(name: str) -> bool:
    """Return whether a method gives a tensor another shape in its place."""
    packet = getattr(torch.ops.aten, name, None) if name.endswith("_") else None
    forms = [getattr(packet, one) for one in packet.overloads()] if packet else []
    is_view = any(torch.Tag.inplace_view in one.tags for one in forms)
    return is_view or name in ("resize_", "resize_as_", "set_")


class Walked(List):
    """Modules or tensors inside of a module, of which each may stand for an unknown number."""


WALKS = frozenset({"buffers", "children", "modules", "parameters"})
WALKS |= {f"named_{one}" for one in WALKS}


def has_loops(module: Module) -> bool:
    """Return whether a module holds modules of an unknown number."""
    return any(
        (isinstance(one, Term) and mentions_module(one))
        or (isinstance(one, Module) and has_loops(one))
        for one in inside((*module.own.values(), module.layers.items, module.named.items))
    )


class LiveInterpreter(ModuleInterpreter):
    """Runs functions of a user's packages, and of the libraries that they call."""

    is_live = True

    def __init__(self, live: Live) -> None:
        super().__init__(("torch",))
        self.live = live
        self.models = {**self.models, **LIVE_MODELS}
        self.place = ("", 0)
        """The file and the line of the model's code that is running."""
        self.places: dict[Term, tuple[str, int]] = {}
        """Conditions that decided something, with the lines where they first did."""
        self.sizes = {one: term("field", term("self"), one) for one in live.sizes}
        """The function's own sizes: each is an unknown int of at least 1."""
        for one in self.sizes.values():
            self.declared[one] = term("int")
            self.facts[0] |= facts_of(term(">", one, 0))

    # What is denied

    def native(self, function: Any, *args: Value, **named: Value) -> Value:
        """Call a function of Python with values that it may see as they are."""
        held = is_object if function in STRUCTURE else is_held
        if any(map(held, (*args, *named.values()))):
            raise Unknown(
                f"what {getattr(function, '__name__', function)!s:.40} does with an object"
            )
        return super().native(function, *args, **named)

    def bound(self, found: Any, owner: Any) -> Value:
        plain = (property, staticmethod, classmethod, types.FunctionType)
        if hasattr(type(found), "__get__") and not isinstance(found, plain):
            raise Unknown(f"an attribute of {type(found).__name__}")
        return super().bound(found, owner)

    def set_attribute(self, owner: Value, name: Value, value: Value) -> None:
        kind = owner.kind if isinstance(owner, Module) else None
        if kind and isinstance(name, str):
            static = inspect.getattr_static(kind, name, None)
            if hasattr(type(static), "__set__") and not isinstance(static, property):
                raise Unknown(f"an attribute of {type(static).__name__}")
        super().set_attribute(owner, name, value)

    def attribute_of_module(self, owner: Module, name: str) -> Value:
        if name not in owner.own and not hasattr(owner.kind, name) and name[:2] != "__":
            finder = inspect.getattr_static(owner.kind, "__getattr__", None)
            if finder is not None and self.is_own(finder):
                raise Unknown(f"{name} of a {owner.kind.__name__}")
        is_listed = name in ("__dict__", "_modules", "_parameters")
        is_found = name in owner.own or (hasattr(owner.kind, name) and not is_listed)
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
        self.refuse_own(value, "__bool__", "__len__")
        found = super().truth(value)
        if isinstance(found, Term) and self.place[0]:
            self.places.setdefault(found, self.place)
        return found

    def refuse_own(self, value: Value, *names: str) -> None:
        """Raise ``Unknown`` if the class of an object has a method of one of these names."""
        if isinstance(value, Module):
            for one in value.kind.__mro__:
                if self.is_own(one) and (found := vars(one).keys() & {*names}):
                    raise Unknown(f"{one.__name__}.{min(found)}")

    def equal(self, one: Value, other: Value) -> Value:
        for value in (one, other):
            self.refuse_own(value, "__eq__")
        return super().equal(one, other)

    def lookup(self, holder: Dict, key: Value) -> Value:
        self.refuse_own(key, "__eq__", "__hash__")
        return super().lookup(holder, key)

    def items(self, value: Value) -> list[Value] | None:
        if isinstance(value, Walked):
            raise Unknown("layers of an unknown number, one by one")
        if hasattr(value, "__next__"):
            raise Unknown("an iterator")
        return super().items(value)

    def subscript_of(self, holder: Value, index: Value) -> Value:
        items = holder.items if isinstance(holder, List) else holder
        if is_of_opaque(items) and not isinstance(index, slice):
            return items.args[2]
        return super().subscript_of(holder, index)

    def walk(self, source: Value) -> tuple[Value, Value]:
        return source.args[1:3] if is_of_opaque(source) else super().walk(source)

    # Code

    def loop(self, target: ast.expr, source: Value, body: Sequence[ast.stmt]) -> Value:
        if not isinstance(source, Walked):
            return super().loop(target, source, body)
        ends = ast.AugAssign | ast.Break | ast.Return | ast.NamedExpr
        if any(isinstance(node, ends) for one in body for node in ast.walk(one)):
            raise Unknown("what a loop over layers of an unknown number leaves behind")
        frame = self.frames[-1]
        changed: list[Heap] = [frame]
        if YIELDED in frame.own:
            changed.append(frame.own[YIELDED])
            frame.own[YIELDED].__class__ = Walked
        lost = dict.fromkeys(assigned(target, *body), LOST)

        def each() -> None:
            for one in source.items:
                frame.own |= lost
                self.unrolled(target, [one], body)

        self.visited(source.items, each, *changed)
        frame.own |= lost
        return True

    def visited(self, items: Value, run: Callable[[], object], *changed: Heap) -> None:
        """Change each of some modules or tensors in one way, which leaves nothing else behind."""
        allowed = {*changed, *(one for item in items for one in reached(item, ""))}
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
        return super().eval(node)

    def statement(self, node: ast.stmt) -> Value:
        function = self.frames[-1].function
        if not self.is_own(function):
            return super().statement(node)
        outer, self.place = self.place, (function.__code__.co_filename, node.lineno)
        try:
            return self.own_statement(node)
        except Unknown as error:
            file, line = self.place
            error.place = error.place or f"{basename(file)}:{line}"
            raise
        finally:
            self.place = outer

    def own_statement(self, node: ast.stmt) -> Value:
        if self.is_denied(node):
            raise Unknown(f"the statement {ast.unparse(node).splitlines()[0]:.60}")
        match node:
            case ast.Expr(value=ast.Yield(value=ast.expr() as value)):
                self.add_items(self.frames[-1].own[YIELDED], (self.eval(value),))
                return True
            case ast.Expr(value=ast.YieldFrom(value=value)):
                self.add_items(self.frames[-1].own[YIELDED], self.listed(self.eval(value)))
                return True
            case ast.While(test=test, body=body, orelse=[]):
                return self.turns(test, body)
            case ast.Try(finalbody=[]):
                return self.attempt(node)
        return super().statement(node)

    def is_denied(self, node: ast.stmt) -> bool:
        match node:
            case ast.With(items=items):
                return not all(map(self.is_context, items))
            case ast.Assign(value=ast.GeneratorExp()) | ast.AnnAssign(value=ast.GeneratorExp()):
                return True
            case ast.FunctionDef(decorator_list=[_, *_]) | ast.Global() | ast.Nonlocal():
                return True
        return False

    def is_context(self, one: ast.withitem) -> bool:
        """Return whether a context manager is one that may be passed over."""
        held = self.eval(one.context_expr)
        package = (getattr(type(held), "__module__", "") or "").partition(".")[0]
        return package == "torch" and one.optional_vars is None

    def turns(self, test: ast.expr, body: Sequence[ast.stmt]) -> Value:
        """Run a loop as often as at the function's own sizes, which its condition then pins."""
        for _ in range(MAX_TURNS):
            if not self.pinned(self.truth(self.eval(test))):
                return True
            if self.block(body) is not True:
                raise Unknown("a loop that is left")
        raise Unknown(f"a loop of more than {MAX_TURNS} turns")

    def branch(self, test: Value, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt]) -> Value:
        codes = [one.function.__code__ for one in self.frames]
        if codes.count(codes[-1]) > 1 and not self.depth:
            test = self.pinned(test)
        return super().branch(test, body, orelse)

    def attempt(self, node: ast.Try) -> Value:
        """Run what raises no error, whatever the sizes are, or is called with wrong names."""
        body, frame = [*node.body, *node.orelse], self.frames[-1]
        if all(isinstance(one.body[-1], ast.Raise) for one in node.handlers):
            return self.block(body)  # An error that is raised again refuses, as any does.
        # Sizes do not decide errors of types.
        kinds = [ast.unparse(one.type) if one.type else "" for one in node.handlers]
        if {*kinds} != {"TypeError"}:
            self.refuse_risks(node.body)
        before = len(self.refusals)
        try:
            after = self.block(body)
            if len(self.refusals) == before:
                return after
        except WrongNames as error:
            if error.frame is frame and kinds[0] == "TypeError":
                return self.block(node.handlers[0].body)
        except Raised:
            pass
        raise Unknown("an error that is handled")

    def refuse_risks(self, body: Sequence[ast.stmt]) -> None:
        """Raise ``Unknown`` for code that may raise an error because of what the sizes are."""
        risky = ast.Subscript | ast.Div | ast.FloorDiv | ast.Mod | ast.Pow | ast.Assert | ast.Raise
        known = {**self.frames[-1].own}
        for node in ast.walk(ast.Module([*body], [])):
            value = known.get(node.id) if isinstance(node, ast.Name) else None
            if isinstance(node, risky) or isinstance(value, Term | Heap | Closure | Method):
                raise Unknown("an error that is handled")

    def pinned(self, condition: Value) -> bool:
        """Return whether a condition is true at the own sizes; no others are followed."""
        if isinstance(condition, bool):
            return condition
        if self.depth or is_computed(condition):
            raise Unknown("a loop without a known number of turns")
        name = self.live.named(self.frozen(condition))
        found = bool(self.live.at_own_sizes().module(name))
        other = negate(condition) if found else condition
        self.refuse(Unknown("another number of turns"), other)
        return found

    # Calls

    def call(self, function: Value, args: Sequence[Value], named: Dict | None = None) -> Value:
        named = named or Dict(self.path)
        if any(function is one for one in UNCLEAR):
            raise Unknown(f"a call of {function.__name__}")
        while isinstance(function, CACHED):
            function = function.__wrapped__
        inner = ast.walk(function.node) if isinstance(function, Closure) else ()
        if any(isinstance(one, ast.Yield | ast.YieldFrom) for one in inner):
            raise Unknown("a generator inside of a function")
        if isinstance(function, functools.partial):
            given = Dict(self.path, named.base, {**function.keywords, **named.own})
            return self.call(function.func, [*function.args, *args], given)
        if isinstance(function, Method) and function.function in ("apply", *WALKS):
            return self.call_walk(function, args, named)
        if isinstance(function, Module):
            call = inspect.getattr_static(function.kind, "__call__", None)
            if not inspect.isfunction(call) or issubclass(function.kind, nn.Module):
                raise Unknown(f"a call of a {function.kind.__name__}")
            return self.call(call, [function, *args], named)
        if self.is_own(function):
            return self.call_own(function, args, named)
        return super().call(function, args, named)

    def call_walk(self, function: Method, args: Sequence[Value], named: Dict) -> Value:
        """Call a method that goes through the modules or the tensors of a module."""
        owner = function.owner
        if function.function == "apply" and isinstance(owner, Module):
            every = tuple(reached(owner, "module"))
            self.visited(every, lambda: [self.call(args[0], [one]) for one in every])
            return owner
        found = super().call(function, args, named)
        if not isinstance(owner, Module) or not has_loops(owner):
            return found
        return Walked(self.path, tuple(super().items(found) or ()))

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
            is_generator = function.__code__.co_flags & inspect.CO_GENERATOR
            if is_generator:
                frame.own[YIELDED] = List(self.path)
            found = self.run(frame, source_of(function.__code__).body)
            return frame.own[YIELDED] if is_generator else found
        if inspect.isclass(function) and issubclass(function, nn.Module):
            self.refuse_customs(function)
        elif inspect.isclass(function) and not issubclass(function, BaseException):
            return self.plain(function, args, named)
        return super().call(function, args, named)

    def call_known(self, function: Value, args: Sequence[Value], named: Dict) -> Value:
        if function is torch._assert:
            return self.refuse("an assertion of torch", negate(self.truth(args[0])))
        if is_torch(function) and any(map(holds_module, (*args, *named.own.values()))):
            raise Unknown(
                f"what {getattr(function, '__name__', function)!s:.40} does with a module"
            )
        return super().call_known(function, args, named)

    def call_method(self, owner: Value, name: str, args: Sequence[Value], named: Dict) -> Value:
        if isinstance(owner, Tensor) and changes_shape(name):
            raise Unknown(f"the method {name} of a tensor")
        if not named.own:
            found = method_of(self, owner, name, args)
            if found is not MISSING:
                return found
        return super().call_method(owner, name, args, named)

    def is_own(self, of: Any) -> bool:
        """Return whether something is of a package whose source is read."""
        package = (getattr(of, "__module__", "") or "").partition(".")[0]
        return bool(package) and package not in NOT_READ

    def refuse_customs(self, kind: type) -> None:
        """Raise ``Unknown`` for a class whose objects are made or read in a way of their own."""
        for one in kind.__mro__:
            if not self.is_own(one):
                continue
            names = {n for n in vars(one) if n[:2] == n[-2:] == "__"} - OWN
            if names:
                raise Unknown(f"{one.__name__}.{min(names)}")
        if self.is_own(type(kind)):
            raise Unknown(f"the class of {kind.__name__}")

    def plain(self, kind: type, args: Sequence[Value], named: Dict) -> Value:
        """Return an object that is no module."""
        is_known = not unknown([*args, named]) and not any(isinstance(one, Heap) for one in args)
        if is_known and (issubclass(kind, tuple) or type(kind).__name__ == "EnumType"):
            return self.native(kind, *args, **named.own)
        if issubclass(kind, (list, dict, set, str, int, float, tuple)):
            raise Unknown(f"an object of {kind.__name__}")
        self.refuse_customs(kind)
        made = Module(self.path, kind)
        init = kind.__init__
        if dataclasses.is_dataclass(kind) and init.__code__.co_filename == "<string>":
            self.fill_fields(made, kind, args, named)
        elif init is not object.__init__:
            self.call(init, [made, *args], named)
        return made

    def fill_fields(self, made: Module, kind: Any, args: Sequence[Value], named: Dict) -> None:
        given = [*args]
        for field in dataclasses.fields(kind):
            if not field.init or field.kw_only:
                raise Unknown(f"the field {field.name}")
            default = MISSING if field.default is dataclasses.MISSING else field.default
            if field.default_factory is not dataclasses.MISSING:
                default = self.call(field.default_factory, [])
            value = given.pop(0) if given else instead(self.lookup(named, field.name), default)
            made.own[field.name] = self.require(value, field.name)
        if hasattr(kind, "__post_init__"):
            self.call(kind.__post_init__, [made])

    def call_other(self, function: Any, args: Sequence[Value], named: Dict) -> Value:
        try:
            return super().call_other(function, args, named)
        except Unknown:
            values = [*args, *named.own.values()]
            if named.base is not None or unknown(values) or not callable(function):
                raise
            if has_state(getattr(function, "__self__", None)) or any(map(has_state, values)):
                raise
            return self.boxed(self.native(function, *args, **named.own))


class Live(Programs):
    """What a function makes, as a catalogue of one model, whose sizes are its configuration.

    Raises ``Unknown`` if it is not followed. ``unclear`` says what is not followed at some sizes,
    and ``places`` has the lines of the conditions that decide something.
    """

    def __init__(self, constructor: Constructor) -> None:
        super().__init__()
        self.name, self.sizes = constructor.name, constructor.sizes
        run = LiveInterpreter(self)
        with understood():
            made = run.call(constructor.function, [], Dict((), None, run.sizes))
            self.made = model_of(run, made)
            if mentions(self.made.module, reads_text):
                raise Unknown("a number that is read from a text")
        self.unclear = [str(why) for why in run.refusals.values() if isinstance(why, Unknown)]
        self.places = {one: place for one, place in run.places.items() if not is_of_loop(one)}

    def at_own_sizes(self) -> Part:
        return Part(self, "sizes", {})

    def rules(self, name: str) -> Data | None:
        if name != "sizes":
            return None
        return {**EMPTY, "keys": {k: [check(term("int")), size] for k, size in self.sizes.items()}}

    def named(self, value: Term) -> str:
        """Return the name under which a value is a model, too."""
        self.terms[name := repr(value)] = exported(value)
        return name

    def model(self, name: str) -> Any:
        return model_term(self.made) if name == self.name else super().model(name)


YIELDED = "_yielded"
"""The name of the list of what a generator yields."""

MAX_TURNS = 100
"""How many turns of a loop without a known end are followed."""
