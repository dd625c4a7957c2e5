"""Run a function that returns a torch module with its sizes unknown.

What the interpreter does not follow costs the proof: it is ``Unknown``, with the line, and never
passed over. So classes whose objects do something else than Python's own are not followed, nor are
context managers, changes of objects that exist already, and functions of other libraries that are
given anything but constants.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import json
import operator
import types
from collections.abc import Mapping, Sequence
from os.path import basename
from typing import Any

from torch import nn

from paramproof.catalogue.program import Part
from paramproof.tracing.configuration.blocks import model_of, understood
from paramproof.tracing.configuration.installed import Installed
from paramproof.tracing.configuration.layers import Module, reached
from paramproof.tracing.configuration.modules import CACHED, SKIPPED_MODULES, ModelInterpreter, is_native
from paramproof.tracing.configuration.paths import Dict, Frame, Heap, Instance, List, Raised
from paramproof.tracing.configuration.nodes import EMPTY, encoded
from paramproof.tracing.configuration.reader_terms import Model, check, model_term
from paramproof.tracing.configuration.statements import COLLECTED
from paramproof.tracing.configuration.terms import (
    MISSING,
    Term,
    Unknown,
    Value,
    facts_of,
    instead,
    mentions,
    term,
)
from paramproof.tracing.configuration.values import Closure, Method, Super, concrete, unknown

OWN = frozenset(
    "__init__ __repr__ __str__ __doc__ __module__ __qualname__ __dict__ __weakref__ __annotations__"
    " __dataclass_fields__ __dataclass_params__ __match_args__ __post_init__ __call__ __slots__"
    " __firstlineno__ __static_attributes__ __constants__ __jit_unused_properties__ __orig_bases__"
    " __getstate__ __setstate__ __reduce__ __deepcopy__ __copy__ __del__ __parameters__ __abstractmethods__ __orig_class__ __final__ __ne__ __len__ __getitem__ __iter__ __eq__ __hash__ __contains__ __bool__ __delattr__ __replace__ __sizeof__ __init_subclass__ __class_getitem__ __dir__ __rich_repr__".split()
)
"""Names with underscores that a class may define without doing something else than Python."""

CONTEXTS = ("torch",)


TEXTS = frozenset({"str", "text", "method"})
"""Operations on texts."""

UNCLEAR = (eval, exec, compile, open, globals, locals, vars, dir, input, id, hash)
"""Functions that read or change more than their arguments."""


STRUCTURE = (iter, len, tuple, list, dict, zip, enumerate, reversed, operator.getitem)
"""Functions that move the items of tuples and lists, and do not look at them."""


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


class Walked(List):
    """Modules or tensors inside of a module, of which each may stand for an unknown number."""


WALKS = frozenset({"buffers", "children", "modules", "parameters"})
WALKS |= {f"named_{one}" for one in WALKS}


def has_loops(module: Module) -> bool:
    """Return whether a module holds modules of an unknown number."""
    values = [*module.own.values(), module.layers.items, module.named.items]
    while values:
        one = values.pop()
        if isinstance(one, tuple):
            values += one
        elif isinstance(one, Term) or (isinstance(one, Module) and has_loops(one)):
            return True
    return False


class LiveInterpreter(ModelInterpreter):
    """Runs functions of a user's packages, and of the libraries that they call."""

    is_live = True

    def __init__(self, packages: Sequence[str]) -> None:
        super().__init__(False, {})
        own = {one.partition(".")[0] for one in packages}
        self.own = own - {"torch", "transformers", "keras", "flax", "jax", "builtins"}
        self.kind: Any = None
        self.models = {**self.models, **LIVE_MODELS}
        self.place = ""
        """The line of the model's code that is running, as ``file.py:12``."""
        self.places: dict[Term, str] = {}
        """Conditions that decided something, with the lines where they first did."""

    def size(self, name: str) -> Term:
        """Return an unknown size: an int of at least 1."""
        found = term("field", term("self"), name)
        self.declared[found] = term("int")
        self.facts[0] |= facts_of(term(">", found, 0))
        return found

    # What is denied

    def native(self, function: Any, *args: Value, **named: Value) -> Value:
        """Call a function of Python with values that it may see as they are."""
        held = is_object if function in STRUCTURE else is_held
        if any(map(held, (*args, *named.values()))):
            raise Unknown(f"what {getattr(function, '__name__', function)!s:.40} does with an object")
        if function in UNCLEAR:
            raise Unknown(f"a call of {function.__name__}")
        return super().native(function, *args, **named)

    def bound(self, found: Any, owner: Any) -> Value:
        plain = property | staticmethod | classmethod | types.FunctionType
        if isinstance(found, functools.cached_property):
            return self.call(found.func, [owner])
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
        if self.items(owner.named) != [] and name not in owner.own:
            if not hasattr(owner.kind, name) or name in ("__dict__", "_modules", "_parameters"):
                raise Unknown(f"{name} beside attributes of unknown names")
        return super().attribute_of_module(owner, name)

    def truth(self, value: Value) -> Value:
        if mentions(value, lambda one: one.op in TEXTS):
            raise Unknown("what is asked of a text that depends on sizes")
        found = super().truth(value)
        if isinstance(found, Term) and self.place:
            self.places.setdefault(found, self.place)
        return found

    def items(self, value: Value) -> list[Value] | None:
        if isinstance(value, Walked):
            raise Unknown("layers of an unknown number, one by one")
        return super().items(value)

    # Code

    def loop(self, target: ast.expr, source: Value, body: Sequence[ast.stmt]) -> Value:
        if not isinstance(source, Walked):
            return super().loop(target, source, body)
        # Each of them is changed in one way, which leaves nothing else behind.
        inside = [*reached(source, "")]
        ends = ast.AugAssign | ast.Break | ast.Return | ast.NamedExpr
        nodes = [node for one in body for node in ast.walk(one)]
        if any(isinstance(node, ends) for node in nodes):
            raise Unknown("what a loop over layers of an unknown number leaves behind")
        self.journal.append({})
        frame = self.frames[-1]
        before = {**frame.own}
        self.unrolled(target, source.items, body)
        changed = [holder for holder, _ in self.journal.pop().values()]
        start = source.serial
        if any(one not in inside and one is not frame and one.serial < start for one in changed):
            raise Unknown("what a loop over layers of an unknown number leaves behind")
        frame.own = {k: v for k, v in frame.own.items() if k in before} | before
        return True

    def eval(self, node: ast.expr) -> Value:
        match node:
            case ast.NamedExpr() if COLLECTED in self.frames[-1].own:
                raise Unknown("a name that a comprehension assigns")
        return super().eval(node)

    def statement(self, node: ast.stmt) -> Value:
        function = self.frames[-1].function
        if not self.is_own(function):
            return super().statement(node)
        outer, self.place = self.place, f"{basename(function.__code__.co_filename)}:{node.lineno}"
        try:
            return self.own_statement(node)
        except Unknown as error:
            error.place = error.place or self.place
            raise
        finally:
            self.place = outer

    def own_statement(self, node: ast.stmt) -> Value:
        match node:
            case ast.With(items=items):
                for one in items:
                    held = self.eval(one.context_expr)
                    module = getattr(type(held), "__module__", "") or ""
                    if module.split(".")[0] not in CONTEXTS:
                        return self.lost(node)
                    if one.optional_vars is not None:
                        return self.lost(node)
            case ast.Assign(value=ast.GeneratorExp()):
                return self.lost(node)
            case ast.Assign(value=ast.Call(func=ast.Name(id="iter"))):
                return self.lost(node)
            case ast.FunctionDef(decorator_list=[_, *_]):
                return self.lost(node)
            case ast.Global() | ast.Nonlocal():
                return self.lost(node)
        return super().statement(node)

    def lost(self, node: ast.AST) -> Value:
        code = self.frames[-1].function.__code__
        raise Unknown(f"the statement {ast.unparse(node):.60}")

    def assign(self, target: ast.expr, value: Value) -> None:
        match target:
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                stars = [n for n, one in enumerate(elts) if isinstance(one, ast.Starred)]
                found = self.items(value) if stars else None
                if stars and found is not None and len(found) >= len(elts) - 1:
                    first, after = stars[0], len(elts) - stars[0] - 1
                    end = len(found) - after
                    middle = List(self.path, tuple(found[first:end]))
                    star: Any = elts[first]
                    whole = [*elts[:first], star.value, *elts[first + 1 :]]
                    values = [*found[:first], middle, *found[end:]]
                    for one, item in zip(whole, values, strict=True):
                        self.assign(one, item)
                    return
        super().assign(target, value)

    def bind(self, frame: Frame, function: Any, args: Sequence[Value], named: Dict) -> None:
        if hasattr(function, "__signature__"):
            plain = types.FunctionType(
                function.__code__,
                function.__globals__,
                function.__name__,
                function.__defaults__,
                function.__closure__,
            )
            plain.__kwdefaults__, plain.__qualname__ = function.__kwdefaults__, function.__qualname__
            function = plain
        super().bind(frame, function, args, named)

    # Calls

    def call(self, function: Value, args: Sequence[Value], named: Dict | None = None) -> Value:
        named = named or Dict(self.path)
        if isinstance(function, functools.partial):
            given = Dict(self.path, named.base, {**function.keywords, **named.own})
            return self.call(function.func, [*function.args, *args], given)
        if isinstance(function, Method) and function.function in WALKS:
            if isinstance(function.owner, Module) and has_loops(function.owner):
                if function.function == "children":
                    raise Unknown("layers of an unknown number, one by one")
                found = super().call(function, args, named)
                return Walked(self.path, tuple(super().items(found) or ()))
        if isinstance(function, Module):
            call = inspect.getattr_static(function.kind, "__call__", None)
            if not inspect.isfunction(call) or issubclass(function.kind, nn.Module):
                raise Unknown(f"a call of a {function.kind.__name__}")
            return self.call(call, [function, *args], named)
        if inspect.isclass(function) and self.is_own(function):
            if issubclass(function, nn.Module):
                self.refuse_customs(function)
            elif not issubclass(function, BaseException):
                return self.plain(function, args, named)
        if inspect.isfunction(function) and self.is_own(function):
            frame = Frame(self.path, function)
            self.bind(frame, function, args, named)
            from paramproof.tracing.configuration.interpreter import source_of
            return self.run(frame, source_of(function.__code__).body)
        return super().call(function, args, named)

    def is_own(self, of: Any) -> bool:
        return (getattr(of, "__module__", "") or "").partition(".")[0] in self.own

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
        if not unknown(args) and not unknown(named) and not any(isinstance(x, Heap) for x in args):
            if issubclass(kind, tuple) or type(kind).__name__ == "EnumType":
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
            if field.default_factory is not dataclasses.MISSING:
                default = self.call(field.default_factory, [])
            else:
                default = MISSING if field.default is dataclasses.MISSING else field.default
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
            return self.boxed(self.native(function, *args, **named.own))


