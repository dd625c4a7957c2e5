"""Write the tensors of a traced model class, with nothing in them but terms and JSON scalars."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from torch import nn

from paramproof.tracing.configuration.layers import AutoModule, Inside, Module, mentions_module
from paramproof.tracing.configuration.modules import ModelInterpreter
from paramproof.tracing.configuration.paths import Dict, Raised
from paramproof.tracing.configuration.rows import Alias, Auto, Entries, Entry, Loop, Model, Tensor
from paramproof.tracing.configuration.tensors import Tensor as TracedTensor
from paramproof.tracing.configuration.terms import (
    Term,
    Unknown,
    Value,
    both,
    exported,
    mentions,
    negate,
)

COMPUTED = frozenset({"opaque", "rope"})
"""Operations whose result no shape and no condition may depend on."""


def trace_model(
    model_class: type[Any], any_class: bool = True, parts: Mapping[str, type[Any]] | None = None
) -> Model:
    """Trace the constructor of a model class; raise ``Unknown`` for what is not understood.

    Parts whose model type names their class may be of ``any_class``, unless more is understood
    where they are of that of the default. ``parts`` has other classes, by the names of parts.
    """
    run, pinned = (ModelInterpreter(one, parts or {}) for one in (any_class, False))
    try:
        found = traced(model_class, run)
    except Unknown:
        if not run.of_any:
            raise
        return traced(model_class, pinned)
    with suppress(Unknown):
        if run.of_any:
            other = traced(model_class, pinned)
            return other if not_understood(run) - not_understood(pinned) else found
    return found


def not_understood(run: ModelInterpreter) -> set[str]:
    return {str(why) for why in run.refusals.values() if isinstance(why, Unknown)}


def traced(model_class: type[Any], run: ModelInterpreter) -> Model:
    try:
        config = run.configuration(model_class.config_class)
        made = run.make(model_class, [config], Dict(()))
        writer = _Writer(run)
        entries = writer.entries(made)
        if writer.needed:
            entries = writer.entries(made)
    except Raised as error:
        raise Unknown(f"the class refuses every configuration: {error}") from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise Unknown(f"an error inside of the interpreter: {error!r:.80}") from error
    refusals = {}
    for condition, why in {**run.refusals, **run.pins}.items():
        if condition is True:
            raise Unknown(f"everything is refused: {why}")
        if writer.is_computed(condition):
            # No reader knows the numbers of a tensor, such as rates of dropping layers.
            if isinstance(why, Unknown):
                raise Unknown(f"under a computed condition: {why}")
            continue
        refusals[writer.value(condition)] = why if isinstance(why, str) else None
    return Model(entries, refusals)


class _Writer:
    def __init__(self, run: ModelInterpreter) -> None:
        self.run = run
        self.storages: dict[int, int] = {}
        self.path: list[str] = []
        self.autos: dict[int, str] = {}
        """The paths of the models of any class."""
        self.needed = False
        """Whether an alias names a model that is not written yet."""

    def value(self, value: Value) -> Value:
        if mentions(value, lambda one: one.op in COMPUTED):
            raise Unknown(f"a computed shape or condition: {'.'.join(self.path)}")
        return exported(self.run.frozen(value))

    def entries(self, module: Any) -> Entries:
        if isinstance(module, Term) and module.op == "if":
            test, *sides = module.args
            pairs = zip((self.value(test), self.value(negate(test))), sides, strict=True)
            return tuple(
                replace(one, condition=both(when, one.condition))
                for when, side in pairs
                for one in self.entries(side)
            )
        found: list[Entry] = []
        for name, value in module.own.items():
            found += self.named(name, value, True, module.buffers.get(name))
        found += self.items(module.named.items, True)
        found += self.items(module.layers.items, True)
        return tuple(found)

    def named(  # noqa: C901 - a case for each kind of value
        self, name: Value, value: Value, condition: Value, persistent: bool | None = None
    ) -> list[Entry]:
        match value:
            case Term(op="if", args=(test, one, other)):
                if persistent is not None and self.is_computed(test):
                    # A buffer that is computed in one of several ways.
                    return self.named(name, TracedTensor(self.run, None), condition, persistent)
                same = self.undecided(
                    test, lambda x: self.named(name, x, condition, persistent), one, other
                )
                if same is not None:
                    return same
                first = self.named(name, one, both(condition, test), persistent)
                return first + self.named(name, other, both(condition, negate(test)), persistent)
            case TracedTensor():
                role = value.role
                if persistent is not None and not role:
                    role = "buffer" if persistent else "temporary buffer"
                if not role:
                    return []
                what: Any = self.inside(name, lambda: self.tensor(value, role))
            case Term(op="opaque", args=("module",)):
                raise Unknown("a module that is inside of one of any class")
            case AutoModule():
                what = self.auto(name, value)
            case Inside():
                what = self.alias(value)
            case Module() if issubclass(value.kind, nn.Module):
                what = self.inside(name, lambda: self.entries(value))
            case Term(op="fold" | "state" | "get") if mentions_module(value):
                raise Unknown(f"a module that a loop changes: {'.'.join(self.path)}")
            case _:
                return []
        if condition is False or not (what or name is None):
            return []
        if what and self.is_computed(condition) and (unsized := without_shapes(what)):
            condition, what = self.without_computed(condition), unsized
        return [Entry(name, self.value(condition), what)]

    def undecided(
        self, test: Value, run: Callable[[Value], list[Entry]], *sides: Value
    ) -> list[Entry] | None:
        """Return what both sides of a computed condition give: nothing, for dropped layers."""
        if not self.is_computed(test):
            return None
        one, other = map(run, sides)
        return one if one == other else None

    def without_computed(self, condition: Value) -> Value:
        """Return a condition without what depends on rotary positions or on numbers of a tensor."""
        if isinstance(condition, Term) and condition.op == "and":
            return both(*map(self.without_computed, condition.args))
        return True if self.is_computed(condition) else condition

    def inside(self, name: Value, run: Callable[[], Any]) -> Any:
        self.path.append("*" if name is None or isinstance(name, Term) else name)
        found = run()
        self.path.pop()
        return found

    def is_computed(self, value: Value) -> bool:
        return mentions(value, lambda one: one.op in COMPUTED or one.op == "rope")

    def items(self, items: Value, condition: Value) -> list[Entry]:
        match items:
            case tuple() | list():
                return [entry for one in items for entry in self.item(one, condition)]
            case Term(op="if", args=(test, one, other)):
                first = self.items(one, both(condition, test))
                return first + self.items(other, both(condition, negate(test)))
            case Term(op="comp", args=(variable, source, element, kept)):
                body = self.item(element, True)
                if self.is_computed(kept) and (unsized := without_shapes(tuple(body))):
                    kept, body = self.without_computed(kept), unsized
                loop = Loop(variable, self.value(source), self.value(kept), tuple(body))
                return [Entry(None, self.value(condition), loop)]
            case Term(op="list", args=args):
                return self.items(args, condition)
            case Term(op="concat", args=(Term(op="list", args=args),)):
                return [entry for one in args for entry in self.items(one, condition)]
            case Term(op="concat", args=(Term(op="comp", args=(variable, source, element, kept)),)):
                loop = Loop(
                    variable, self.value(source), self.value(kept), tuple(self.items(element, True))
                )
                return [Entry(None, self.value(condition), loop)]
        raise Unknown(f"layers {items!r:.80}")

    def item(self, item: Value, condition: Value) -> list[Entry]:
        match item:
            case Term(op="entry", args=(name, value)):
                return self.named(self.value(name), value, condition)
            case Term(op="if", args=(test, one, other)):
                same = self.undecided(test, lambda x: self.item(x, condition), one, other)
                if same is not None:
                    return same
                first = self.item(one, both(condition, test))
                return first + self.item(other, both(condition, negate(test)))
        return self.named(None, item, condition)

    def number(self, storage: tuple[Value, ...]) -> tuple[Value, ...]:
        serial, *turns = storage
        return (self.storages.setdefault(serial, len(self.storages)), *turns)

    def auto(self, name: Value, module: AutoModule) -> Auto:
        path = self.inside(name, lambda: ".".join(self.path))
        self.autos.setdefault(module.serial, path)
        part = self.value(module.own["config"])
        return Auto(module.auto.__name__, part, self.number(module.storage))

    def alias(self, value: Inside) -> Alias:
        names = [value.name]
        while isinstance(holder := value.holder, Inside):
            value = holder
            names.append(value.name)
        found = self.autos.get(holder.serial, "")
        self.needed = self.needed or not found
        if "*" in found:
            raise Unknown("a tensor inside of layers of any class")
        return Alias(".".join([found, *reversed(names)]))

    def tensor(self, tensor: TracedTensor, role: str) -> Tensor:
        shape = tensor.shape
        if role != "parameter" and self.is_computed(self.run.frozen(shape)):
            shape = None
        if isinstance(shape, tuple):
            shape = tuple(map(self.value, shape))
        elif shape is not None:
            shape = self.value(shape)
        elif role == "parameter":
            raise Unknown(f"a parameter of an unknown shape: {'.'.join(self.path)}")
        trainable = role == "parameter" and self.value(tensor.own["requires_grad"])
        return Tensor(shape, role, trainable, self.number(tensor.storage))


def without_shapes(what: Any) -> Any:
    """Return temporary buffers with unknown shapes, or None if there is anything else."""
    if isinstance(what, Tensor):
        return replace(what, shape=None) if what.role == "temporary buffer" else None
    if isinstance(what, Auto | Alias):
        return None
    if isinstance(what, Loop):
        body = without_shapes(what.body)
        return body and replace(what, body=body)
    inner = [without_shapes(one.what) for one in what]
    if not all(inner):
        return None
    return tuple(replace(one, what=new) for one, new in zip(what, inner, strict=True))
