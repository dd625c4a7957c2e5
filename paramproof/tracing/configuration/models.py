"""Run the constructor of a model class of transformers whose configuration is unknown.

The parts of a configuration may be of any class, and so the models that are made of them. Rotary
positions, activations and models of timm are taken as they are, because their code is not followed.
"""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import torch
from torch import nn
from transformers.configuration_utils import PreTrainedConfig
from transformers.modeling_utils import PreTrainedModel
from transformers.models.auto.auto_factory import _BaseAutoModelClass

from paramproof.tracing.configuration import containers
from paramproof.tracing.configuration.blocks import model_of, understood
from paramproof.tracing.configuration.containers import is_skipped
from paramproof.tracing.configuration.installed import at_default
from paramproof.tracing.configuration.layers import AutoModule, Module
from paramproof.tracing.configuration.modules import ModuleInterpreter
from paramproof.tracing.configuration.parts import Layers, PartInterpreter
from paramproof.tracing.configuration.paths import Dict, Instance, List, Raised
from paramproof.tracing.configuration.reader_terms import Model
from paramproof.tracing.configuration.tensors import Tensor
from paramproof.tracing.configuration.terms import (
    MISSING,
    Term,
    Unknown,
    Value,
    both,
    choose,
    is_op,
    mentions,
    negate,
    present,
    term,
)
from paramproof.tracing.configuration.values import unknown

LOADING = frozenset({"config", "attn_implementation", "dtype", "torch_dtype", "trust_remote_code"})
"""Arguments of ``from_config`` that do not reach the constructor."""

FOREIGN = frozenset({"timm"})
"""Libraries whose models are built and not traced: a network of theirs has a name."""

USUAL: dict[type, tuple[str, ...]] = {str: ("resnet18", "resnet50", "resnet101")}
"""Names of networks that published files have beside the default's, by the type of the default."""


class Fork(Exception):
    """A module is to be made twice: where a condition is true, and where it is not."""


