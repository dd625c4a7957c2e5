"""Classes of Hugging Face transformers as constructors: their configuration's sizes are letters."""

from __future__ import annotations

import copy
import dataclasses
import importlib.metadata
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from difflib import get_close_matches
from typing import Any

import transformers
from transformers import CONFIG_MAPPING, MODEL_MAPPING, PreTrainedConfig, PreTrainedModel

from paramproof.builders.meta import meta
from paramproof.formulas.printing import shown
from paramproof.sources.reference import in_one_line
from paramproof.tracing import torch_tensors
from paramproof.tracing.constructors.base import LOOPS_OF, Constructor
from paramproof.tracing.constructors.layer_kinds import LayerKinds
from paramproof.tracing.symbolic.symfloat import symbolic_float
from paramproof.tracing.symbolic.symint import SymInt, plain_int
from paramproof.tracing.torch_mode import ShapeRecorder

transformers.logging.set_verbosity_error()

NO_SIZES = ("_token_id", "_token_index", "_index", "_idx")
"""Ends of fields that are numbers and no sizes."""

NAMES_NO_SIZE = frozenset(
    {"chunk_size_feed_forward", "moe_layers", "torch_dtype", "pretraining_tp"}
)
"""Fields that are no sizes: ``moe_layers`` are numbers of layers."""


def transformers_constructor(
    what: str,
    given: Mapping[str, Any] | None = None,
    architecture: str = "",
    sizes: Mapping[str, int] | None = None,
    kinds: Mapping[str, LayerKinds] | None = None,
) -> Constructor:
    """Return the constructor of a model type or a class: ``deepseek_v3``, ``BertForMaskedLM``.

    ``given`` are the keys of a configuration; ``architecture`` takes the place of the class that
    it names. ``sizes`` replace some of the configuration's. ``kinds`` are lists of which it is a
    size how often each kind of layer stands there: ``layer_types[full_attention]``.

    Raises ``ValueError``, in one line, for what transformers does not have.
    """
    keys = dict(given or {})
    config_class, model_class = _classes(str(keys.get("model_type", what)), keys, architecture)
    if given is None and what not in CONFIG_MAPPING and not architecture:
        config_class, model_class = _named_class(what)
    keys = {name: value for name, value in keys.items() if name not in NOT_GIVEN}
    start = make_readable(config_class(**keys))
    first = dict(_sizes(start))
    if _reads_labels(model_class):
        first[LABELS] = int(start.num_labels or 0)
    kinds = kinds or {}
    first |= {name: number for one in kinds.values() for name, number in one.sizes.items()}
    for name in sizes or {}:
        known = name in first or _may_be_size(start, name) or _is_taken(config_class, keys, name)
        if not known and not _is_looked_for(config_class, keys, start, model_class, name):
            raise ValueError(f"{what} has no size {shown(name)}; it has {', '.join(first)}")
    for name, value in (sizes or {}).items():
        if value < 1:
            raise ValueError(f"{name}={value} is no size: it must be 1 or more")
    first |= sizes or {}

    reads: set[str] = set()

    def make(chosen: Mapping[str, int]) -> Any:
        # Of labels a configuration makes names, and looks them up.
        plainly = {name: plain_int(v) if name == LABELS else v for name, v in chosen.items()}
        lists = {one.path: one.drawn(plainly) for one in kinds.values()}
        named = {name for one in kinds.values() for name in one.sizes}
        widths = {name: size for name, size in plainly.items() if name not in named}
        config = _with(config_class, keys, start, {**widths, **lists})
        if any(isinstance(size, SymInt) for size in chosen.values()):
            _remember_floats(config)
            _watch(config, "", reads, {LABELS: chosen[LABELS]} if LABELS in chosen else {})
        with meta():
            return model_class(config)

    return Constructor(
        f"{model_class.__name__}",
        first,
        make,
        torch_tensors.observed_tensors,
        ShapeRecorder,
        ("transformers", *LOOPS_OF),
        {name: importlib.metadata.version(name) for name in ("transformers", "torch")},
        lambda: frozenset(reads),
        numbers=tuple(number for one in kinds.values() for number in one.numbers),
    )


def make_readable(config: PreTrainedConfig) -> PreTrainedConfig:
    """Return a configuration of which every field can be read.

    Where layers have values of their own, as Gemma 4's heads have, the configuration's is
    not told otherwise. A model is made of one that is left as it is.
    """
    config.allow_global_per_layer_attribute_access = True
    for value in vars(config).values():
        if isinstance(value, PreTrainedConfig):
            make_readable(value)
    return config


def build_model(keys: Mapping[str, Any], architecture: str = "") -> Any:
    """Return what transformers makes of a configuration's file, on the meta device.

    Raises ``ValueError``, in one line, for what it does not have or refuses.
    """
    config_class, model_class = _classes(str(keys.get("model_type")), keys, architecture)
    try:
        config = config_class.from_dict(copy.deepcopy(dict(keys)))
        with meta():
            return model_class(config)
    except Exception as error:  # A constructor may raise anything.
        raise ValueError(f"{model_class.__name__} is refused: {in_one_line(error)}") from error


LABELS = "num_labels"
"""A size that is no field: a configuration has it as the length of a mapping of names."""


def _reads_labels(model_class: Any) -> bool:
    """Whether a class has as many labels as its configuration: BART's answers have two always."""
    made = inspect.unwrap(model_class.__init__)
    return LABELS in made.__code__.co_names and f"config.{LABELS} = " not in inspect.getsource(made)


