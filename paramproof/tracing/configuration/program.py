"""Trace a configuration class of transformers: what it makes of any keys."""

from __future__ import annotations

import dataclasses
import inspect
import types
import typing
from typing import Any

from paramproof.tracing.configuration.interpreter import (
    Class,
    Dict,
    Instance,
    Interpreter,
    Method,
    OpenItems,
    Refused,
)
from paramproof.tracing.configuration.operations import OPERATIONS, TYPES
from paramproof.tracing.configuration.terms import MISSING, Term, Unknown, Value, present, term, there

IGNORED = ("dtype", "torch_dtype", "transformers_version")


UNSET = frozenset(
    {
        "_attn_implementation",
        "_experts_implementation",
        "allow_global_per_layer_attribute_access",
        "serialize_explicit_per_layer_config",
        "torch_dtype",
        "name_or_path",
    }
)
"""Settings of execution, which change no field that a model is built from."""


SETTINGS = frozenset({"_attn_implementation", "_experts_implementation", "output_attentions"})

ROPE = frozenset({"rope_parameters", "rope_scaling", "rope_theta", "partial_rotary_factor"})
"""The keys of rotary positions, which change buffers alone. A rule of the reader has them."""

ROPE_METHODS = frozenset({"standardize_rope_params", "validate_rope"})


class ClassInterpreter(Interpreter):
    def __init__(self, base: type) -> None:
        super().__init__()
        self.base = base
        self.checked: set[Any] = set()
        self.unset = UNSET

    def check_type(self, owner: Instance, name: str, value: Value) -> None:
        if owner.kind is None or owner.origin is not None:
            return
        found = owner.kind.__dataclass_fields__.get(name)
        if found is None:
            return
        kind = found.type

        def of(one: Value) -> None:
            if isinstance(one, Term) and (one, name) not in self.checked:
                self.checked.add((one, name))
                if one.op in ("get", "field"):
                    self.refuse(f"{name} is of another kind", term("not", term("accepts", one, written(kind))))

        self.each(value, of)

    def call(self, function: Value, args: list[Value], named: Dict | None = None) -> Value:
        named = named or Dict(self.path)
        if isinstance(function, Class):
            origin = term("new", term("class of", function.model_type), self.frozen(named))
            return Instance(None, origin, self.path)
        if inspect.isclass(function) and issubclass(function, self.base):
            return Instance(function, term("new", function.__name__, self.frozen(named)), self.path)
        if isinstance(function, types.MethodType) and function.__name__ == "from_dict" and inspect.isclass(function.__self__):
            return self.call(function.__self__, [], Dict(self.path, None) if False else self.as_dict(args[0]))
        name = getattr(getattr(function, "function", None), "__name__", "")
        if name == "convert_rope_params_to_dict":
            self.set_attribute(function.owner, "rope_parameters", None)
            left = Dict(self.path, named.base, named.own)
            for key in ROPE - function.owner.kind.__dataclass_fields__.keys():
                left.own[key] = MISSING
            return left
        if name == "validate_token_ids" or name in ROPE_METHODS:
            return None
        return super().call(function, args, named)

    def as_dict(self, value: Value) -> Dict:
        found = Dict(self.path)
        self.update(found, value)
        return found

    def attribute_of_instance(self, owner: Instance, name: str) -> Value:
        if name == "is_heterogeneous":
            return False
        if name in SETTINGS:
            return None
        if name == "num_labels" and (owner.kind is None or getattr(owner.kind, name) is getattr(self.base, name)):
            return term("labels", owner.origin or term("config"))
        return super().attribute_of_instance(owner, name)

    def set_attribute(self, owner: Value, name: str, value: Value) -> None:
        if name in ("rope_parameters", "rope_scaling") and isinstance(owner, Instance):
            owner.own["rope_parameters"] = term("rope", owner.origin or term("config"))
            return
        if name == "id2label" and name in owner.own or name in ("num_labels", "label2id"):
            return
        if name not in SETTINGS:
            super().set_attribute(owner, name, value)

    def attribute_of(self, owner: Value, name: str) -> Value:
        if isinstance(owner, Class) and name == "from_dict":
            return Maker(owner)
        return super().attribute_of(owner, name)

    def instantiate(self, kind: Any, given: Value) -> Instance:
        """Run the constructor of a configuration class, and its validators."""
        made = Instance(kind)
        fields = {one.name: one for one in dataclasses.fields(kind)}
        held = Dict((), given, dict.fromkeys(IGNORED, MISSING))
        for name, field in fields.items():
            if field.default is not dataclasses.MISSING:
                default = field.default
            elif field.default_factory is not dataclasses.MISSING:
                default = field.default_factory()
            else:
                default = MISSING
            value = held.lookup(name)
            if present(value) is not True and default is MISSING:
                self.refuse(f"{name} is missing", term("not", present(value)))
                value = there(value)
            elif present(value) is not True:
                from paramproof.tracing.configuration.terms import instead
                value = instead(value, default)
            self.set_attribute(made, name, value)
        rest = Dict((), given, dict.fromkeys((*fields, *IGNORED), MISSING))
        self.call(self.attribute(made, "__post_init__"), [], rest)
        for one in getattr(kind, "__class_validators__", ()):
            if one.__name__ != "validate_token_ids":
                self.call(Method(made, getattr(kind, one.__name__)), [])
        return made


