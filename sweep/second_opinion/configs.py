"""Random configurations with the keys that mlx-lm requires."""

from __future__ import annotations

import copy
import json
import tomllib
from collections import Counter
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any, NamedTuple

from paramproof.catalogue.entries import Entry, entry_in, usual_class
from paramproof.catalogue.files import TypeFile
from paramproof.catalogue.value_kinds import ROTARY_BASES, default_layers
from paramproof.formulas.errors import NotInCatalogue
from paramproof.formulas.parsing import expression_in
from paramproof.formulas.path import leaf, parent
from sweep.fields.probe_values import PROBES
from sweep.library.keys import part_in, set_key
from sweep.samples.random_entries import draw_entry
from sweep.second_opinion.mlx_models import Group, MissingKeys, build, keys_read
from sweep.second_opinion.translations import translated

MAX_FILLED = 40
"""How often keys are added to one configuration."""

ALL_SIZES = (0.0,)
"""No size is left out: the libraries have other defaults."""


class WrongValue(Exception):
    """A value in ``required.toml`` is not the one that transformers' own model has."""


class BothModels(NamedTuple):
    """A configuration, its entry, and the groups of mlx-lm's model.

    ``is_counted`` is false if the catalogue does not know a value that mlx-lm requires. The entry
    is then that of the configuration without it.
    """

    config: dict[str, Any]
    entry: Entry
    groups: Counter[Group]
    is_counted: bool


def draw(file: TypeFile, random: Random) -> BothModels:
    """Draw a configuration of a type's usual class, and build it with mlx-lm.

    Raises ``Refused`` if mlx-lm does not build it, and ``ValueError`` if none can be drawn.
    """
    name = usual_class(file)
    drawn = draw_entry(file, random, [name], ALL_SIZES)
    config = copy.deepcopy(drawn.config)
    for path, value in _table("sizes", file).items():
        set_key(config, path, _written(value, drawn.entry.sizes))
    entry = entry_in(file, config, name)
    _adapt(file, config, entry)
    groups = _build(file, config, entry)
    try:
        count = entry_in(file, config, name).count
    except NotInCatalogue:
        return BothModels(config, entry, groups, is_counted=False)
    if count != entry.count:
        problem = "a key that mlx-lm requires changes the count"
        raise WrongValue(f"{file.model_type}: {problem}; {json.dumps(config)}")
    return BothModels(config, entry, groups, is_counted=True)


def _adapt(file: TypeFile, config: dict[str, Any], entry: Entry) -> None:
    """Give a configuration the keys, names and values that mlx-lm reads, for the same model."""
    for path, value in _table("instead", file).items():
        set_key(config, path, value)
    _add_sizes(file, config, entry)
    for path, value in _table("absent", file).items():
        if (part := part_in(config, parent(path))) is not None and leaf(path) not in part:
            set_key(config, path, value)
    for path, names in _table("names", file).items():
        if kinds := (part_in(config, parent(path)) or {}).get(leaf(path)):
            known, other = file.kinds[path]["names"], names["full_attention"]
            set_key(config, path, [names.get(known.get(one, one), other) for one in kinds])
    config |= translated(file, config, entry.sizes)


def _table(name: str, file: TypeFile) -> Mapping[str, Any]:
    table: Mapping[str, Any] = required()[name].get(file.model_type, {})
    return table


def _add_sizes(file: TypeFile, config: dict[str, Any], entry: Entry) -> None:
    """Give every size under the name that mlx-lm reads."""
    for key in keys_read(config):
        if key not in config and (size := _size(file, key, entry)) is not None:
            config[key] = size


def _build(file: TypeFile, config: dict[str, Any], entry: Entry) -> Counter[Group]:
    """Build a configuration, and add the keys that mlx-lm says it requires."""
    for _ in range(MAX_FILLED):
        try:
            return build(config)
        except MissingKeys as error:
            if not _add_keys(file, config, entry, error.keys):
                raise
    return build(config)


def _add_keys(file: TypeFile, config: dict[str, Any], entry: Entry, keys: tuple[str, ...]) -> bool:
    """Add keys where they are missing: at top level, or in a part. Return whether one was added."""
    for place in ("", *file.parts):
        part = part_in(config, place)
        is_read = place or set(keys) <= set(keys_read(config))
        if part is None or not is_read or set(keys) <= part.keys():
            continue
        for key in keys:
            # transformers gives a part what the whole configuration says.
            whole = config.get(key) if place else None
            value = whole if whole is not None else _value(file, f"{place}.{key}".strip("."), entry)
            if value is not None:
                set_key(config, f"{place}.{key}".strip("."), value)
        return any(key in part for key in keys)
    return False


def _size(file: TypeFile, path: str, entry: Entry) -> int | None:
    """Return the size that a key has, under any of its names, or None if it is not a size."""
    path = file.aliases.get(path, path)
    for letter, size in file.letters.items():
        if size.path == path and letter in entry.sizes:
            return entry.sizes[letter]
    if text := file.computed.get(path):
        return int(expression_in(text).evaluate(entry.sizes))
    return None


def _value(file: TypeFile, path: str, entry: Entry) -> Any:
    """Return the value of a key that transformers' own model has, or None if it is unknown."""
    if (size := _size(file, path, entry)) is not None:
        return size
    part, _, key = path.rpartition(".")
    if key == "model_type" and part:
        return file.parts[part]
    for table in (file.model_type, "any"):
        values = required().get(table, {})
        values = values.get(part, {}) if part and table != "any" else values
        if key in values and (table != "any" or file.fields.get(path) is None):
            return _written(values[key], entry.sizes)
    if path in file.fields or key in file.fields:
        return file.fields.get(path, file.fields.get(key))
    if path in file.texts:
        return file.texts[path][0]
    if (rule := file.layers.get(path)) and "repeats" in rule:
        return default_layers(rule, expression_in(rule["long"]).evaluate(entry.sizes))
    if leaf(path) in ROTARY_BASES:
        return 10_000
    return next((PROBES[sort][0] for sort in file.free.get(path, ()) if sort != "null"), None)


def _written(value: Any, sizes: Mapping[str, int]) -> Any:
    """Return a value of the table, with its expressions evaluated."""
    if isinstance(value, str) and value.startswith("= "):
        return int(expression_in(value[2:]).evaluate(sizes))
    if isinstance(value, list) and value:
        return [value[0]] * _written(value[1], sizes)
    return value


@cache
def required() -> Mapping[str, Any]:
    """Return the values of required keys, by model type."""
    return tomllib.loads(files(__package__).joinpath("required.toml").read_text("utf-8"))
