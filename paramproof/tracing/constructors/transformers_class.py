"""Use a class of Hugging Face transformers as a constructor: sizes are fields of its config."""

from __future__ import annotations

import copy
import dataclasses
import importlib.metadata
import inspect
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any

import transformers
from torch import nn
from transformers import CONFIG_MAPPING, MODEL_MAPPING, PreTrainedConfig, PreTrainedModel

from paramproof.builders.meta import meta
from paramproof.builders.registry import layer_packages
from paramproof.formulas.errors import similar_names
from paramproof.formulas.printing import shown
from paramproof.sources.reference import in_one_line
from paramproof.tracing.constructors import Constructor, LayerKinds, require_sizes
from paramproof.tracing.internal_errors import calls_constructor, raise_if_internal
from paramproof.tracing.symbolic.symfloat import symbolic_float
from paramproof.tracing.symbolic.symint import SymInt, plain_int
from paramproof.tracing.torch_mode import ShapeRecorder, observed_tensors

transformers.logging.set_verbosity_error()

NOT_SIZE_SUFFIXES = ("_token_id", "_token_index", "_index", "_idx")
"""Suffixes of integer fields that are not sizes."""

NOT_SIZE_FIELDS = frozenset(
    {
        "chunk_size_feed_forward",
        "moe_layers",
        "num_ln_in_parallel_attn",
        "pretraining_tp",
        "torch_dtype",
    }
)
"""Integer fields that are not sizes: ``moe_layers``, for example, lists layer numbers."""


def transformers_constructor(
    what: str,
    given: Mapping[str, Any] | None = None,
    architecture: str = "",
    sizes: Mapping[str, int] | None = None,
    kinds: Mapping[str, LayerKinds] | None = None,
) -> Constructor:
    """Return the constructor of a model type or class: ``deepseek_v3``, ``BertForMaskedLM``.

    ``given`` are the keys of a config; ``architecture`` overrides the class that it names.
    ``sizes`` override fields. ``kinds`` are lists whose counts of each kind become sizes:
    ``layer_types[full_attention]``.

    Raises ``ValueError`` with one line for a type, class or size that transformers does not have.
    """
    keys = dict(given or {})
    config_class, model_class = _classes(str(keys.get("model_type", what)), keys, architecture)
    if given is None and what not in CONFIG_MAPPING and not architecture:
        config_class, model_class = _named_class(what)
    keys = {name: value for name, value in keys.items() if name not in IGNORED_KEYS}
    start = make_readable(config_class(**keys))
    first = dict(_sizes(start))
    if reads_labels(model_class):
        first[LABELS] = int(start.num_labels or 0)
    kinds = kinds or {}
    first |= {name: number for one in kinds.values() for name, number in one.sizes.items()}

    def has_size(name: str) -> bool:
        known = name in first or _may_be_size(start, name) or _accepts_key(config_class, keys, name)
        return known or _looks_up(config_class, keys, start, model_class, name)

    if other := next((name for name in sizes or {} if not has_size(name)), None):
        raise ValueError(f"{what} has no size {shown(other)}; it has {', '.join(first)}")
    first |= require_sizes(sizes or {})

    reads: set[str] = set()

    @calls_constructor
    def make(chosen: Mapping[str, int]) -> Any:
        # A config creates a name for each label, and looks them up.
        plainly = {name: plain_int(v) if name == LABELS else v for name, v in chosen.items()}
        lists = {one.path: one.drawn(plainly) for one in kinds.values()}
        named = {name for one in kinds.values() for name in one.sizes}
        widths = {name: size for name, size in plainly.items() if name not in named}
        config = _config_with(config_class, keys, start, {**widths, **lists})
        if any(isinstance(size, SymInt) for size in chosen.values()):
            _trace_floats(config)
            _watch_reads(config, "", reads, {LABELS: chosen[LABELS]} if LABELS in chosen else {})
        with meta():
            return model_class(config)

    return Constructor(
        f"{model_class.__name__}",
        first,
        make,
        observed_tensors,
        ShapeRecorder,
        ("transformers", *layer_packages()),
        {name: importlib.metadata.version(name) for name in ("transformers", "torch")},
    )


