"""Trace a configuration class of transformers: the fields that it computes from any keys.

The class runs with ``config``, an unknown dictionary, as its keys. Some of its code is stated here
instead of run: the checks of a field's type, which are generated; the base class's last step, which
loops over unknown keys and sets each as an attribute; and the rules that a reader has once for all
classes: rotary positions, labels, and settings of execution.
"""

from __future__ import annotations

import ast
import collections.abc
import dataclasses
import functools
import inspect
import itertools
import json
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any

from transformers.configuration_utils import PreTrainedConfig
from transformers.integrations.finegrained_fp8 import ALL_FP8_EXPERTS_FUNCTIONS
from transformers.integrations.heterogeneity.configuration_utils import _validate_layer_indices
from transformers.integrations.moe import ALL_EXPERTS_FUNCTIONS
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from paramproof.tracing.configuration import rope
from paramproof.tracing.configuration.interpreter import Interpreter
from paramproof.tracing.configuration.paths import Dict, Instance
from paramproof.tracing.configuration.reader_terms import CONFIG, check, spoken
from paramproof.tracing.configuration.terms import (
    MISSING,
    Term,
    Unknown,
    Value,
    both,
    choose,
    facts_of,
    instead,
    is_op,
    leaves,
    negate,
    present,
    term,
    there,
)
from paramproof.tracing.configuration.values import Method, fields_of, opened

IGNORED = frozenset({"dtype", "torch_dtype", "transformers_version"})
"""Keys that say how to load a model."""

EXPERTS = ALL_EXPERTS_FUNCTIONS.keys() | ALL_FP8_EXPERTS_FUNCTIONS.keys()
ANYTHING = term("anything")
SETTINGS: Mapping[str, Term] = {
    "_attn_implementation": term("one of", None, "eager", *ALL_ATTENTION_FUNCTIONS.keys()),
    "_experts_implementation": term("one of", None, "eager", *sorted(EXPERTS)),
    "output_attentions": ANYTHING,
}
"""Attributes that say how a model runs, each with its type: no field that builds it reads them."""

UNSET = IGNORED | {
    "allow_global_per_layer_attribute_access",
    "name_or_path",
    "output_attentions",
    "serialize_explicit_per_layer_config",
}
"""Attributes that a key may set without any change to another field."""

FROM_DICT = PreTrainedConfig.from_dict.__func__
CODE = types.FunctionType, classmethod, staticmethod, dict, set
OWN = frozenset(
    name
    for name, one in inspect.getmembers_static(PreTrainedConfig)
    if not name.startswith("__") and isinstance(one, CODE)
)
"""Attributes of a configuration that transformers' code uses, and that no key can replace."""


