"""Properties of a configuration class: names under which a file may not set a value."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from transformers import PreTrainedConfig

from paramproof.catalogue.files import TypeFile
from paramproof.catalogue.names import known_keys
from sweep.library.model import attribute_or_none, full_keys, sub_configs
from sweep.library.refusal import attempt


def is_settable(one: object) -> bool:
    """Return whether a member of a class is a property with a setter."""
    return isinstance(one, property) and one.fset is not None


def refusing_properties(file: TypeFile, start: PreTrainedConfig) -> Iterator[str]:
    """Yield the paths of properties that refuse values, and that the entry does not mention.

    Some have no setter, as Encodec's ``frame_rate``, and some have one that raises an error, as
    XLNet's ``max_position_embeddings``.
    """
    known = known_keys(file)
    for part_path, part in [("", start), *sub_configs(start)]:
        for name, _ in inspect.getmembers(type(part), lambda one: isinstance(one, property)):
            path = f"{part_path}.{name}".removeprefix(".")
            # Those of all types are not in the files.
            if path in known or name.startswith("_") or hasattr(PreTrainedConfig, name):
                continue
            values: tuple[Any, ...] = (attribute_or_none(part, name), 1, {})
            if all(attempt(type(start), **full_keys(start, {path: one})) is None for one in values):
                yield path