def make_readable(config: PreTrainedConfig) -> PreTrainedConfig:
    """Allow reading every field of a config, and return it.

    If layers have values of their own, as the heads of Gemma 4 do, reading the config's own value
    raises an error by default. A model is built from a config that is left as it is.
    """
    config.allow_global_per_layer_attribute_access = True
    for value in vars(config).values():
        if isinstance(value, PreTrainedConfig):
            make_readable(value)
    return config


@calls_constructor
def build_model(keys: Mapping[str, Any], architecture: str = "") -> Any:
    """Return the model that transformers builds from a config's keys, on the meta device.

    Raises ``ValueError`` with one line if transformers does not have it or refuses.
    """
    config_class, model_class = _classes(str(keys.get("model_type")), keys, architecture)
    try:
        config = config_class.from_dict(copy.deepcopy(dict(keys)))
        with meta():
            return model_class(config)
    except Exception as error:  # A constructor may raise anything.
        raise_if_internal(error)
        raise ValueError(f"{model_class.__name__} is refused: {in_one_line(error)}") from error


LABELS = "num_labels"
"""A size that is not a field: the config stores it as the length of a mapping of names."""


def reads_labels(model_class: type) -> bool:
    """Return whether a class, or one that it consists of, has as many labels as its config.

    Some of BART's always have two. The head of T5ForSequenceClassification is a class of its own.
    """
    own = next(_constructors_inside(model_class))
    if f"config.{LABELS} = " in inspect.getsource(own):
        return False
    return any(LABELS in _names_in(made.__code__) for made in _constructors_inside(model_class))


def _constructors_inside(model_class: type) -> Iterator[FunctionType]:
    """Yield the constructors of a class, of its bases, and of the classes that these name."""
    waiting, seen = [model_class], {model_class}
    while waiting:
        for base in waiting.pop().__mro__:
            made = inspect.unwrap(vars(base).get("__init__", object.__init__))
            if not isinstance(made, FunctionType):
                continue
            yield made
            for name in _names_in(made.__code__):
                one = made.__globals__.get(name)
                if isinstance(one, type) and issubclass(one, nn.Module) and one not in seen:
                    seen.add(one)
                    waiting.append(one)


def _names_in(code: CodeType) -> set[str]:
    """Return the names that some code uses, also in its comprehensions."""
    inside = (_names_in(one) for one in code.co_consts if isinstance(one, CodeType))
    return set(code.co_names).union(*inside)


def _may_be_size(config: PreTrainedConfig, name: str) -> bool:
    """Return whether a field that is null or 0 may be a size, such as ``num_key_value_heads``."""
    *parts, own = name.split(".")
    for part in parts:
        config = getattr(config, part, None)
        if not isinstance(config, PreTrainedConfig):
            return False
    kinds = {field.name: str(field.type) for field in dataclasses.fields(config)}
    value = getattr(config, own, "")
    return (value is None and "int" in kinds.get(own, "")) or (type(value) is int and value == 0)


@calls_constructor
def _accepts_key(config_class: type[PreTrainedConfig], keys: Mapping[str, Any], name: str) -> bool:
    """Return whether a config uses a key that is not a field: Gemma 4's ``global_head_dim``."""
    *parts, own = name.split(".")
    fields = []
    for size in (7, 9):
        there = copy.deepcopy(dict(keys))
        part: Any = there
        for step in parts:
            part = part.setdefault(step, {})
        part[own] = size
        try:
            config: Any = config_class(**there)
        except Exception as error:  # A config may raise anything.
            raise_if_internal(error)
            return False
        for step in parts:
            config = getattr(config, step)
        fields.append({path: repr(value) for path, value in vars(config).items() if path != own})
    return fields[0] != fields[1]