@dataclasses.dataclass(frozen=True)
class Program:
    """What a configuration class makes of any keys, in the operations of ``operations.py``."""

    fields: dict[str, Value]
    """The expression of each field; it may be absent."""
    refusals: dict[Term, str]
    """The conditions under which the class refuses its keys, each with the reason."""
    rest: Value
    """A dictionary of the other keys, which become fields with their values, or None."""
    aliases: dict[str, str]
    """Other names of fields."""
    properties: dict[str, Value]


def trace(config_class: type[Any]) -> Program:
    """Trace the constructor of a configuration class; raise ``Unknown`` for what is not understood."""
    from transformers.configuration_utils import PreTrainedConfig

    run = ClassInterpreter(PreTrainedConfig)
    made = run.instantiate(config_class, term("config"))
    fields = {name: exported(run, run.frozen(value)) for name, value in made.own.items()}
    refusals: dict[Term, str] = {}
    for condition, why in run.refusals.items():
        if condition is True:
            raise Unknown(f"everything is refused: {why}")
        refusals[exported(run, condition)] = f"{config_class.__name__}: {why}"
    rest = None if made.rest is None else exported(run, made.rest)
    return Program(fields, refusals, rest, dict(config_class.attribute_map), {})


def exported(run: Interpreter, value: Value) -> Value:
    """Return a value with nothing in it but operations and JSON scalars."""
    memo: dict[Term, Term] = {}

    def of(one: Value) -> Value:
        if one is MISSING:
            return term("absent")
        if isinstance(one, float) and one in (float("inf"), float("-inf")):
            return term("float", str(one))
        if one is None or isinstance(one, str | int | float):
            return one
        if isinstance(one, Instance):
            if one.origin is None:
                raise Unknown("a configuration object inside itself")
            pairs = [part for k, v in one.own.items() for part in (k, of(run.frozen(v)))]
            return term("with fields", of(one.origin), *pairs) if pairs else of(one.origin)
        if isinstance(one, set | frozenset):
            return term("set", of(run.frozen(one)))
        if isinstance(one, list | tuple | dict | range | Dict):
            return of(run.frozen(one))
        if not isinstance(one, Term):
            raise Unknown(f"a value {one!r:.80}")
        if one not in memo:
            args = one.args
            match one.op:
                case "item of loop":
                    found = term("item", *args)
                case "joined":
                    found = term("concat", term("list", *map(of, args)))
                case "has" if isinstance(args[0], Term) and args[0].op == "fields":
                    found = term("has field", of(args[0].args[0]), args[1])
                case _:
                    found = term(one.op, *map(of, args))
            if found.op not in OPERATIONS and found.op not in TYPES:
                raise Unknown(f"the operation {found.op}")
            memo[one] = found
        return memo[one]

    return of(value)


class Maker:
    def __init__(self, of: Class) -> None:
        self.of = of


def written(kind: Any) -> Term:
    """Return the JSON values of a declared type."""
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if kind in (None, type(None)):
        return term("null")
    if origin is typing.Union or origin is types.UnionType:
        return term("union", *map(written, args))
    if origin is typing.Literal:
        return term("one of", *args)
    if origin in (list, dict, tuple, set) or (origin and origin.__name__ == "Sequence"):
        return term(origin.__name__.lower(), *map(written, args))
    if kind in (int, float, str, bool, list, dict, tuple, set):
        return term(kind.__name__)
    if isinstance(kind, type) and kind.__name__ not in ("Any",):
        return term("object", kind.__name__)
    return term("anything")
