"""Run the constructor of a model class of transformers whose configuration is unknown.

A part of the configuration has the class that its field has by default: ``pins`` has the conditions
under which it is of another class, which are refused. If a part's model type selects its class, it
may be of any class, and so may its fields and the model built from it. Other fields have their
declared types. Rotary positions, activations and models of timm are taken as they are, because
their code is not followed.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import torch
import transformers
from torch import nn
from transformers.configuration_utils import PreTrainedConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
from transformers.modeling_utils import PreTrainedModel
from transformers.models.auto.auto_factory import _BaseAutoModelClass
from transformers.models.auto.configuration_auto import CONFIG_MAPPING, CONFIG_MAPPING_NAMES

from paramproof.catalogue.program import Part
from paramproof.tracing.configuration import containers
from paramproof.tracing.configuration.blocks import model_of, understood
from paramproof.tracing.configuration.containers import is_skipped
from paramproof.tracing.configuration.layers import AutoModule, Module
from paramproof.tracing.configuration.modules import ModuleInterpreter
from paramproof.tracing.configuration.nodes import Data
from paramproof.tracing.configuration.paths import Dict, Instance, Raised
from paramproof.tracing.configuration.program import ClassInterpreter, written
from paramproof.tracing.configuration.programs import Programs
from paramproof.tracing.configuration.reader_terms import Model, lowered, model_term
from paramproof.tracing.configuration.rules import class_in, config_classes, rules_of
from paramproof.tracing.configuration.tensors import Tensor
from paramproof.tracing.configuration.terms import (
    MISSING,
    Term,
    Unknown,
    Value,
    both,
    choose,
    inside,
    is_op,
    mentions,
    negate,
    present,
    term,
)
from paramproof.tracing.configuration.values import Method, fields_of, unknown

LOADING = frozenset({"config", "attn_implementation", "dtype", "torch_dtype", "trust_remote_code"})
"""Arguments of ``from_config`` that do not reach the constructor."""

NETWORKS = ("resnet18", "resnet50", "resnet101")
"""Names of networks that published files have where the default is a name, too."""


class Fork(Exception):
    """A module is to be made twice: where a condition is true, and where it is not."""


class ModelInterpreter(ModuleInterpreter, ClassInterpreter):
    """Runs model classes of transformers, whose configuration object is unknown."""

    left_out = re.compile(
        rf"{ModuleInterpreter.left_out.pattern}|transformers\.(initialization|generation\..*)"
    )

    def __init__(self, kind: Any, any_class: bool, usual: Mapping[str, type[Any]]) -> None:
        super().__init__()
        self.packages = ("transformers", "torch")
        self.models |= {
            PreTrainedModel.__init__: lambda run, owner, config, **_: run.write(
                owner, "config", config
            ),
            PreTrainedModel.post_init: containers.post_init,
        }
        self.named |= NAMED
        self.kind, self.usual = kind, usual
        self.any_class = any_class
        """Whether parts that name their class may be of any."""
        self.of_any: set[Term] = set()
        """The parts that may be of any class."""
        self.parts: dict[Term, Value] = {}

    def model(self, model_class: type[Any]) -> Model:
        with understood():
            config = Instance((), self.kind, term("self"))
            return model_of(self, self.make(model_class, [config], Dict(())))

    def not_understood(self) -> set[str]:
        return {str(why) for why in self.refusals.values() if isinstance(why, Unknown)}

    # The configuration

    def loop(self, target: ast.expr, source: Value, body: Sequence[ast.stmt]) -> Value:
        whole = term("fields", term("self"))
        if is_op(source, "items") and whole in inside(source):
            # The declared fields one by one, and then any others.
            base = Dict((), source.args[0])
            names = sorted(fields_of(self.kind))
            part = Instance((), self.kind, term("self"))
            pairs = tuple((one, self.attribute(part, one)) for one in names)
            base.own = dict.fromkeys(names, MISSING)
            rest = term("items", self.frozen(base))
            return both(super().loop(target, pairs, body), super().loop(target, rest, body))
        return super().loop(target, source, body)

    def attribute_of_instance(self, owner: Instance, name: str) -> Value:
        if name in ("_attn_implementation", "_experts_implementation"):
            return "eager"
        if name in ("to_dict", "per_layer_config"):
            return Method(owner, name)
        if name in ("rope_parameters", "rope_scaling"):
            return self.rule(owner)
        found = super().attribute_of_instance(owner, name)
        if owner.kind:
            name = owner.kind.attribute_map.get(name, name)
            field = term("field", owner.origin, name)
            return self.typed(owner, name, field) if found is field else found
        if found is owner.own.get(name) or name in fields_of(PreTrainedConfig):
            return found
        static = inspect.getattr_static(PreTrainedConfig, name, None)
        is_code = inspect.isfunction(static) or isinstance(static, property | classmethod)
        if name[0] == "_" or is_code:
            raise Unknown(f"{name} of a part of any class")
        return choose(self.known(term("has field", owner.origin, name)), found, MISSING)

    def typed(self, owner: Instance, name: str, field: Term) -> Value:
        """Return a field of a configuration object: a part, or a value of the declared type."""
        part = (owner.kind.sub_configs_defaults or {}).get(name)
        if part is None:
            if name in owner.kind.__dataclass_fields__:
                self.declared[field] = written(owner.kind.__dataclass_fields__[name].type)
            return field
        if field not in self.parts:
            kind = part.config_class
            is_null = term("is", field, None) if part.optional else False
            if not issubclass(kind, PreTrainedConfig) or kind is PreTrainedConfig:
                kind = None if self.any_class else default_class(owner.kind, name)
            kind = self.usual.get(name, kind) if owner.origin is term("self") else kind
            if kind is None:
                self.of_any.add(field)
            else:
                # Some configurations may lack parts that this one is inside of.
                parts = [x for x in inside(field) if is_op(x, "field") and x not in self.declared]
                there = [term("has field", *one.args) for one in reversed(parts)]
                other = both(negate(is_null), negate(term("made by", field, kind.__name__)))
                self.pins[both(functools.reduce(both, there, True), other)] = None
            self.parts[field] = choose(is_null, None, Instance((), kind, field))
        return self.parts[field]

    # Modules, and what they hold

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
        if isinstance(holder, Method) and holder.function == "per_layer_config":
            part = holder.owner
            origin = term("layer of", part.origin, self.frozen(index))
            return self.parts.setdefault(origin, Instance((), part.kind, origin))
        if type(holder).__name__ == "ClassInstantier":
            return self.activation(holder, index)
        if holder is ROPE_INIT_FUNCTIONS and is_rope(index):
            return index
        return super().subscript_of(holder, index)

    def activation(self, table: Any, index: Value) -> Value:
        """Return the module of an activation: most have no parameters."""
        if not isinstance(index, Term):
            return self.built(self.native(table.__getitem__, index))
        made = {key: table[key] for key in table}
        own = {key: self.built(one) for key, one in made.items() if [*one.parameters()]}
        found = self.lookup(Dict((), None, own), index)
        plain = term("list", *(key for key in made if key not in own))
        is_plain = self.known(term("in", index, plain))
        found = choose(is_plain, Module(self.path, nn.Identity), found)
        return self.require(found, "an activation")

    # Calls

    def call_known(self, function: Value, args: Sequence[Value], named: Dict) -> Value:
        if is_rope(function):
            return rope_of(self)
        if is_plain_class(function) or is_plain_class(getattr(function, "__self__", None)):
            return self.plain_object(function, args, named)
        if (getattr(function, "__module__", "") or "").partition(".")[0] == "timm":
            if inspect.isfunction(function):
                return self.foreign(function, args, named)
            return self.native(function, *args)
        return super().call_known(function, args, named)

    def foreign(self, function: Any, args: Sequence[Value], named: Dict) -> Value:
        """Return the model that another library makes of values that are known one by one."""
        base = {} if named.base is None else self.one_of(Dict(self.path, named.base))
        known = [*map(self.one_of, args)]
        given = {key: self.one_of(one) for key, one in named.own.items()}
        try:
            with torch.device("meta"):
                network = function(*known, **{**given, **base})
        except Exception as error:  # A library may raise anything.
            raise Unknown(f"{function.__module__} makes no network: {error!r:.80}") from error
        return self.built(network)

    def one_of(self, value: Value) -> Value:
        """Return the value to assume for an unknown one: the default, or another usual one."""
        if not unknown(value):
            return value
        value = self.frozen(value)
        name = INSTALLED.named(value)
        usual = Part(INSTALLED, self.kind.__name__, {}).module(name)
        is_usual = term("==", value, self.frozen(usual))
        others = NETWORKS if isinstance(usual, str) else ()
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
        kind = class_in(auto._model_mapping, config.kind)
        if kind is None:
            raise Raised(f"{auto.__name__} has no {config.kind.__name__}")
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


NAMED: dict[str, Callable[..., Value]] = {
    "__strict_setattr__": lambda run, _, args, named: run.set_attribute(*args),
    "_from_config": ModelInterpreter.from_config,
    "compute_default_rope_parameters": rope_of,
    "from_config": ModelInterpreter.from_config,
    "replace_batch_norm": containers.freeze_norms,
}
"""Functions of transformers of a name, of which there are several."""


def is_rope(value: Value) -> bool:
    return mentions(value, lambda one: one.op == "rope")


def is_plain_class(kind: Any) -> bool:
    """Return whether a class of transformers is neither a module nor a configuration."""
    ours = inspect.isclass(kind) and kind.__module__.startswith("transformers.")
    other = nn.Module | PreTrainedConfig | Exception | _BaseAutoModelClass
    return ours and not issubclass(kind, other) and not hasattr(kind, "__members__")


def default_class(kind: Any, name: str) -> Any:
    """Return the class that a part has by default; not every class of a part has a model type."""
    model_type = kind.sub_configs_defaults[name].model_type
    if model_type in CONFIG_MAPPING:
        return CONFIG_MAPPING[model_type]
    return type(getattr(kind(), name))


def trace_model(model_class: type[Any], parts: Mapping[str, type[Any]] | None = None) -> Model:
    """Trace the constructor of a model class; raise ``Unknown`` for what is not understood.

    Parts whose model type names their class may be of any class, unless more is understood where
    they are of that of the default. ``parts`` has other classes, by the names of parts.
    """
    kind = model_class.config_class
    run, pinned = (ModelInterpreter(kind, of_any, parts or {}) for of_any in (True, False))
    try:
        found = run.model(model_class)
    except Unknown:
        if not run.of_any:
            raise
        return pinned.model(model_class)
    if run.of_any:
        with suppress(Unknown):
            other = pinned.model(model_class)
            return other if run.not_understood() - pinned.not_understood() else found
    return found


BACKBONES = ("convnext", "dinov2", "swin")
"""Model types that published files have as a backbone where another one is the default."""


def module_of(kind: type[Any]) -> Any:
    """Return the module of a model class, for some classes that a part of it may have.

    These are the class by default, which is a network of timm where DETR's table of parts says
    ResNet, and backbones of whose class the model must know the numbers of channels.
    """
    made = trace_model(kind)
    found = model_term(made)
    for name, spec in (kind.config_class.sub_configs_defaults or {}).items():
        if spec.model_type not in CONFIG_MAPPING:
            continue
        part, traced = term("field", term("self"), name), CONFIG_MAPPING[spec.model_type]
        others = {type(getattr(kind.config_class(), name, None))}
        is_backbone = traced in transformers.MODEL_FOR_BACKBONE_MAPPING
        if is_backbone and spec.config_class is transformers.AutoConfig and made.refusals:
            others |= {CONFIG_MAPPING[one] for one in BACKBONES}
        for one in sorted(others - {traced, type(None)}, key=str):
            with suppress(Unknown):
                other = model_term(trace_model(kind, parts={name: one}))
                is_it = lowered(term("made by", part, one.__name__))
                sides = term("list", other), term("list", found)
                found = term("module", "", is_it, sides[0], "", negate(is_it), sides[1])
    return found


class Installed(Programs):
    """The programs of the classes of the installed transformers, each traced when it is needed."""

    def rules(self, name: str) -> Data | None:
        return rules_of(config_classes()[name]) if name in config_classes() else None

    def model(self, name: str) -> Value:
        kind = getattr(transformers, name, None)
        return module_of(kind) if kind else super().model(name)


INSTALLED = Installed(CONFIG_MAPPING_NAMES)