@calls_constructor
def _looks_up(
    config_class: type[PreTrainedConfig],
    keys: Mapping[str, Any],
    start: PreTrainedConfig,
    model_class: Any,
    name: str,
) -> bool:
    """Return whether a model reads an attribute that is not a field, such as ``head_dim``."""
    reads: set[str] = set()
    config = _config_with(config_class, keys, start, {})
    *path, own = name.split(".")
    part: Any = config
    for step in path:
        part = getattr(part, step, None)
    if part is None or hasattr(part, own):
        return False
    _watch_reads(config, "", reads, {})
    # The constructor may refuse because the attribute is missing.
    try:
        with meta():
            model_class(config)
    except Exception as error:  # A constructor may raise anything.
        raise_if_internal(error)
    return name in reads


def _classes(
    model_type: str, keys: Mapping[str, Any], architecture: str
) -> tuple[type[PreTrainedConfig], Any]:
    if model_type not in CONFIG_MAPPING:
        if keys:
            raise _unknown(model_type)
        return PreTrainedConfig, None
    config_class: type[PreTrainedConfig] = CONFIG_MAPPING[model_type]
    named = keys.get("architectures") or ()
    chosen = architecture or (named[0] if isinstance(named, list) and len(named) == 1 else "")
    if chosen:
        model_class = _named_class(chosen)[1]
        if model_class.config_class is not model_config_class(config_class):
            raise ValueError(f"{shown(chosen)} is not a class of the model type {model_type}")
        return config_class, model_class
    if config_class not in MODEL_MAPPING:
        raise ValueError(f"transformers has no base model of the type {model_type}: name a class")
    return config_class, _base(config_class)


def model_config_class(config_class: type[PreTrainedConfig]) -> type[PreTrainedConfig]:
    """Return the config class that the models of a config name: InternLM 3 uses LLaMA's."""
    base = _base(config_class) if config_class in MODEL_MAPPING else None
    return getattr(base, "config_class", config_class)


def _base(config_class: type[PreTrainedConfig]) -> Any:
    found: Any = MODEL_MAPPING[config_class]
    return found[0] if isinstance(found, tuple) else found


def _unknown(model_type: str) -> ValueError:
    near = similar_names(model_type, CONFIG_MAPPING)
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    return ValueError(f"transformers has no model type or class {shown(model_type)}{hint}")


def _named_class(name: str) -> tuple[type[PreTrainedConfig], Any]:
    found = getattr(transformers, name, None) if name.isidentifier() else None
    config_class: Any = getattr(found, "config_class", None)
    if not (isinstance(found, type) and issubclass(found, PreTrainedModel)) or not config_class:
        raise _unknown(name)
    return config_class, found


def _sizes(config: PreTrainedConfig, prefix: str = "") -> Iterator[tuple[str, int]]:
    for field in dataclasses.fields(config):
        value: Any = getattr(config, field.name, None)
        if field.name.startswith("_"):
            continue
        if isinstance(value, PreTrainedConfig):
            yield from _sizes(value, f"{prefix}{field.name}.")
        elif _is_size(field.name, value):
            yield f"{prefix}{field.name}", value
        elif _is_list_of_sizes(field.name, value):
            yield from ((f"{prefix}{field.name}[{i}]", v) for i, v in enumerate(value))


IGNORED_KEYS = frozenset(
    {"model_type", "architectures", "transformers_version", "torch_dtype", "dtype"}
)
"""Keys of a config file that do not describe the model."""


def _is_size(name: str, value: object) -> bool:
    return (
        type(value) is int
        and value > 0
        and not name.endswith(NOT_SIZE_SUFFIXES)
        and name not in NOT_SIZE_FIELDS
    )


def _is_list_of_sizes(name: str, value: object) -> bool:
    is_list = isinstance(value, list | tuple) and bool(value) and name not in NOT_SIZE_FIELDS
    return is_list and all(_is_size("", one) for one in value)  # type: ignore[attr-defined]


