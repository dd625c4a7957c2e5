"""What classes make of keys: the fields that a configuration derives, and those that a model reads.

``normalize`` builds no model; ``record_reads`` records which fields are read while one is built.
"""

from __future__ import annotations

import copy
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import transformers
from transformers import GenerationConfig, PreTrainedConfig

from paramproof.tracing.internal_errors import calls_constructor
from sweep.library.keys import Keys
from sweep.library.model import build, config_of, sub_configs
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
    return {
        f"{path}.{name}".removeprefix("."): repr(_as_in_json(value))
        for path, part in [("", config), *sub_configs(config)]
        for name, value in vars(part).items()
        if not isinstance(value, PreTrainedConfig)
    }


def _as_in_json(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [*map(_as_in_json, value)]
    if isinstance(value, dict):
        return {key: _as_in_json(one) for key, one in sorted(value.items(), key=str)}
    return int(value) if isinstance(value, float) and value.is_integer() else value


def changed_fields(before: Fields, after: Fields) -> set[str]:
    """Return the paths of the fields that differ."""
    return {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}


PATH_ATTRIBUTE = "_path_when_watched"
"""The attribute that holds the path of a watched configuration. Copies have it too."""

# Older releases do not have this module.
HETEROGENEITY = Path(transformers.__file__).parent / "integrations/heterogeneity"

COPYING_FILES = frozenset({copy.__file__, str(HETEROGENEITY / "configuration_utils.py")})
"""Files that make a copy, or a layer's view, of a configuration. Reads of the copy are recorded
later."""

ALL_FIELDS = "__dict__"
"""The attribute that code reads if it uses all fields of a configuration."""


@dataclass(frozen=True)
class FieldReads:
    """The paths of the fields that were read, and of those that were looked for and are missing.

    If code uses all of a configuration at once, every field of that part counts as read.
    """

    fields: set[str] = field(default_factory=set)
    missing: set[str] = field(default_factory=set)

    def add(self, other: FieldReads) -> None:
        self.fields.update(other.fields)
        self.missing.update(other.missing)


def record_reads(model_class: Any, config: PreTrainedConfig) -> FieldReads:
    """Return the reads of a configuration while a model is built on the meta device."""
    with _watch(config) as found:
        build(model_class, config)
    return found


@contextmanager
def _watch(config: PreTrainedConfig) -> Iterator[FieldReads]:
    _mark(config, "")
    reads = FieldReads()
    kind: Any = PreTrainedConfig
    given, generating = kind.__getattribute__, GenerationConfig.from_model_config

    @calls_constructor
    def telling(self: Any, name: str) -> Any:
        own = object.__getattribute__(self, "__dict__")
        if PATH_ATTRIBUTE in own and (
            name == ALL_FIELDS or not name.startswith(("__", PATH_ATTRIBUTE))
        ):
            field_name = type(self).attribute_map.get(name, name)
            if name == ALL_FIELDS:
                if sys._getframe(1).f_code.co_filename not in COPYING_FILES:
                    reads.fields.update(
                        f"{own[PATH_ATTRIBUTE]}{one}" for one in own.keys() - {PATH_ATTRIBUTE}
                    )
            elif field_name in own:
                reads.fields.add(f"{own[PATH_ATTRIBUTE]}{field_name}")
            elif not hasattr(type(self), field_name):
                reads.missing.add(f"{own[PATH_ATTRIBUTE]}{field_name}")
        return given(self, name)

    kind.__getattribute__ = telling
    # A generation config has no tensors, but reads every field of the configuration.
    GenerationConfig.from_model_config = classmethod(lambda cls, _: cls())
    try:
        yield reads
    finally:
        kind.__getattribute__ = given
        GenerationConfig.from_model_config = generating


def _mark(config: PreTrainedConfig, path: str) -> None:
    parts = {n: one for n, one in vars(config).items() if isinstance(one, PreTrainedConfig)}
    vars(config)[PATH_ATTRIBUTE] = path
    for name, part in parts.items():
        _mark(part, f"{path}{name}.")
