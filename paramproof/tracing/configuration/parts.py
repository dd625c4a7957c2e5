"""The unknown configuration object that a model class is given, and its parts.

A part has the class that its field has by default: ``pins`` has the conditions under which it is of
another class, which are refused. A part whose class its model type names may be of any class, and
so are its fields. Other fields have their declared types.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from transformers.configuration_utils import PreTrainedConfig
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from paramproof.tracing.configuration.paths import Dict, Instance
from paramproof.tracing.configuration.program import ClassInterpreter, written
from paramproof.tracing.configuration.terms import (
    MISSING,
    Term,
    Unknown,
    Value,
    both,
    choose,
    mentions,
    negate,
    term,
)
from paramproof.tracing.configuration.values import Method, fields_of


class Layers:
    """The configuration of each layer."""

    def __init__(self, of: Instance) -> None:
        self.of = of


class PartInterpreter(ClassInterpreter):
    """Reads fields of a configuration object that is unknown."""

    def __init__(self, any_class: bool, usual: Mapping[str, type[Any]]) -> None:
        super().__init__()
        self.usual = usual
        self.any_class = any_class
        """Whether parts that name their class may be of any."""
        self.of_any: set[Term] = set()
        """The parts that may be of any class."""
        self.parts: dict[Term, Value] = {}

    def configuration(self, kind: Any) -> Instance:
        self.kind = kind
        return Instance((), kind, term("self"))

    def loop(self, target: ast.expr, source: Value, body: Sequence[ast.stmt]) -> Value:
        whole = term("fields", term("self"))
        if isinstance(source, Term) and source.op == "items" and mentions(source, whole.__eq__):
            # The declared fields one by one, and then any others.
            base = Dict((), source.args[0])
            names = [
                one for one in sorted(fields_of(self.kind)) if self.lookup(base, one) is not MISSING
            ]
            part = Instance((), self.kind, term("self"))
            pairs = tuple((one, self.attribute(part, one)) for one in names)
            base.own = dict.fromkeys(names, MISSING)
            rest = term("items", self.frozen(base))
            return both(super().loop(target, pairs, body), super().loop(target, rest, body))
        return super().loop(target, source, body)

    def attribute_of_instance(self, owner: Instance, name: str) -> Value:
        kind = owner.kind
        if name in ("_attn_implementation", "_experts_implementation"):
            return "eager"
        if name == "to_dict" and owner.origin is not None:
            return Method(owner, name)
        if name == "per_layer_config" and owner.origin is not None:
            return Layers(owner)
        if name in ("rope_parameters", "rope_scaling") and owner.origin is not None:
            return self.rule("rope", owner)
        found = super().attribute_of_instance(owner, name)
        if kind is None and owner.origin is not None and found is not owner.own.get(name):
            return self.of_any_class(owner, name, found)
        if kind and owner.origin is not None and isinstance(found, Term):
            name = kind.attribute_map.get(name, name)
            field = term("field", owner.origin, name)
            if found is field:
                return self.typed(owner, name, field)
        return found

    def of_any_class(self, owner: Instance, name: str, found: Value) -> Value:
        """Return a field of a part whose class is unknown."""
        if name[0] == "_":
            raise Unknown(f"{name} of a part of any class")
        static = inspect.getattr_static(PreTrainedConfig, name, None)
        if inspect.isfunction(static) or isinstance(static, property | classmethod):
            raise Unknown(f"{name} of a part of any class")
        if name not in fields_of(PreTrainedConfig):
            return choose(self.known(term("has field", owner.origin, name)), found, MISSING)
        return found

    def typed(self, owner: Instance, name: str, field: Term) -> Value:
        """Return a field of a configuration object: a part, or a value of the declared type."""
        if field in self.parts:
            return self.parts[field]
        found: Value = field
        part = (owner.kind.sub_configs_defaults or {}).get(name)
        declared = owner.kind.__dataclass_fields__.get(name)
        if part is not None:
            kind = part.config_class
            is_null = term("is", field, None) if part.optional else False
            if not issubclass(kind, PreTrainedConfig) or kind is PreTrainedConfig:
                kind = None if self.any_class else self.default_class(owner.kind, name)
            kind = self.usual.get(name, kind) if owner.origin is term("self") else kind
            if kind is None:
                self.of_any.add(field)
            else:
                other = both(negate(is_null), negate(term("made by", field, kind.__name__)))
                other = both(self.exists(field), other)
                self.pins[other] = None
            found = choose(is_null, None, Instance((), kind, field))
        elif declared is not None:
            self.declared[field] = written(declared.type)
        self.parts[field] = found
        return found

    def default_class(self, kind: Any, name: str) -> Any:
        model_type = kind.sub_configs_defaults[name].model_type
        if model_type in CONFIG_MAPPING:
            return CONFIG_MAPPING[model_type]
        return type(getattr(kind(), name))

    def exists(self, value: Value) -> Value:
        """Return whether there is a part, inside of parts that some configurations do not have."""
        if not isinstance(value, Term):
            return True
        found: Value = True
        for one in value.args:
            found = both(found, self.exists(one))
        if value.op == "field" and value not in self.declared:
            found = both(found, term("has field", *value.args))
        return found
