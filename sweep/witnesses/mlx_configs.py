"""Configurations that both transformers and mlx-lm read, random and public, in both libraries.

A random configuration gives all sizes, because the libraries have other defaults. mlx-lm requires
keys that transformers has under another name, or has no use for: ``mlx_lm.toml`` has their values,
under which transformers builds the same model.
"""

from __future__ import annotations

import copy
import json
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any

from paramproof.catalogue.files import TypeFile
from paramproof.catalogue.value_kinds import ROTARY_BASES, default_layers

from paramproof.catalogue import read_type
from paramproof.catalogue.entries import Entry, entry, entry_in, type_named, usual_class
from paramproof.catalogue.names import transformers_types
from paramproof.formulas.errors import InvalidInput, NotInCatalogue
from paramproof.formulas.notation import expression_in
from paramproof.formulas.path import leaf, parent
from sweep.fields.probe_values import PROBES
from sweep.library.keys import part_in, set_key
from sweep.samples.random_configs import draw_entry
from sweep.witnesses.comparison import Comparison, Group, Refused, compare
from sweep.witnesses.mlx_lm import MissingKeys, build, has_language_model, keys_read

FOLDER = Path(__file__).parents[2] / "tests" / "catalogue"
FILES = ("public.jsonl", "served.jsonl")

MAX_DRAWS = 20
"""The most configurations that are drawn for each one that mlx-lm builds."""

MAX_FILLED = 40
"""How often keys are added to one configuration."""

ALL_SIZES = (0.0,)
"""No size is left out: the libraries have other defaults."""


class WrongValue(Exception):
    """A value in ``mlx_lm.toml`` is not the one that transformers' own model has."""


def draw(file: TypeFile, random: Random) -> tuple[dict[str, Any], Entry, Counter[Group]]:
    """Draw a configuration of a type's usual class; return it, its entry, and mlx-lm's model.

    If the catalogue does not know a value that mlx-lm requires, the entry is that of the
    configuration without it. Raises ``Refused`` if mlx-lm does not build it, and ``ValueError`` if
    none can be drawn.
    """
    name = usual_class(file)
    drawn = draw_entry(file, random, [name], ALL_SIZES)
    config = copy.deepcopy(drawn.config)
    for path, value in _table("sizes", file).items():
        set_key(config, path, _written(value, drawn.entry.sizes))
    entry = entry_in(file, config, name)
    _adapt(file, config, entry)
    groups = _build(file, config, entry)
    with suppress(NotInCatalogue):
        if entry_in(file, config, name).count != entry.count:
            problem = "a key that mlx-lm requires changes the count"
            raise WrongValue(f"{file.model_type}: {problem}; {json.dumps(config)}")
    return config, entry, groups


def _adapt(file: TypeFile, config: dict[str, Any], entry: Entry) -> None:
    """Give a configuration the keys, names and values that mlx-lm reads, for the same model."""
    for path, value in _table("instead", file).items():
        set_key(config, path, _written(copy.deepcopy(value), entry.sizes))
    # Every size under the name that mlx-lm reads.
    for key in keys_read(config):
        if key not in config and (size := _size(file, key, entry)) is not None:
            config[key] = size
    for path, value in _table("absent", file).items():
        if (part := part_in(config, parent(path))) is not None and leaf(path) not in part:
            set_key(config, path, value)
    for path, names in _table("names", file).items():
        if kinds := (part_in(config, parent(path)) or {}).get(leaf(path)):
            known, other = file.kinds[path]["names"], names["full_attention"]
            set_key(config, path, [names.get(known.get(one, one), other) for one in kinds])
    for path, rule in _table("lists", file).items():
        set_key(config, path, _list(file, config, rule, entry.sizes))


def _list(file: TypeFile, config: Mapping[str, Any], rule: Any, sizes: Mapping[str, int]) -> Any:
    """Return a list that mlx-lm reads in place of the list of layer kinds ``of`` transformers.

    It has a value for each kind, or the places from 1 of the layers of the kinds in ``places``.
    """
    of = rule["of"]
    if config.get(of) is not None:
        kinds = [file.kinds[of]["names"][one] for one in config[of]]
    elif of in file.layers:
        kinds = default_layers(file.layers[of], _written(f"= {file.layers[of]['long']}", sizes))
    else:
        kinds = ["dense"] * sizes["D"] + ["sparse"] * (sizes["L"] - sizes["D"])
    if "places" in rule:
        return [place for place, kind in enumerate(kinds, 1) if kind in rule["places"]]
    return [rule.get(kind, rule.get("others")) for kind in kinds]


def _table(name: str, file: TypeFile) -> Mapping[str, Any]:
    table: Mapping[str, Any] = required()[name].get(file.model_type, {})
    return table


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
    if value == "null":
        return None
    if isinstance(value, str) and value.startswith("= "):
        return int(expression_in(value[2:]).evaluate(sizes))
    if isinstance(value, list) and str(value[-1:]).startswith("['= "):
        return [value[0]] * _written(value[1], sizes)
    return value


@cache
def required() -> Mapping[str, Any]:
    return tomllib.loads(files(__package__).joinpath("mlx_lm.toml").read_text("utf-8"))


def compare_random(model_type: str, number: int, seed: int = 0) -> Iterator[Comparison | None]:
    """Yield the comparison of ``number`` random configurations of a type's usual class.

    One that mlx-lm refuses yields None, and another is drawn; there are fewer if it refuses most.
    """
    file, random = read_type(model_type), Random(f"{model_type} {seed}")
    for _ in range(number * MAX_DRAWS):
        try:
            drawn = draw(file, random)
        except ValueError:
            yield None
            continue
        yield compare_entry(*drawn)
        number -= 1
        if not number:
            return


def compare_entry(
    config: Mapping[str, Any], entry: Entry, groups: Mapping[Group, int]
) -> Comparison:
    return compare(config["model_type"], config, entry.derivation, entry.sizes, groups)


def compare_config(config: Mapping[str, Any]) -> Comparison:
    """Compare a configuration that both libraries count. Raises as they do."""
    groups, model_type = build(config), type_named(config) or config["model_type"]
    # mlx-lm builds the model that generates, whatever class a configuration names.
    ours = entry(config, usual_class(read_type(model_type)))
    return compare_entry({**config, "model_type": model_type}, ours, groups)


def types_of_both() -> list[str]:
    """Return the catalogue's model types that mlx-lm builds too."""
    return [name for name in transformers_types() if is_built(name)]


def is_built(model_type: str) -> bool:
    """Return whether mlx-lm has a model of this type that is the same one as transformers'."""
    try:
        return model_type not in required()["excluded"] and has_language_model(model_type)
    except Refused:
        return False


def compare_public() -> Iterator[dict[str, Any]]:
    """Yield the comparison of each configuration of the tests that both libraries count.

    Raises ``RuntimeError`` if a difference is not explained.
    """
    every = [one for name in FILES for one in (FOLDER / name).read_text("utf-8").splitlines()]
    # A file of a served model may be a public one, too.
    kept = {json.dumps([one["source"], one["config"]]) for one in map(json.loads, every)}
    for source, config in map(json.loads, sorted(kept)):
        model_type = type_named(config) or config["model_type"]
        if not is_built(config["model_type"]) or model_type not in transformers_types():
            continue
        with suppress(Refused, InvalidInput, NotInCatalogue):
            found = compare_config(config)
            if found.unexplained:
                raise RuntimeError(f"{source}: {found.unexplained}")
            causes = {"causes": dict(found.causes)} if found.causes else {}
            about = {"source": source, "model_type": model_type}
            yield {**about, "ours": found.ours, "theirs": found.theirs, **causes}