def mapped(run: LiveInterpreter, function: Value, values: Value) -> Value:
    items = run.items(values)
    if items is None:
        raise Unknown("a map over an unknown number of values")
    return tuple(run.call(function, [one]) for one in items)


def filtered(run: LiveInterpreter, function: Value, values: Value) -> Value:
    items = run.items(values)
    if items is None:
        raise Unknown("a filter over an unknown number of values")
    answers = [run.truth(run.call(function, [one]) if function else one) for one in items]
    if not all(isinstance(one, bool) for one in answers):
        raise Unknown("a filter by sizes")
    return tuple(one for one, answer in zip(items, answers, strict=True) if answer)


def iterator(run: LiveInterpreter, *_: Value) -> Value:
    raise Unknown("an iterator")


LIVE_MODELS: dict[Any, Any] = {
    functools.partial: lambda run, *args, **named: functools.partial(*args, **named),
    callable: lambda run, value: (
        not isinstance(value, Term)
        and (isinstance(value, Closure | Method | Module) or callable(value))
    ),
    filter: filtered,
    iter: iterator,
    map: mapped,
    print: lambda run, *_, **__: None,
}


class Live(Installed):
    """What a function makes, as a catalogue of one model, whose sizes are its configuration.

    Raises ``Unknown`` if it is not followed. ``unclear`` says what is not followed at some sizes,
    and ``places`` has the lines of the conditions that decide something.
    """

    def __init__(
        self, name: str, function: Any, sizes: Mapping[str, int], packages: Sequence[str]
    ) -> None:
        super().__init__()
        self.name, self.sizes, run = name, sizes, LiveInterpreter(packages)
        with understood():
            arguments = {one: run.size(one) for one in sizes}
            made = run.call(function, [], Dict((), None, arguments))
            self.made = model_of(run, made)
        self.unclear = [str(why) for why in run.refusals.values() if isinstance(why, Unknown)]
        self.places = {one: place for one, place in run.places.items() if not in_loop(one)}

    def written(self, name: str) -> Any:
        if name != "sizes":
            return super().written(name)
        keys = {one: [check(term("int")), size] for one, size in self.sizes.items()}
        data = {"versions": {}, "models": {}, "configurations": {name: {**EMPTY, "keys": keys}}}
        return json.loads(json.dumps(encoded(data, {})))

    def model(self, name: str) -> Any:
        return model_term(self.made) if name == self.name else super().model(name)

    def at_own_sizes(self) -> Part:
        return Part(self, "sizes", {})


def in_loop(value: Value) -> bool:
    return mentions(value, lambda one: one.op in ("item", "state", "turn"))
