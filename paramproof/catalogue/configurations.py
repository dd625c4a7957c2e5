"""Find the entry of a configuration: the class that it means, at the sizes that it gives.

The programs of transformers' classes count, and refuse what the classes refuse. This module chooses
the class, and refuses what would be counted with another size than the one that was meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from paramproof.catalogue.entries import Entry, with_key
from paramproof.catalogue.names import (
    find_class,
    has_type,
    model_types,
    named_class,
    programs,
    type_of_class,
    usual_class,
)
from paramproof.catalogue.program import ABSENT, Part, Program, Refused
from paramproof.catalogue.refusals import impossible, refusal
from paramproof.catalogue.unknown_keys import find_unknown_keys
from paramproof.formulas.active import says_per_token
from paramproof.formulas.errors import InvalidInput, NotInCatalogue
from paramproof.formulas.path import joined, lies_in
from paramproof.formulas.printing import legible, pair_text, shown
from paramproof.key_names import is_too_large, looks_like_size


def entry(config: Mapping[str, Any], class_name: str = "") -> Entry:
    """Return the entry for the keys of a ``config.json``; this needs no framework.

    ``class_name`` overrides the class in ``architectures``. If neither names a class, the entry is
    that of ``usual_class``. Code that ``auto_map`` names is ignored.

    Raises ``InvalidInput``, with the key, for a wrong configuration, and ``NotInCatalogue`` for one
    that transformers refuses or that has no formula.
    """
    kind = config.get("model_type")
    if not isinstance(kind, str):
        problem = f"{pair_text('model_type', kind)} is not a model type of transformers"
        raise InvalidInput(problem, key="model_type")
    named, (keys, read_as) = class_name or named_class(config), with_known_types(config)
    model_type = str(keys["model_type"])
    chosen = find_class(model_type, named) if named else usual_class(model_type)
    _require_one_value(keys, programs().program(programs().types[model_type]))
    try:
        part = programs().configuration(keys)
        count = part.count(chosen)["trainable"]
        found = Entry(model_type, chosen, part, count, bool(named))
    except Refused as error:
        raise refusal(error, chosen, keys) from None
    for inner in found.parts.values():
        _require_one_value(inner.keys, inner.program)
    _require_sizes(found)
    found = replace(found, unknown=find_unknown_keys(found, keys), read_as=read_as)
    _require_sizes_of_renamed(found)
    return found


def with_known_types(config: Mapping[str, Any]) -> tuple[Mapping[str, Any], dict[str, str]]:
    """Return keys in which each model type is one of transformers, and what each other is read as.

    Kimi K2's files have a ``model_type`` that transformers does not have, and name the class of
    DeepSeek-V3, whose keys they have. Kimi-K2.5 has such a part. Files have infinity as an object.
    """
    read_as: dict[str, str] = {}
    changed: dict[str, Any] = {}
    for name, value in config.items():
        if isinstance(value, dict) and isinstance(value.get("model_type"), str):
            changed[name], more = with_known_types(value)
            read_as |= more
        elif isinstance(value, list | dict) and (found := _decoded(value)) != value:
            changed[name] = found
    kind: str = config["model_type"]
    names: Any = config.get("architectures")
    is_known = has_type(kind) or kind in model_types() or not isinstance(names, list)
    if not is_known and len(names) == 1 and (other := type_of_class(str(names[0]))):
        changed["model_type"] = read_as[kind] = other
    return ({**config, **changed}, read_as) if changed else (config, read_as)


def _decoded(value: Any) -> Any:
    if isinstance(value, dict) and value.get("__float__") in ("Infinity", "-Infinity"):
        return float(value["__float__"])
    return [*map(_decoded, value)] if isinstance(value, list) else value


def _require_one_value(keys: Mapping[str, Any], program: Program) -> None:
    """Raise ``InvalidInput`` if two names of a field have two values."""
    for name, field in program.aliases.items():
        if name in keys and field in keys and keys[name] != keys[field]:
            both = f"{pair_text(name, keys[name])} and {pair_text(field, keys[field])}"
            raise InvalidInput(f"{both} are of one field, but differ: give one of them", key=name)


def _require_sizes(found: Entry) -> None:
    """Raise ``InvalidInput`` for a size that is too large, an empty weight's, or a layer's own."""
    layers, base = "per_layer_config", programs().program("PreTrainedConfig").fields
    for path, part in found.parts.items():
        if own := part.keys.get(layers):
            keys, filled = with_key(found.part, at := joined(path, layers), ABSENT), ABSENT
            with suppress(Refused):
                filled = replace(found, part=programs().configuration(keys)).parts[path].get(layers)
            numbers = {str(one).lstrip("0") or "0" for one in own}
            others = isinstance(filled, dict) and {*map(str, filled)} != numbers
            if others or part.program.fields.get(layers) is base[layers]:
                raise InvalidInput(f"{pair_text(at, own)} is not supported: leave it out", key=at)
        for key, value in part.keys.items():
            name, where = part.program.aliases.get(key, key), joined(path, key)
            if name not in part.program.types:
                continue
            # No class compares the number of experts of a token, and few compare that of heads.
            is_compared = not (says_per_token(name) or name.endswith("heads"))
            if is_too_large(value) or (type(value) is int and value < 0 and not is_compared):
                raise impossible(where, value)
            other = part.program.defaults.get(name)
            if type(value) is int and not value and other != 0 and looks_like_size(name):
                with suppress(Refused):
                    keys = with_key(found.part, joined(path, name), other or 1)
                    made = programs().configuration(keys)
                    if _empty(made, found.class_name) < _empty(found.part, found.class_name):
                        raise impossible(where, 0)


def _empty(part: Part, name: str) -> int:
    return sum(one.role == "trainable" and 0 in (one.shape or ()) for one in part.tensors(name))


def _require_sizes_of_renamed(found: Entry) -> None:
    """Raise ``NotInCatalogue`` if a file that is read as another type's lacks sizes of that type.

    RWKV-5 names the class of RWKV-4, whose models do not have a ``head_size``.
    """
    keys = found.part.keys
    for kind, other in found.read_as.items():
        where = [path for path, part in found.parts.items() if part.get("model_type") == other]
        lacking = [one for one in found.assumed if any(lies_in(one, path) for path in where)]
        ints = [one for one in found.unknown if type(keys.get(one)) is int and keys[one] > 1]
        if names := lacking or (ints if "" in where else []):
            problem = f"there is no formula for the model type {shown(kind)}, and {other}, the "
            problem += "type of the class in its architectures, "
            problem += ("needs " if lacking else "does not have ") + ", ".join(map(legible, names))
            raise NotInCatalogue(problem, model_type=kind, key="model_type")