class ModelInterpreter(ModuleInterpreter, PartInterpreter):
    """Runs model classes of transformers."""

    def __init__(self, any_class: bool, usual: Mapping[str, type[Any]]) -> None:
        super().__init__(any_class, usual)
        self.packages = ("transformers", "torch")
        self.models |= {
            PreTrainedModel.__init__: set_config,
            PreTrainedModel.post_init: containers.post_init,
        }
        self.named |= NAMED

    def attribute_of_module(self, owner: Module, name: str) -> Value:
        is_there = present(owner.own.get(name, MISSING)) is True
        if isinstance(owner, AutoModule) and not is_there and not is_skipped(name):
            if name in ("get_input_embeddings", "get_output_embeddings"):
                return term("opaque", "module")
            if name != "forward" and callable(getattr(PreTrainedModel, name, callable)):
                raise Unknown(f"{name} of a model of any class")
            return term("opaque", name)
        return super().attribute_of_module(owner, name)

    def set_attribute(self, owner: Value, name: Value, value: Value) -> None:
        if not isinstance(owner, AutoModule):
            super().set_attribute(owner, name, value)
        elif not isinstance(value, Instance) or value.origin is not owner.config.origin:
            raise Unknown(f"a change of {name} of a model of any class")

    def subscript_of(self, holder: Value, index: Value) -> Value:
        if isinstance(holder, Layers):
            origin = term("layer of", holder.of.origin, self.frozen(index))
            return self.parts.setdefault(origin, Instance((), holder.of.kind, origin))
        if type(holder).__name__ == "ClassInstantier":
            return self.activation(holder, index)
        is_held = isinstance(holder, Tensor | Module) or is_op(
            holder.items if isinstance(holder, List) else holder, "opaque"
        )
        if isinstance(index, Term) and is_rope(index) and not is_held:
            return term("opaque", "rope")
        return super().subscript_of(holder, index)

    def frozen(self, value: Value) -> Value:
        if isinstance(value, Layers):
            return value
        if isinstance(value, Instance) and value.origin in self.parts and not value.own:
            return value.origin
        return super().frozen(value)

    def activation(self, table: Any, index: Value) -> Value:
        """Return the module of an activation: most have no parameters."""
        if not isinstance(index, Term):
            return self.built(self.native(table.__getitem__, index))
        plain: list[str] = []
        found: Value = MISSING
        for key in table:
            made = table[key]
            if any(True for _ in made.parameters()):
                found = choose(self.compared(ast.Eq(), index, key), self.built(made), found)
            else:
                plain.append(key)
        is_plain = self.known(term("in", index, term("list", *plain)))
        return self.require(
            choose(is_plain, Module(self.path, nn.Identity), found), "an activation"
        )

    # Calls

    def call(self, function: Value, args: Sequence[Value], named: Dict | None = None) -> Value:
        if isinstance(function, Term) and is_rope(function):
            return rope_of(self)
        return super().call(function, args, named)

    def is_left_out(self, module: str) -> bool:
        own = module == "transformers.initialization"
        return own or module.startswith("transformers.generation.") or super().is_left_out(module)

    def call_known(self, function: Value, args: Sequence[Value], named: Dict) -> Value:
        if is_plain_class(function) or is_plain_class(getattr(function, "__self__", None)):
            return self.plain_object(function, args, named)
        if (getattr(function, "__module__", "") or "").partition(".")[0] in FOREIGN:
            if inspect.isfunction(function):
                return self.foreign(function, args, named)
            return self.native(function, *args)
        return super().call_known(function, args, named)

    def foreign(self, function: Any, args: Sequence[Value], named: Dict) -> Value:
        """Return the model that another library makes of values that are known one by one."""
        given = {**dict(enumerate(args)), **named.own}
        if named.base is not None:
            given |= self.one_of(self.frozen(Dict(self.path, named.base)))
        for key, one in given.items():
            if unknown(one):
                given[key] = self.one_of(self.frozen(one))
        known = [given.pop(number) for number in range(len(args))]
        try:
            with torch.device("meta"):
                network = function(*known, **given)
        except Exception as error:  # A library may raise anything.
            raise Unknown(f"{function.__module__} makes no network: {error!r:.80}") from error
        return self.built(network)

    def one_of(self, value: Value) -> Value:
        """Return which of a few values an unknown one has here: the default's, or a usual one."""
        usual = at_default(self.kind, value)
        is_usual = term("==", value, self.frozen(usual))
        others = USUAL.get(type(usual), ())
        is_one = {one: term("==", value, one) for one in others if one != usual}
        is_other = functools.reduce(both, map(negate, is_one.values()), negate(is_usual))
        self.pins[is_other] = Unknown("another network")
        for one, condition in is_one.items():
            if self.known(condition) is True:
                return one
            if self.known(condition) is not False:
                raise Fork(condition)
        return usual

    def plain_object(self, function: Any, args: Sequence[Value], named: Dict) -> Value:
        """Return an object that holds no modules, or nothing known where it is not understood."""
        self.journal.append({})
        try:
            if not inspect.isclass(function):
                return super().call_known(function, args, named)
            made = Module(self.path, function)
            if function.__init__ is not object.__init__:
                super().call(function.__init__, [made, *args], named)
        except Unknown:
            for holder, state in self.journal[-1].values():
                vars(holder).update(state)
            return term("opaque", "object")
        finally:
            self.journal.pop()
        return made

    def from_config(self, function: Any, args: Sequence[Value], named: Dict) -> Value:
        given = args[0] if args else self.lookup(named, "config")
        more = {k: v for k, v in named.own.items() if k not in LOADING}
        return self.each(given, lambda one: self.made_by(function.__self__, one, more))

    def made_by(self, auto: Any, config: Value, more: dict[str, Value]) -> Value:
        if not issubclass(auto, _BaseAutoModelClass):
            return self.make(auto, [config], Dict(self.path, None, more))
        if isinstance(config, Instance) and config.kind is None and not config.own and not more:
            return AutoModule(self.path, auto, config, self.depth)
        if not isinstance(config, Instance) or config.kind is None:
            raise Unknown(f"{auto.__name__} of a part that changes")
        try:
            kind = auto._model_mapping[config.kind]
        except KeyError:
            raise Raised(f"{auto.__name__} has no {config.kind.__name__}") from None
        kind = kind[0] if isinstance(kind, tuple) else kind
        return self.make(kind, [config], Dict(self.path, None, more))

    def make(self, kind: Any, args: Sequence[Value], named: Dict) -> Value:
        if kind.__module__ == "transformers.activations" and not unknown(args):
            return self.built(self.native(kind, *args))
        try:
            return super().make(kind, args, named)
        except Fork as fork:
            again = functools.partial(self.make, kind, args, named)
            return self.both_sides(fork.args[0], again, again)


def rope_of(run: ModelInterpreter, *_: Any) -> Value:
    """Return frequencies of rotary positions, and their scale."""
    return Tensor(run, None), term("opaque", "scale")


def set_config(run: ModelInterpreter, owner: Module, config: Value, **_: Value) -> None:
    run.write(owner, "config", config)


NAMED: dict[str, Callable[..., Value]] = {
    "__strict_setattr__": lambda run, _, args, named: run.set_attribute(*args),
    "_from_config": ModelInterpreter.from_config,
    "compute_default_rope_parameters": rope_of,
    "from_config": ModelInterpreter.from_config,
    "replace_batch_norm": containers.freeze_norms,
}
"""Functions of transformers of a name, of which there are several."""


def is_rope(value: Term) -> bool:
    return mentions(
        value, lambda one: one.op == "rope" or (one.op == "opaque" and one.args[:1] == ("rope",))
    )


def is_plain_class(kind: Any) -> bool:
    """Return whether a class of transformers is neither a module nor a configuration."""
    ours = inspect.isclass(kind) and kind.__module__.startswith("transformers.")
    other = nn.Module | PreTrainedConfig | Exception | _BaseAutoModelClass
    return ours and not issubclass(kind, other) and not hasattr(kind, "__members__")


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
    with understood():
        config = run.configuration(model_class.config_class)
        return model_of(run, run.make(model_class, [config], Dict(())))
