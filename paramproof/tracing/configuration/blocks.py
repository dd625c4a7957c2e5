"""The tensors of a traced model class, with nothing in them but terms and JSON scalars.

A module is a tuple of entries. Each entry has a name, a condition under which it exists, and a
tensor, an inner module, or a loop whose body occurs once for each item of a list. An entry without a
name is an item of a list of layers: its name is its number among the items that exist.

Terms are over ``self``, the configuration object that the constructor was given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from paramproof.tracing.configuration.interpreter import Dict
from paramproof.tracing.configuration.modules import CONTAINERS, Module, ModelInterpreter
from paramproof.tracing.configuration.modules import Tensor as TracedTensor
from paramproof.tracing.configuration.program import exported
from paramproof.tracing.configuration.terms import Term, Unknown, Value, both, negate, term


@dataclass(frozen=True)
class Tensor:
    shape: Value
    """A tuple of sizes; a term, if their number is unknown; or None for a computed buffer."""
    role: str
    """Parameter, buffer, or temporary buffer (one that is not saved)."""
    trainable: Value
    storage: tuple[Value, ...]
    """Tensors whose storage has equal values are one tensor: a number, and the turns of the loops."""


@dataclass(frozen=True)
class Loop:
    variable: int
    """The number that ``item`` and ``turn`` have as argument in terms of the body."""
    source: Value
    kept: Value
    body: Entries


@dataclass(frozen=True)
class Entry:
    name: str | None
    condition: Value
    what: Tensor | Loop | Entries


Entries: TypeAlias = tuple[Entry, ...]


@dataclass(frozen=True)
class Model:
    entries: Entries
    refusals: dict[Value, str]
    """Conditions over the configuration object under which the class is not traced or refuses."""


def trace_model(model_class: type[Any]) -> Model:
    """Trace the constructor of a model class; raise ``Unknown`` for what is not understood."""
    from transformers.configuration_utils import PreTrainedConfig
    from transformers.modeling_utils import PreTrainedModel

    run = ModelInterpreter(PreTrainedConfig, PreTrainedModel)
    config = run.configuration(model_class.config_class, term("self"))
    made = run.make(model_class, [config], Dict(()))
    writer = _Writer(run)
    refusals = {}
    for condition, why in run.refusals.items():
        if condition is True:
            raise Unknown(f"everything is refused: {why}")
        refusals[writer.value(condition)] = f"{model_class.__name__}: {why}"
    for field, part in run.pins:
        other = negate(term("made by", field, part.__name__))
        refusals[writer.value(other)] = f"{model_class.__name__} with a part of another type"
    return Model(writer.entries(made), refusals)


class _Writer:
    def __init__(self, run: ModelInterpreter) -> None:
        self.run = run
        self.storages: dict[int, tuple[int, TracedTensor]] = {}

    def value(self, value: Value) -> Value:
        found = exported(self.run, value)
        if isinstance(found, Term) and _is_opaque(found, set()):
            raise Unknown("a shape or a condition that depends on a computed number")
        return found

    def entries(self, module: Module) -> Entries:
        found: list[Entry] = []
        for name, value in module.own.items():
            if name == "items" and module.kind in CONTAINERS:
                found += self.items(value, True)
            else:
                found += self.named(name, value, True)
        return tuple(found)

    def named(self, name: str | None, value: Value, condition: Value) -> list[Entry]:
        if isinstance(value, Term) and value.op == "if":
            test, one, other = value.args
            first = self.named(name, one, both(condition, test))
            return first + self.named(name, other, both(condition, negate(test)))
        if condition is False or not isinstance(value, TracedTensor | Module):
            return []
        what: Any = self.tensor(value) if isinstance(value, TracedTensor) else self.entries(value)
        return [Entry(name, self.value(condition), what)] if what or name is None else []

    def items(self, items: Value, condition: Value) -> list[Entry]:
        if isinstance(items, list | tuple):
            return [entry for one in items for entry in self.named(None, one, condition)]
        match items:
            case Term(op="if", args=(test, one, other)):
                first = self.items(one, both(condition, test))
                return first + self.items(other, both(condition, negate(test)))
            case Term(op="comp", args=(variable, source, element, kept)):
                body = tuple(self.named(None, element, True))
                loop = Loop(variable, self.value(source), self.value(kept), body)
                return [Entry(None, self.value(condition), loop)]
            case Term(op="list", args=args):
                return self.items(args, condition)
            case Term(op="joined", args=args):
                return [entry for one in args for entry in self.items(one, condition)]
        raise Unknown(f"layers {items!r:.80}")

    def tensor(self, tensor: TracedTensor) -> Tensor:
        number, _ = self.storages.setdefault(id(tensor), (len(self.storages), tensor))
        shape: Value = tensor.shape
        if isinstance(shape, list | tuple):
            shape = tuple(map(self.value, shape))
        elif tensor.is_parameter:
            if shape is None:
                raise Unknown("a parameter of an unknown shape")
            shape = self.value(shape)
        elif shape is not None:
            shape = self.value(shape)
        role = "parameter" if tensor.is_parameter else "buffer"
        if not tensor.persistent:
            role = "temporary buffer"
        turns = tuple(term("turn", depth) for depth in range(tensor.depth))
        return Tensor(shape, role, self.value(tensor.trainable), (number, *turns))


def _is_opaque(value: Term, seen: set[Term]) -> bool:
    if value in seen:
        return False
    seen.add(value)
    inner = [one for one in value.args if isinstance(one, Term)]
    return value.op == "opaque" or any(_is_opaque(one, seen) for one in inner)