class ClassInterpreter(Interpreter):
    """Runs configuration classes of transformers."""

    def __init__(self) -> None:
        super().__init__(["paramproof", "transformers"])
        self.keys: dict[str, list[Value]] = {}
        """The checks and the defaults of the fields that are keys of their names."""

    def instantiate(self, kind: Any) -> Instance:
        """Run the constructor of a configuration class, and its validators."""
        made = Instance((), kind)
        fields = {one.name: one for one in dataclasses.fields(kind)}
        for name, field in fields.items():
            declared = written(field.type) if name in kind.__validators__ else ANYTHING
            self.set_attribute(made, name, self.given(field, declared))
        rest = Dict((), CONFIG, dict.fromkeys((*fields, *IGNORED), MISSING))
        self.call(self.attribute(made, "__post_init__"), [], rest)
        quantization = instead(self.attribute_of(made, "quantization_config"), None)
        self.check_type("quantization_config", quantization, dict | None)
        for one in kind.__class_validators__:
            self.call(Method(made, getattr(kind, one.__name__)), [])
        return made

    def given(self, field: Any, declared: Term) -> Value:
        """Return the key of a field, or else its default: one unknown value, if both are JSON."""
        name, default = field.name, field.default
        if default is dataclasses.MISSING:
            raise Unknown(f"the default of {name}, which is absent or made anew")
        if name in IGNORED:
            return default
        try:
            json.dumps(default, allow_nan=False)
        except (TypeError, ValueError):  # It has an infinite number.
            return instead(self.lookup(Dict((), CONFIG), name), self.boxed(default))
        self.keys[name] = [check(declared), default]
        value = term("key", name)
        self.facts[0] |= facts_of(term("accepts", value, declared))
        return value

    # Attributes

    def validate(self, owner: Instance, name: str, value: Value) -> None:
        """Check a declared field as the class does whenever it is set under its own name."""
        if name in rope.KEYS or owner.origin is not None or name not in owner.kind.__validators__:
            return
        declared = written(owner.kind.__dataclass_fields__[name].type)
        members = declared.args if declared.op == "union" else (declared,)
        long = max((len(one.args) for one in members if one.op == "tuple"), default=1)

        def require(one: Value) -> None:
            kind = self.kind_of(one)
            if kind is tuple and long > 1:
                is_long = self.compared(ast.Eq(), self.call(len, [one]), long)
                self.refuse(None, negate(self.truth(is_long)))
            is_scalar = isinstance(one, Term) and kind in (None, bool, int, float, str)
            if is_scalar and (kind is None or term(kind.__name__) not in members):
                self.refuse(None, negate(self.known(term("accepts", one, declared))))

        self.each(value, require)
        for one in owner.kind.__validators__[name][1:]:
            self.call(one, [value])

    def set_attribute(self, owner: Value, name: str, value: Value) -> None:
        if name in SETTINGS:
            self.check_type(name, value, SETTINGS[name])
        elif not isinstance(owner, Instance):
            super().set_attribute(owner, name, value)
        elif name in ("rope_parameters", "rope_scaling"):
            owner.own["rope_parameters"] = self.rule(owner)
        elif name == "per_layer_config":
            hints = typing.get_type_hints(PreTrainedConfig.per_layer_config.fset)
            self.check_type(name, value, hints[name])
            self.call(check_layers, [owner, value])
            self.write(owner, name, value)
        else:
            count = owner.own.get("num_labels", MISSING)
            self.validate(owner, name, value)
            super().set_attribute(owner, name, value)
            if name in ("id2label", "num_labels") and has_labels(owner.kind):
                if name == "num_labels":
                    is_int = self.known(self.call(isinstance, [value, int]))
                    self.refuse("num_labels is not an integer", negate(is_int))
                else:
                    value = self.call(PreTrainedConfig.num_labels.fget, [owner])
                owner.own["num_labels"] = count
                self.write(owner, "num_labels", value)

    def check_type(self, name: str, value: Value, kind: Any) -> None:
        """Refuse a value that a file gives if it is not of a type."""
        declared = kind if isinstance(kind, Term) else written(kind)

        def accepts(one: Value) -> Value:
            is_given = isinstance(one, Term)
            return self.known(term("accepts", one, declared)) if is_given else True

        self.refuse(f"{name} must be {spoken(declared)}", negate(self.each(value, accepts)))

    def rule(self, owner: Instance) -> Term:
        """Return a term that the reader computes by a rule, as it does all that depends on it."""
        return term("rope", CONFIG if owner.origin is None else owner.origin)

    def attribute_of_instance(self, owner: Instance, name: str) -> Value:
        if name == "is_heterogeneous":
            return False
        if name in OWN and owner.kind:
            return self.bound(inspect.getattr_static(owner.kind, name), owner)
        if name in SETTINGS:
            return None
        if name == "num_labels" and (owner.origin is not None or has_labels(owner.kind)):
            return owner.own[name] if name in owner.own else term("field", owner.origin, name)
        if name == "per_layer_config":
            return self.rule(owner)
        return super().attribute_of_instance(owner, name)

    def attribute_of(self, owner: Value, name: str) -> Value:
        if is_op(owner, "class of") and name == "from_dict":
            return Method(owner, FROM_DICT)
        return owner if is_op(owner, "rope") else super().attribute_of(owner, name)

    # Classes and parts

    def takes_parts(self, kinds: Sequence[Any]) -> bool:
        of_parts = [one for one in kinds if issubclass(one, PreTrainedConfig)]
        if of_parts and PreTrainedConfig not in of_parts:
            raise Unknown("whether a part is of a class")
        return bool(of_parts)

    def subscript(self, holder: Value, index: Value) -> Value:
        if holder is not CONFIG_MAPPING:
            return holder if is_op(holder, "rope") else super().subscript(holder, index)
        constants: dict[Value, None] = {}
        leaves(index, constants.setdefault)
        found: Value = term("class of", self.frozen(index))
        for one in filter(CONFIG_MAPPING.__contains__, constants):
            is_it = self.compared(ast.Eq(), index, one)
            found = choose(self.known(is_it), CONFIG_MAPPING[one], found)
        return found

    def contained(self, item: Value, holder: Value) -> Value:
        if holder is CONFIG_MAPPING and isinstance(item, Term):
            return self.known(term("known", self.frozen(item)))
        return super().contained(item, holder)

    def set_item(self, holder: Value, index: Value, value: Value) -> None:
        if not is_op(holder, "rope"):
            super().set_item(holder, index, value)

    def call(self, function: Value, args: Sequence[Value], named: Dict | None = None) -> Value:
        named = named or Dict(self.path)
        if is_op(function, "rope"):
            return function
        kind = function if inspect.isclass(function) else None
        if is_op(function, "class of") or (kind and issubclass(kind, PreTrainedConfig)):
            origin = term("new", kind.__name__ if kind else function, self.frozen(named))
            self.origins[origin] = self.origins.get(origin, 0) + 1
            return Instance(self.path, kind, origin)
        return self.call_function(function, args, named)

    def call_function(self, function: Value, args: Sequence[Value], named: Dict) -> Value:
        """Call a function, of which some are run in another way than they are written."""
        if function is FROM_DICT and self.truth(named) is False:
            return self.call(args[0], [], self.call(dict, args[1:]))
        if function is PreTrainedConfig.convert_rope_params_to_dict:
            self.set_attribute(args[0], "rope_parameters", None)
            left = dict.fromkeys({*rope.KEYS} - fields_of(args[0].kind), MISSING)
            return Dict(self.path, named.base, {**named.own, **left})
        if function is PreTrainedConfig.to_dict and args[0].origin is not None:
            whole = Dict(self.path, term("fields", self.frozen(args[0])))
            labels = instead(self.lookup(whole, "id2label"), None)
            given = negate(self.truth(self.compared(ast.Is(), labels, None)))
            whole.own["id2label"] = choose(given, labels, MISSING)
            whole.own["model_type"] = self.attribute(args[0], "model_type")
            return whole
        match getattr(function, "__name__", ""):
            case "validate_rope" if not isinstance(args[0].own.get(rope.NAME), Dict):
                return rope.validate(self, args[0])
            case "nested_rope_parameter_keys" if isinstance(args[0].own.get(rope.NAME), Dict):
                return ()
            case "standardize_rope_params" | "validate_token_ids":
                return None
            case "getattr" if is_op(args[1], "text"):
                return self.attribute_by_text(*args)
        if isinstance(function, functools.partial):  # It is the interpreter's own.
            return function(*args)
        return super().call(function, args, named)

    def given_key(self, name: str) -> Value:
        """Return what a file has for a key, or else the default of the class."""
        if name in self.keys:
            return term("key", name)
        return instead(self.lookup(Dict((), CONFIG), name), None)

    def attribute_by_text(self, owner: Instance, name: Term, default: Value) -> Value:
        """Return the attribute whose name has one unknown part."""
        first, part, last = name.args
        found = default
        for one in dir(owner.kind):
            if one.startswith(first) and one.endswith(last):
                middle = one[len(first) : len(one) - len(last)]
                is_it = self.known(self.truth(self.compared(ast.Eq(), part, middle)))
                found = choose(is_it, self.attribute(owner, one), found)
        return found

    # The other keys

    def loop(self, target: ast.expr, source: Value, body: Sequence[ast.stmt]) -> Value:
        frame = self.frames[-1]
        is_base = frame.function is PreTrainedConfig.__post_init__ and "self" in frame.own
        if is_base and is_op(source, "items"):
            self.set_rest(frame.own["self"], opened(source.args[0]))
            return True
        return super().loop(target, source, body)

    def set_rest(self, owner: Instance, keys: Dict) -> None:
        """Set each of the other keys as an attribute, as the base class does."""
        aliases = owner.kind.attribute_map
        # The state of `per_layer_config` is looked up whenever an attribute is read.
        own = term("set", term("list", *sorted({*OWN, "_heterogeneity_spec"})))
        given = term("truth", term("&", own, term("set", CONFIG)))
        self.refuse("a name of transformers' own cannot be set", given)
        for one, other in itertools.combinations(dict.fromkeys([*aliases, *aliases.values()]), 2):
            if aliases.get(one, one) != aliases.get(other, other):
                continue
            values = self.lookup(keys, one), self.lookup(keys, other)
            # The later of them in the file would count.
            differ = negate(self.compared(ast.Eq(), *map(there, values)))
            self.refuse(f"{one} and {other} differ", both(both(*map(present, values)), differ))
        members = inspect.getmembers_static(owner.kind, lambda one: isinstance(one, property))
        others = "per_layer_config", *(name for name, _ in members if name not in UNSET)
        for name in dict.fromkeys((*keys.own, *owner.own, *aliases, *others)):
            value = self.lookup(keys, name)
            put = functools.partial(self.set_attribute, owner, name, there(value))
            self.both_sides(self.known(present(value)), put, lambda: None)
            keys.own[name] = MISSING
        owner.rest = keys


def check_layers(config: Any, layers: Any) -> None:
    """Check which layers have values of their own. The interpreter runs this."""
    range(config.num_hidden_layers)
    _validate_layer_indices(config, [int(one) for one in layers])


def has_labels(kind: Any) -> bool:
    """Return whether the number of labels is that of the base class, and no field of its own."""
    return getattr(kind, "num_labels", None) is PreTrainedConfig.num_labels


def written(kind: Any) -> Value:
    """Return the declared type of a field as ``accepts`` takes it."""
    origin, args = typing.get_origin(kind) or kind, typing.get_args(kind)
    if kind in (None, types.NoneType):
        return term("null")
    if origin is typing.Literal:
        return term("one of", *args)
    if origin in (typing.Union, types.UnionType):
        return term("union", *map(written, args))
    if origin in (int, float, str, bool, list, dict, tuple, set, collections.abc.Sequence):
        return term(origin.__name__.lower(), *(written(one) for one in args if one is not ...))
    if kind is Any or isinstance(kind, str | typing.ForwardRef):
        return ANYTHING
    if isinstance(kind, type):
        return term("object", kind.__name__)
    raise Unknown(f"the type {kind}")
