"""A class of transformers, made on the meta device from the keys of a configuration."""

from __future__ import annotations

import copy
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from transformers import PreTrainedConfig

from paramproof.builders.meta import meta
from paramproof.formulas.derivation import Stored
from paramproof.formulas.path import leaf, parent
from paramproof.tracing import torch_tensors
from paramproof.tracing.constructors.transformers_class import part_defaults
from paramproof.tracing.tensor_groups import count_stored

Keys = dict[str, Any]


class ModelTensors(NamedTuple):
    """What a model has: its parameters, and its buffers."""

    parameters: Counter[Stored]
    buffers: Counter[Stored]


def config_of(config_class: type[PreTrainedConfig], keys: Mapping[str, Any]) -> PreTrainedConfig:
    """Return a configuration of the keys of a file, which has infinity as an object."""
    decoded = config_class._decode_special_floats(copy.deepcopy(dict(keys)))
    config: PreTrainedConfig = config_class.from_dict(decoded)
    return config


def build(model_class: Any, config: PreTrainedConfig) -> ModelTensors:
    """Make a model, and read what it has; what it warns of, as of slow widths, is no matter."""
    with meta(), warnings.catch_warnings(action="ignore"):
        model = model_class(config)
    found = count_stored(torch_tensors.observed_tensors(model, None))
    parameters = Counter({key: n for key, n in found.items() if key.kind.role != "buffer"})
    return ModelTensors(parameters, found - parameters)


def sub_configs(
    config: PreTrainedConfig, before: str = ""
) -> Iterator[tuple[str, PreTrainedConfig]]:
    """Yield the parts of a configuration with their paths, the outer ones first."""
    for name, value in vars(config).items():
        if isinstance(value, PreTrainedConfig) and not name.startswith("_"):
            yield f"{before}{name}", value
            yield from sub_configs(value, f"{before}{name}.")


def set_key(keys: Keys, path: str, value: Any) -> None:
    """Put a value at a path: ``vision_config.hidden_size``, ``depths[1]``."""
    *parts, name = path.split(".")
    for part in parts:
        keys = keys.setdefault(part, {})
    base, bracket, index = name.partition("[")
    if not bracket:
        keys[name] = value
        return
    there = keys.setdefault(base, [])
    there.extend([None] * (int(index[:-1]) + 1 - len(there)))
    there[int(index[:-1])] = value


def part_in(keys: Keys, path: str) -> Keys | None:
    """Return a part that is given in its own place, the whole at "", None for none."""
    here: Any = keys
    for name in path.split(".") if path else ():
        here = here.get(name) if isinstance(here, dict) else None
    return here if isinstance(here, dict) else None


def remove_key(keys: Keys, path: str) -> None:
    """Take away the key at a path, if there is one."""
    if (part := part_in(keys, parent(path))) is not None:
        part.pop(leaf(path), None)


def attribute_at(config: PreTrainedConfig, path: str) -> Any:
    """Return what a configuration has at a path, at "" itself; ``KeyError`` for what it has not."""
    value: Any = config
    for part in path.split(".") if path else ():
        name, bracket, index = part.partition("[")
        try:
            value = getattr(value, name)
            value = value[int(index[:-1])] if bracket else value
        except (AttributeError, IndexError, TypeError, ValueError):
            raise KeyError(path) from None
    return value


def attribute_or_none(config: PreTrainedConfig, path: str) -> Any:
    """Return what a configuration has at a path, None for nothing."""
    try:
        return attribute_at(config, path)
    except KeyError:
        return None


def full_keys(start: PreTrainedConfig, values: Mapping[str, Any]) -> Keys:
    """Return keys with these values by their paths, and parts as the configuration has them.

    ``start`` is the type's own configuration: a part that has a value has what it gives it too.
    """
    keys: Keys = {}
    for path, part in sub_configs(start):
        if any(name.startswith(f"{path}.") for name in values):
            above = attribute_at(start, parent(path))
            given = copy.deepcopy(part_defaults(type(above), leaf(path)))
            set_key(keys, path, {"model_type": part.model_type, **given})
    for path, value in values.items():
        set_key(keys, path, copy.deepcopy(value))
    return keys
