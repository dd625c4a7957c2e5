"""Build a class of transformers on the meta device from the keys of a configuration.

DETR's configuration asks the hub whether it has a model of a timm network's name. It is told that
there is none, and nothing is downloaded.
"""

from __future__ import annotations

import copy
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any, NamedTuple

from transformers import PreTrainedConfig, backbone_utils

from paramproof.builders.meta import meta
from paramproof.formulas.derivation import Stored
from paramproof.formulas.path import leaf, parent
from paramproof.tracing.constructors.transformers_class import part_defaults
from paramproof.tracing.internal_errors import calls_constructor
from paramproof.tracing.tensor_groups import count_stored
from paramproof.tracing.torch_mode import observed_tensors
from sweep.library.keys import Keys, set_key

_HUB = SimpleNamespace(repo_exists=lambda _: False)

backbone_utils.hf_api = lambda: _HUB


class ModelTensors(NamedTuple):
    parameters: Counter[Stored]
    buffers: Counter[Stored]


@calls_constructor
def config_of(config_class: type[PreTrainedConfig], keys: Mapping[str, Any]) -> PreTrainedConfig:
    """Return the configuration for the keys of a file, in which infinity is an object."""
    decoded = config_class._decode_special_floats(copy.deepcopy(dict(keys)))
    config: PreTrainedConfig = config_class.from_dict(decoded)
    return config


@calls_constructor
def make_model(model_class: Any, config: PreTrainedConfig) -> Any:
    """Make a model on the meta device. Its warnings, as of slow widths, are ignored."""
    with meta(), warnings.catch_warnings(action="ignore"):
        return model_class(config)


def build(model_class: Any, config: PreTrainedConfig) -> ModelTensors:
    model = make_model(model_class, config)
    counts = count_stored(observed_tensors(model, None))
    parameters = Counter({key: n for key, n in counts.items() if key.kind.role != "buffer"})
    return ModelTensors(parameters, counts - parameters)


def sub_configs(
    config: PreTrainedConfig, before: str = ""
) -> Iterator[tuple[str, PreTrainedConfig]]:
    """Yield the parts of a configuration with their paths, outer ones first."""
    for name, value in vars(config).items():
        if isinstance(value, PreTrainedConfig) and not name.startswith("_"):
            yield f"{before}{name}", value
            yield from sub_configs(value, f"{before}{name}.")


@calls_constructor
def attribute_at(config: PreTrainedConfig, path: str) -> Any:
    """Return a configuration's attribute at a path, or the configuration for "".

    Raises ``KeyError`` if it is missing.
    """
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
    """Return a configuration's attribute at a path, or None if it is missing."""
    try:
        return attribute_at(config, path)
    except KeyError:
        return None


def full_keys(start: PreTrainedConfig, values: Mapping[str, Any]) -> Keys:
    """Return keys with these values by path, and with the parts that contain them.

    ``start`` is the type's own configuration. A part that contains a value also has the values that
    its parent gives it.
    """
    keys: Keys = {}
    for path, part in sub_configs(start):
        if any(name.startswith(f"{path}.") for name in values):
            above = attribute_at(start, parent(path))
            given = copy.deepcopy(part_defaults(type(above), leaf(path), part))
            set_key(keys, path, {"model_type": part.model_type, **given})
    for path, value in values.items():
        set_key(keys, path, copy.deepcopy(value))
    return keys
