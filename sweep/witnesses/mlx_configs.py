"""Configurations that both transformers and mlx-lm read, random and public, in both libraries.

A random configuration gives all sizes, because the libraries have other defaults. mlx-lm requires
keys that transformers fills in, has under another name, or has no use for: it gets the values that
transformers' configuration has, or those of ``mlx_lm.toml``, under which transformers builds the
same model.
"""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import Any

from paramproof.catalogue.configurations import entry, with_known_types
from paramproof.catalogue.entries import Entry
from paramproof.catalogue.names import has_type, model_types, usual_class
from paramproof.catalogue.program import ABSENT, Part
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.errors import InvalidInput, NotInCatalogue
from paramproof.formulas.notation import expression_in
from paramproof.formulas.path import joined, leaf, parent
from sweep.library.keys import Keys, part_in, read_configs, set_key, with_other_sizes
from sweep.witnesses.comparison import (
    MAX_DRAWS,
    STATES,
    Comparison,
    Group,
    Refused,
    causes_of,
    compare,
    data_in,
)
from sweep.witnesses.mlx_lm import MissingKeys, build, has_language_model, keys_read

MAX_FILLED = 40
"""How often keys are added to one configuration."""

MAX_SIZE = 64
"""The largest size for a key that transformers does not read."""

OTHER_DEFAULTS = "other defaults"
"""The cause of a difference that is gone when absent keys have transformers' values."""


def draw(model_type: str, random: Random) -> tuple[Keys, Entry, Counter[Group]]:
    """Draw a configuration of a type's usual class; return it, its entry, and mlx-lm's model.

    If the catalogue does not know a value that mlx-lm requires, the entry is that of the
    configuration without it. Raises ``Refused`` if mlx-lm does not build it, and ``ValueError`` if
    none can be drawn.
    """
    name = usual_class(model_type)
    start = {"model_type": model_type, **_table("start", model_type)}
    if (config := with_other_sizes(start, random, name)) is None:
        raise ValueError(f"no configuration of {model_type} was drawn")
    for path, value in _table("sizes", model_type).items():
        set_key(config, path, _written(value, entry(config, name).derivation))
    _draw_conditions(config, entry(config, name), random)
    found = entry(config, name)
    for cause in causes_of(model_type):
        is_met = cause.when and cause.applies_to(config)
        # Where all layers are of one kind, mlx-lm may build another, whose letters are unknown.
        if is_met and not cause.replaces_in(found.derivation.sizes):
            raise ValueError(f"{model_type}: a letter that a cause replaces is missing")
    _adapt(config, found)
    groups = _build(config, found)
    with suppress(NotInCatalogue):
        if entry(config, name).count != found.count:
            # A value in ``mlx_lm.toml`` is not the one that transformers' own model has.
            problem = "a key that mlx-lm requires changes the count"
            raise RuntimeError(f"{model_type}: {problem}; {json.dumps(config)}")
    return config, found, groups


def _draw_conditions(config: Keys, found: Entry, random: Random) -> None:
    """Draw the keys that decide whether a cause applies: flags, kinds of layers, sizes, none."""
    causes = causes_of(found.model_type)
    conditions = {(path, wanted) for one in causes for path, wanted in one.when.items()}
    for path, wanted in sorted(conditions, key=str):
        value = _field(found.part, path)
        if random.random() < 0.5:
            continue
        if wanted in ("absent", "none"):
            (part_in(config, parent(path)) or {}).pop(leaf(path), None)
        elif isinstance(value, list) and value:
            kinds = _table("names", found.model_type).get(path, value)
            set_key(config, path, random.choices(sorted({*kinds}), k=len(value)))
        elif wanted not in STATES:
            other = not wanted if isinstance(wanted, bool) else value
            set_key(config, path, random.choice((wanted, other)))
        elif type(value) is int or value in (None, ABSENT):
            size = value or 1 if type(value) is int else MAX_SIZE
            set_key(config, path, random.randint(1, size))


def _adapt(config: Keys, found: Entry) -> None:
    """Give a configuration the keys, names and values that mlx-lm reads, for the same model."""
    kind, derivation = found.model_type, found.derivation
    for path, value in _table("instead", kind).items():
        set_key(config, path, _written(copy.deepcopy(value), derivation))
    # Every size under the name that mlx-lm reads.
    for key in keys_read(config):
        if key not in config and type(size := found.part.get(key)) is int:
            config[key] = size
    _fill(config, found)
    for path, names in _table("names", kind).items():
        kinds = _field(found.part, path)
        set_key(config, path, [names.get(one, names["full_attention"]) for one in kinds])
    for path, rule in _table("lists", kind).items():
        set_key(config, path, _list(_field(found.part, rule["of"]), rule))


def _fill(config: Keys, found: Entry) -> None:
    """Give a configuration transformers' values for absent keys for which mlx-lm takes others."""
    for path, value in _table("absent", found.model_type).items():
        if (part := part_in(config, parent(path))) is not None and leaf(path) not in part:
            set_key(config, path, _field(found.part, path) if value == "own" else value)


