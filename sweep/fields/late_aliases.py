"""Names that set a size late, or may not set it: aliases that count after defaults, and properties.

transformers applies some aliases when the class has already computed its defaults. T5's
``num_decoder_layers`` defaults to ``num_layers``, whose alias is ``num_hidden_layers``. So with 12
``num_hidden_layers`` the encoder has 12 layers, and the decoder the class's own 6.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import transformers
from transformers import PreTrainedConfig

from paramproof.catalogue.configuration import LABELS
from paramproof.catalogue.entries import entry_in
from paramproof.catalogue.files import TypeFile, parse_type
from paramproof.catalogue.names import known_keys
from sweep.fields.field_reads import Fields, config_fields
from sweep.library.keys import Keys
from sweep.library.model import attribute_or_none, find_mismatch, full_keys, sub_configs
from sweep.library.model_types import config_class_of
from sweep.library.refusal import attempt
from sweep.library.seed_values import seed_config
from sweep.store import in_order


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


def find_late_aliases(
    file: TypeFile, config_class: type[PreTrainedConfig]
) -> tuple[dict[str, str], set[str]]:
    """Return the late aliases with their fields, and the names with another effect or none.

    An alias is late if models have the tensors of that reading.
    """
    start, late, others = seed_config(config_class), {}, set()
    for alias, field in file.aliases.items():
        sizes = list(_other_sizes(start, field))
        given = [size for size in sizes if _effects_differ(start, alias, field, size)]
        if not given:
            continue
        aliases = {name: one for name, one in file.aliases.items() if name != alias}
        reading = replace(file, aliases=aliases, late={alias: field})
        if field in _paths(file) and _matches_reading(reading, start, alias, given):
            late[alias] = field
        else:
            others.add(alias)
    return late, others | {*_setters(file, start), *refusing_properties(file, start)}


def _setters(file: TypeFile, start: PreTrainedConfig) -> Iterator[str]:
    """Yield the properties that set a size of the entry, and that the entry does not mention.

    LongCat-Flash's ``num_hidden_layers`` sets half as many ``num_layers``.
    """
    known, plain = known_keys(file), _config_fields(start, {})
    for name, _ in inspect.getmembers(type(start), is_settable):
        if name in known or name == LABELS or plain is None:
            continue
        for size in _other_sizes(start, name):
            moved = _config_fields(start, {name: size}) or plain
            if any(moved.get(path) != plain.get(path) for path in _paths(file)):
                yield name
                break


def _paths(file: TypeFile) -> set[str]:
    return {size.path for size in file.letters.values()}


def _other_sizes(start: PreTrainedConfig, field: str) -> Iterator[int]:
    own = attribute_or_none(start, field)
    if type(own) is int:
        yield from (size for size in (2 * own, own + 1, own // 2) if size not in (0, own))


def _effects_differ(start: PreTrainedConfig, alias: str, field: str, size: int) -> bool:
    """Return whether an alias has another effect on the configuration than the field itself."""
    one, other = (_config_fields(start, {name: size}) for name in (alias, field))
    return None not in (one, other) and one != other


def _config_fields(start: PreTrainedConfig, values: Mapping[str, Any]) -> Fields | None:
    """Return all fields of a configuration as text, or None if it refuses the values."""
    config = attempt(type(start), **full_keys(start, values))
    return None if config is None else config_fields(config)


def _matches_reading(
    reading: TypeFile, start: PreTrainedConfig, alias: str, sizes: list[int]
) -> bool:
    name = next(iter(reading.classes))
    model_class = getattr(transformers, name)
    for size in sizes:
        config: Keys = {"model_type": reading.model_type, **full_keys(start, {alias: size})}
        try:
            found = entry_in(reading, config, name)
        except ValueError:
            return False
        if find_mismatch(found, type(start), model_class, config):
            return False
    return True


def with_late_aliases(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a type's JSON with its late aliases, and with what has another effect refused."""
    file = parse_type(data)
    late, others = find_late_aliases(file, config_class_of(file.name))
    aliases = {
        name: one for name, one in data.get("aliases", {}).items() if name not in {*late, *others}
    }
    refused = " ".join(sorted({*data.get("refused", "").split(), *others}))
    late = {**data.get("late", {}), **late}
    return in_order({**data, "aliases": aliases, "late": late, "refused": refused})
