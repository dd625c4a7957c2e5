"""Configurations as their keys: by path, published ones, and those with other sizes.

This needs neither PyTorch nor transformers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from paramproof.catalogue.configurations import entry
from paramproof.derivation.sampling import sample_inside

Keys = dict[str, Any]


def read_configs(name: str = "public") -> list[dict[str, Any]]:
    """Return the configurations of a file of the tests.

    Each has its ``source``: a repository, and a path in it. Names, versions, number types, texts of
    labels and tasks, custom code, and lists of more than 400 characters in storage formats are left
    out.
    """
    file = Path(__file__).parents[2] / "tests" / "catalogue" / f"{name}.jsonl"
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def with_other_sizes(config: Keys, random: Random, class_name: str = "") -> Keys | None:
    """Return a configuration with random sizes that meet the conditions of its formula.

    It is None if the configuration has no formula, or no such sizes are found.
    """
    try:
        derivation = entry(config, class_name).derivation
    except ValueError:
        return None
    # A size that has one value may be 0, which is never drawn.
    fixed = (one.condition.only[0] for one in derivation.conditions if one.condition.only)
    derivation = replace(derivation, fixed=(*derivation.fixed, *fixed))
    sizes, found = sample_inside(random, derivation), deepcopy(config)
    for letter, size in (sizes or {}).items():
        if "[" not in derivation.fields[letter]:
            set_key(found, derivation.fields[letter], size)
    return found if sizes else None


def set_key(keys: Keys, path: str, value: Any) -> None:
    """Set the value at a path, such as ``vision_config.hidden_size`` or ``depths[1]``."""
    *parts, name = path.split(".")
    for part in parts:
        keys = keys.setdefault(part, {})
    base, bracket, index = name.partition("[")
    if not bracket:
        keys[name] = value
        return
    items = keys.setdefault(base, [])
    items.extend([None] * (int(index[:-1]) + 1 - len(items)))
    items[int(index[:-1])] = value


def part_in(keys: Keys, path: str) -> Keys | None:
    here: Any = keys
    for name in path.split(".") if path else ():
        here = here.get(name) if isinstance(here, dict) else None
    return here if isinstance(here, dict) else None


def own_keys(keys: Keys) -> Iterator[tuple[Keys, str]]:
    """Yield each key with the object that it is in. A part is an object with a model type."""
    for name, value in keys.items():
        if isinstance(value, dict) and "model_type" in value and "." not in name:
            yield from own_keys(value)
        else:
            yield keys, name
