"""Normalize keys: every field that a configuration class and its parts derive from them.

This builds no model.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from transformers import PreTrainedConfig

from sweep.library.keys import Keys
from sweep.library.model import config_of, sub_configs
from sweep.library.refusal import attempt

Fields = Mapping[str, str]
"""Fields by their paths, as text."""


def normalize(config_class: type[PreTrainedConfig], keys: Keys) -> Fields | None:
    """Return the fields that a class derives from a file's keys, or None if it refuses them.

    They include private fields, such as one from which a property is computed.
    """
    with warnings.catch_warnings(action="ignore"):
        config = attempt(config_of, config_class, keys)
    return None if config is None else config_fields(config)


def config_fields(config: PreTrainedConfig) -> Fields:
    """Return the fields of a configuration and of its parts."""
    return {
        f"{path}.{name}".removeprefix("."): repr(_as_in_json(value))
        for path, part in [("", config), *sub_configs(config)]
        for name, value in vars(part).items()
        if not isinstance(value, PreTrainedConfig)
    }


def _as_in_json(value: Any) -> Any:
    """Return a value with lists in place of tuples, and 1 in place of 1.0."""
    if isinstance(value, list | tuple):
        return [*map(_as_in_json, value)]
    if isinstance(value, dict):
        return {key: _as_in_json(one) for key, one in sorted(value.items(), key=str)}
    return int(value) if isinstance(value, float) and value.is_integer() else value


def changed_fields(before: Fields, after: Fields) -> set[str]:
    """Return the paths of the fields that differ."""
    return {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