@calls_constructor
def _config_with(
    config_class: type[PreTrainedConfig],
    given: Mapping[str, Any],
    start: PreTrainedConfig,
    chosen: Mapping[str, Any],
) -> PreTrainedConfig:
    # A key may be an alias of a field, as num_hidden_layers is for n_layer.
    names = config_class.attribute_map
    fields = {k: copy.deepcopy(v) for k, v in given.items() if names.get(k, k) not in chosen}
    inner: dict[str, dict[str, Any]] = {}
    for name, value in chosen.items():
        head, dot, rest = name.partition(".")
        if dot:
            inner.setdefault(head, {})[rest] = value
        elif name.endswith("]"):
            base, _, index = name[:-1].partition("[")
            current = fields.get(base)
            if not isinstance(current, list):
                fields[base] = list(getattr(start, base))
            fields[base][int(index)] = value
        else:
            fields[name] = value
    for head, sizes in inner.items():
        part = getattr(start, head)
        own = given.get(head)
        own = own if isinstance(own, Mapping) else part_defaults(config_class, head, part)
        fields[head] = _config_with(type(part), own, part, sizes)
    return config_class(**fields)


def part_defaults(
    config_class: type[PreTrainedConfig], name: str, part: PreTrainedConfig
) -> dict[str, Any]:
    """Return the values that a config passes to an absent part, beside its class's defaults.

    ``part`` is the part of a config that lacks it.
    """
    # Older releases, such as 5.4, pass nothing to an absent part.
    spec = getattr(config_class, "sub_configs_defaults", {}).get(name)
    if not spec:
        return {}
    passed: dict[str, Any] = dict(spec.init_kwargs)
    if passed.get("model_type", spec.model_type or part.model_type) == part.model_type:
        return passed
    # DETR's class makes a part of another type than its table of parts says.
    own = type(part)().to_dict()
    return {key: value for key, value in part.to_dict().items() if value != own.get(key)}


def _trace_floats(config: PreTrainedConfig) -> None:
    """Make the floats of a config symbolic: ``mlp_ratio * hidden_size`` calls their operators."""
    for field in dataclasses.fields(config):
        value = vars(config).get(field.name)
        if isinstance(value, PreTrainedConfig):
            _trace_floats(value)
        elif type(value) is float:
            vars(config)[field.name] = symbolic_float(value)
        elif isinstance(value, list) and value and all(type(one) is float for one in value):
            vars(config)[field.name] = [symbolic_float(one) for one in value]


def _watch_reads(
    config: PreTrainedConfig, prefix: str, reads: set[str], computed: Mapping[str, int]
) -> None:
    """Record in ``reads`` the fields of a config that are read, and other names that are looked up.

    ``computed`` has sizes that the config would compute as plain ints. The config's class is
    replaced by a subclass that records, so use a config that belongs to one trace.
    """
    kind: Any = type(config)
    given: Callable[[Any, str], Any] = kind.__getattribute__
    own = {field.name for field in dataclasses.fields(config)}
    for name in own:
        part = vars(config).get(name)
        if isinstance(part, PreTrainedConfig):
            _watch_reads(part, f"{prefix}{name}.", reads, {})

    @calls_constructor
    def telling(self: Any, name: str) -> Any:
        if name in computed:
            reads.add(f"{prefix}{name}")
            return computed[name]
        field = kind.attribute_map.get(name, name)
        if field in own:
            value = given(self, name)
            if isinstance(value, list | tuple):
                reads.update(f"{prefix}{field}[{i}]" for i in range(len(value)))
            reads.add(f"{prefix}{field}")
            return value
        if not hasattr(kind, name) and not name.startswith("_"):
            reads.add(f"{prefix}{name}")
        return given(self, name)

    config.__class__ = type(kind.__name__, (kind,), {"__getattribute__": telling})
