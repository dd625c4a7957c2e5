"""The model types, classes and configuration keys of transformers, by name.

``sweep/names.py`` writes ``names.json``. It tells what an entry cannot: whether a configuration
class has a key, and whether a class exists.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from paramproof.catalogue.files import (
    TypeFile,
    entry_names,
    model_types,
    read_type,
    type_of,
    type_of_class,
)

NAMES = Path(__file__).parent / "names.json"


@cache
def _names() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(NAMES.read_text("utf-8"))
    return found


@cache
def irrelevant_keys(kind: str) -> frozenset[str]:
    """Return the keys without an effect on tensors.

    Those of ``any`` model type, ``private`` ones, or those of ``older`` releases: what versions 2
    to 4 of transformers wrote into every file, and version 5 does not have or keeps elsewhere.
    """
    found = json.loads(NAMES.with_name("irrelevant_keys.json").read_text("utf-8"))
    return frozenset(found[kind].split())


@cache
def refused_kinds(*, in_part: bool = False) -> dict[str, frozenset[str]]:
    """Return the kinds of values that transformers refuses in any model type, by key.

    The keys are those of the base class of all configurations. In a part some have no effect.
    """
    found = _names()["kinds"]["part" if in_part else "whole"]
    return {key: frozenset(kinds.split()) for key, kinds in found.items()}


def kinds_to_give(key: str) -> list[str]:
    """Return the kinds of values that transformers declares for such a key, or none."""
    return str(_names()["kinds"]["instead"][key]).split()


def release() -> str:
    return str(_names()["transformers"])


def has_type(model_type: str) -> bool:
    """Return whether transformers has a configuration class for this model type."""
    return model_type in _names()["types"]


@cache
def transformers_types() -> tuple[str, ...]:
    """Return the model types that have an entry derived from transformers, and not from mlx-lm."""
    return tuple(name for name in model_types() if has_type(name))


@cache
def transformers_entries() -> tuple[str, ...]:
    """Return the names of the entries that were derived from transformers."""
    return tuple(name for name in entry_names() if has_type(type_of(name)))


def has_class(model_type: str, name: str) -> bool:
    _, classes = _names()["types"].get(model_type, ("", ""))
    own = read_type(model_type).classes if model_type in model_types() else ()
    return name in own or name in classes.split()


@cache
def _types_of_classes() -> dict[str, str]:
    """Return the model type of each class; the first one if several types have it."""
    found: dict[str, str] = {}
    for model_type, (_, classes) in _names()["types"].items():
        for name in classes.split():
            found.setdefault(name, model_type)
    return found


def type_with_class(name: str) -> str | None:
    return type_of_class(name) or _types_of_classes().get(name)


def type_keys(model_type: str) -> set[str]:
    """Return the keys of a type's configuration class that its entry does not have."""
    keys, _ = _names()["types"].get(model_type, ("", ""))
    return {*_names()["keys"].split(), *keys.split()}


def known_keys(file: TypeFile) -> set[str]:
    """Return the paths of all keys that an entry names, such as ``text_config.hidden_size``."""
    found = {field.key for field in file.letters.values()}
    for names in (
        *(file.null, file.fields, file.free, file.texts, file.below, file.layers, file.computed),
        *(file.refused, file.buffered, file.aliases, file.late, file.parts, file.instead),
        *(file.given, file.unread, file.filled, file.kinds, file.spelt, *file.flat.values()),
    ):
        found |= set(names)
    for data in file.classes.values():
        for variant in (data, *data.get("also", ())):
            found |= set(variant.get("sized", ()))
    return found