def _may_be_size(config: PreTrainedConfig, name: str) -> bool:
    """Whether a field that is absent or 0 may be a size, as ``num_key_value_heads`` may."""
    *parts, own = name.split(".")
    for part in parts:
        config = getattr(config, part, None)
        if not isinstance(config, PreTrainedConfig):
            return False
    kinds = {field.name: str(field.type) for field in dataclasses.fields(config)}
    value = getattr(config, own, "")
    return (value is None and "int" in kinds.get(own, "")) or (type(value) is int and value == 0)


def _is_taken(config_class: type[PreTrainedConfig], keys: Mapping[str, Any], name: str) -> bool:
    """Whether a configuration takes what is no field, as Gemma 4's takes ``global_head_dim``."""
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
        except Exception:  # Anybody's configuration may raise anything.
            return False
        for step in parts:
            config = getattr(config, step)
        fields.append({path: repr(value) for path, value in vars(config).items() if path != own})
    return fields[0] != fields[1]


def _is_looked_for(
    config_class: type[PreTrainedConfig],
    keys: Mapping[str, Any],
    start: PreTrainedConfig,
    model_class: Any,
    name: str,
) -> bool:
    """Whether a model looks in its configuration for what is no field, as for ``head_dim``."""
    reads: set[str] = set()
    config = _with(config_class, keys, start, {})
    *path, own = name.split(".")
    part: Any = config
    for step in path:
        part = getattr(part, step, None)
    if part is None or hasattr(part, own):
        return False
    _watch(config, "", reads, {})
    # What is looked for may be what it is refused without.
    with meta(), suppress(Exception):
        model_class(config)
    return name in reads


def _classes(
    model_type: str, keys: Mapping[str, Any], architecture: str
) -> tuple[type[PreTrainedConfig], Any]:
    """Return the classes of configuration and model for a model type."""
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
            raise ValueError(f"{shown(chosen)} is no class of the model type {model_type}")
        return config_class, model_class
    if config_class not in MODEL_MAPPING:
        raise ValueError(f"transformers has no base model of the type {model_type}: name a class")
    return config_class, _base(config_class)


def model_config_class(config_class: type[PreTrainedConfig]) -> type[PreTrainedConfig]:
    """Return what the models of a configuration name as theirs: InternLM 3 has LLaMA's models."""
    base = _base(config_class) if config_class in MODEL_MAPPING else None
    return getattr(base, "config_class", config_class)


def _base(config_class: type[PreTrainedConfig]) -> Any:
    found: Any = MODEL_MAPPING[config_class]
    return found[0] if isinstance(found, tuple) else found


def _unknown(model_type: str) -> ValueError:
    near = get_close_matches(model_type, list(CONFIG_MAPPING), 3)
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    return ValueError(f"transformers has no model type or class {shown(model_type)}{hint}")


def _named_class(name: str) -> tuple[type[PreTrainedConfig], Any]:
    """Return a class of transformers by its name, and that of its configuration."""
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


NOT_GIVEN = frozenset(
    {"model_type", "architectures", "transformers_version", "torch_dtype", "dtype"}
)
"""Keys of a configuration's file that say what it is of, and nothing about the model."""


def _is_size(name: str, value: object) -> bool:
    return (
        type(value) is int
        and value > 0
        and not name.endswith(NO_SIZES)
        and name not in NAMES_NO_SIZE
    )


def _is_list_of_sizes(name: str, value: object) -> bool:
    is_list = isinstance(value, list | tuple) and bool(value) and name not in NAMES_NO_SIZE
    return is_list and all(_is_size("", one) for one in value)  # type: ignore[attr-defined]


def _with(
    config_class: type[PreTrainedConfig],
    given: Mapping[str, Any],
    start: PreTrainedConfig,
    chosen: Mapping[str, Any],
) -> PreTrainedConfig:
    """Return a configuration with these sizes, every field that is a size given."""
    # A key may be another name of a field, as num_hidden_layers is of n_layer.
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
        own = own if isinstance(own, Mapping) else part_defaults(config_class, head)
        fields[head] = _with(type(part), own, part, sizes)
    return config_class(**fields)


def part_defaults(config_class: type[PreTrainedConfig], name: str) -> dict[str, Any]:
    """Return what a configuration gives a part that is absent: not what the part's class has."""
    # Older releases, as 5.4, give an absent part nothing.
    spec = getattr(config_class, "sub_configs_defaults", {}).get(name)
    return dict(spec.init_kwargs) if spec else {}


def _remember_floats(config: PreTrainedConfig) -> None:
    """Give a configuration floats that remember: ``mlp_ratio * hidden_size`` is asked of them."""
    for field in dataclasses.fields(config):
        value = vars(config).get(field.name)
        if isinstance(value, PreTrainedConfig):
            _remember_floats(value)
        elif type(value) is float:
            vars(config)[field.name] = symbolic_float(value)
        elif isinstance(value, list) and value and all(type(one) is float for one in value):
            vars(config)[field.name] = [symbolic_float(one) for one in value]


def _watch(
    config: PreTrainedConfig, prefix: str, reads: set[str], computed: Mapping[str, int]
) -> None:
    """Note in ``reads`` the fields of a configuration that are read from now on, and other names
    that are looked for in it.

    ``computed`` are sizes that it would compute, as a plain int, from what it stores. The
    configuration is one made for a trace: its class is replaced by one that tells.
    """
    kind: Any = type(config)
    given: Callable[[Any, str], Any] = kind.__getattribute__
    own = {field.name for field in dataclasses.fields(config)}
    for name in own:
        part = vars(config).get(name)
        if isinstance(part, PreTrainedConfig):
            _watch(part, f"{prefix}{name}.", reads, {})

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