def _list(kinds: list[str], rule: Mapping[str, Any]) -> list[Any]:
    """Return a list that mlx-lm reads in place of a list of layer kinds.

    It has a value for each kind, or the places from 1 of the layers of the kinds in ``places``.
    """
    if "places" in rule:
        return [place for place, kind in enumerate(kinds, 1) if kind in rule["places"]]
    return [rule.get(kind, rule.get("others")) for kind in kinds]


def _table(name: str, model_type: str) -> dict[str, Any]:
    return dict(required()[name].get(model_type, {}))


def _build(config: Keys, found: Entry) -> Counter[Group]:
    """Build a configuration, and add the keys that mlx-lm says it requires."""
    for _ in range(MAX_FILLED):
        try:
            return build(config)
        except MissingKeys as error:
            if not _add_keys(config, found, error.keys):
                raise
    return build(config)


def _add_keys(config: Keys, found: Entry, keys: tuple[str, ...]) -> bool:
    """Add keys where they are missing: at top level, or in a part. Return whether one was added."""
    parts = [name for name, one in found.part.values.items() if isinstance(one, Part)]
    # A part that knows more of the keys is rather the one that lacks them.
    parts.sort(key=lambda name: sum(_value(found, name, key) is ABSENT for key in keys))
    for place in ("", *parts):
        part = part_in(config, place)
        is_read = place or set(keys) <= set(keys_read(config))
        if part is None or not is_read or set(keys) <= part.keys():
            continue
        for key in keys:
            value = _value(found, place, key)
            if value is not ABSENT:
                set_key(config, joined(place, key), value)
        return any(key in part for key in keys)
    return False


def _value(found: Entry, place: str, key: str) -> Any:
    """Return the value of a key that transformers' own model has, if it is known."""
    value = _field(found.part, joined(place, key))
    if value is not ABSENT and value is not None:
        return dict(value.keys) if isinstance(value, Part) else copy.deepcopy(value)
    own = required().get(found.model_type, {})
    for values in (own.get(place, {}) if place else own, required()["any"]):
        if key in values:
            return _written(values[key], found.derivation)
    return ABSENT


def _field(part: Part, path: str) -> Any:
    value: Any = part
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Part) else ABSENT
    # The reader does not know what has no part in a count.
    return ABSENT if value is ... else value


def _written(value: Any, derivation: Derivation) -> Any:
    if value == "null":
        return None
    if isinstance(value, str) and value.startswith("= "):
        return int(expression_in(value[2:]).evaluate(derivation.sizes))
    if isinstance(value, list) and str(value[-1:]).startswith("['= "):
        return [value[0]] * _written(value[1], derivation)
    return value


def required() -> Mapping[str, Any]:
    return data_in("mlx_lm.toml")


def compare_random(model_type: str, number: int, seed: int = 0) -> Iterator[Comparison | None]:
    """Yield the comparison of ``number`` random configurations of a type's usual class.

    One that mlx-lm refuses yields None, and another is drawn; there are fewer if it refuses most.
    """
    random = Random(f"{model_type} {seed}")
    for _ in range(number * MAX_DRAWS):
        try:
            drawn = draw(model_type, random)
        except (ValueError, KeyError):  # E.g. a size that other kinds of layers do not use.
            yield None
            continue
        yield compare_entry(*drawn)
        number -= 1
        if not number:
            return


def compare_entry(
    config: Mapping[str, Any], entry: Entry, groups: Mapping[Group, int]
) -> Comparison:
    derivation = entry.derivation
    return compare(entry.model_type, config, derivation, derivation.sizes, groups)


def compare_config(config: Mapping[str, Any]) -> Comparison:
    """Compare a configuration that both libraries count. Raises as they do.

    If no cause explains the difference, mlx-lm may take other values for absent keys: then it is
    compared with those of transformers, and what mlx-lm has more without them is a cause.
    """
    # mlx-lm builds the model that generates, whatever class a configuration names.
    name = usual_class(with_known_types(config)[0]["model_type"])
    found = entry(config, name)
    given = compare_entry(config, found, build(config))
    if not given.unexplained:
        return given
    filled = copy.deepcopy(dict(config))
    _fill(filled, found)
    try:
        same = compare_entry(filled, found, build(filled))
    except Refused:  # Then the difference is not explained.
        return given
    causes = {**same.causes, OTHER_DEFAULTS: str(given.theirs - same.theirs)}
    return replace(given, causes=causes, unexplained=same.unexplained)


def types_of_both() -> list[str]:
    """Return the catalogue's model types that mlx-lm builds too."""
    return [name for name in model_types() if has_type(name) and is_built(name)]


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
    every = (*read_configs("public"), *read_configs("served"))
    # A file of a served model may be a public one, too.
    kept = {json.dumps([one["source"], one["config"]]) for one in every}
    for source, config in map(json.loads, sorted(kept)):
        model_type = with_known_types(config)[0]["model_type"]
        if not is_built(config["model_type"]) or not has_type(model_type):
            continue
        with suppress(Refused, InvalidInput, NotInCatalogue):
            found = compare_config(config)
            if found.unexplained:
                raise RuntimeError(f"{source}: {found.unexplained}")
            causes = {"causes": dict(found.causes)} if found.causes else {}
            about = {"source": source, "model_type": model_type}
            yield {**about, "ours": found.ours, "theirs": found.theirs, **causes}
