"""Which fields of a configuration are read while a model is made of it."""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import transformers
from transformers import GenerationConfig, PreTrainedConfig

from sweep.model import made

PATH = "_path_when_watched"
"""The attribute that has the path of a watched configuration; copies of it have it too."""

# Older releases do not have this module.
HETEROGENEITY = Path(transformers.__file__).parent / "integrations/heterogeneity"

VIEWS = frozenset({copy.__file__, str(HETEROGENEITY / "configuration_utils.py")})
"""Files whose code makes a copy, or a layer's view, of which what is read is noted later."""

WHOLE = "__dict__"
"""Read by what takes a configuration for all of its fields."""


@dataclass(frozen=True)
class Reads:
    """The paths of the fields that were read, and of those looked for that were not there.

    Where code takes all of a configuration at once, every field of that part was read.
    """

    fields: set[str] = field(default_factory=set)
    missing: set[str] = field(default_factory=set)

    def add(self, other: Reads) -> None:
        """Add what was read another time."""
        self.fields.update(other.fields)
        self.missing.update(other.missing)


def reads_of(model_class: Any, config: PreTrainedConfig) -> Reads:
    """Return what is read of a configuration while a model is made on the meta device."""
    with _watched(config) as found:
        made(model_class, config)
    return found


@contextmanager
def _watched(config: PreTrainedConfig) -> Iterator[Reads]:
    """Yield what is read of a configuration from now on."""
    _mark(config, "")
    found = Reads()
    kind: Any = PreTrainedConfig
    given, generating = kind.__getattribute__, GenerationConfig.from_model_config

    def telling(self: Any, name: str) -> Any:
        own = object.__getattribute__(self, "__dict__")
        if PATH in own and (name == WHOLE or not name.startswith(("__", PATH))):
            there = type(self).attribute_map.get(name, name)
            if name == WHOLE:
                if sys._getframe(1).f_code.co_filename not in VIEWS:
                    found.fields.update(f"{own[PATH]}{one}" for one in own.keys() - {PATH})
            elif there in own:
                found.fields.add(f"{own[PATH]}{there}")
            elif not hasattr(type(self), there):
                found.missing.add(f"{own[PATH]}{there}")
        return given(self, name)

    kind.__getattribute__ = telling
    # A generation config has no tensors, and is made of all that a configuration has.
    GenerationConfig.from_model_config = classmethod(lambda cls, _: cls())
    try:
        yield found
    finally:
        kind.__getattribute__ = given
        GenerationConfig.from_model_config = generating


def _mark(config: PreTrainedConfig, path: str) -> None:
    parts = {n: one for n, one in vars(config).items() if isinstance(one, PreTrainedConfig)}
    vars(config)[PATH] = path
    for name, part in parts.items():
        _mark(part, f"{path}{name}.")
