"""The fields of a configuration to probe, and the sorts of values for each."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterable, Iterator
from typing import Any

from transformers import PreTrainedConfig

from paramproof.catalogue.configuration import IRRELEVANT_KEYS
from paramproof.catalogue.value_kinds import ROTARY_FACTOR, sort_of
from paramproof.formulas.path import leaf, parent
from sweep.fields.probe_values import PROBES
from sweep.library.model import attribute_or_none, sub_configs

ROPE_SORTS = tuple(sort for sort in PROBES if sort.startswith("rope_"))

SORTS_OF_NAMED = frozenset({"null", "whole", "share", "number", "empty", "wholes"})
"""Sorts to try for a name that occurs only in the configuration's code."""

SORTS_OF_READ = frozenset({"null", "flag", "zero", "whole", "share", "empty", "bare", "activation"})
"""Sorts to try for a name that a model looks for, but that is not a field."""


def fields_to_probe(
    start: PreTrainedConfig, sizes: Iterable[str], read: Iterable[str]
) -> tuple[dict[str, set[str]], dict[str, list[str]]]:
    """Return the sorts of values to try for each field, and the strings in its type.

    The fields are the configuration's own, names that a model looked for in it, and earlier names
    of rotary parameters.
    """
    taken = {name.partition("[")[0] for name in sizes} | {path for path, _ in sub_configs(start)}
    sorts: dict[str, set[str]] = {}
    texts: dict[str, list[str]] = {}
    for path, kind, value in own_fields(start):
        if path not in taken:
            sorts[path] = _sorts(kind, value)
            sorts[path] -= set() if "token" in path else {"wholes"}
            sorts[path] -= set() if "vocab" in path else {"vocabulary"}
            if leaf(path) == "rope_parameters":
                before = path.removesuffix("rope_parameters")
                sorts |= {key: {*ROPE_SORTS, "null"} for key in (path, f"{before}rope_scaling")}
                sorts[f"{before}rope_theta"] = {"whole", "number"}
            if named := _literals(kind):
                texts[path] = named
    others = dict.fromkeys(sorted(names_in_code(start)), SORTS_OF_NAMED)
    others |= {name.partition("[")[0]: SORTS_OF_READ for name in sorted(read)}
    for path, kinds in others.items():
        if path not in taken and path not in sorts and _is_key(start, path):
            quantised = path.endswith("quantization_config")
            sorts[path] = {"null", "bare", "quantization"} if quantised else set(kinds)
            if "act" not in leaf(path):
                sorts[path] -= {"activation"}
    return sorts, texts


def own_fields(start: PreTrainedConfig) -> Iterator[tuple[str, Any, Any]]:
    """Yield the path, type and value of each field that may be relevant."""
    for before, config in [("", start), *((f"{path}.", c) for path, c in sub_configs(start))]:
        for one in dataclasses.fields(config):
            value = getattr(config, one.name, None)
            is_relevant = (
                one.name not in IRRELEVANT_KEYS and one.name != "id2label" and one.name[0] != "_"
            )
            if is_relevant and not isinstance(value, PreTrainedConfig):
                yield f"{before}{one.name}", one.type, value


def _is_key(start: PreTrainedConfig, path: str) -> bool:
    """Return whether a file may have a name as a key.

    A backbone keeps its ``out_features`` as ``_out_features``, which is in no file.
    """
    name = leaf(path)
    if name.startswith("_"):
        part = attribute_or_none(start, parent(path))
        saved = part.to_dict() if isinstance(part, PreTrainedConfig) else {}
        if name not in saved and name[1:] in saved:
            return False
    return name not in IRRELEVANT_KEYS and name not in ("num_labels", "id2label", ROTARY_FACTOR)


def _sorts(kind: Any, value: Any) -> set[str]:
    """Return the sorts of values that a field may have, by its type and its value."""
    type_text = str(kind)
    found = {sort_of(value)} - {""}
    found |= {"null"} if "None" in type_text else set()
    found |= {"flag"} if "bool" in type_text else set()
    found |= {"zero", "whole", "negative"} if "int" in type_text.replace("list[int", "") else set()
    found |= {"zero", "nothing", "whole", "share", "number"} if "float" in type_text else set()
    found |= {"empty", "wholes"} if "list" in type_text else set()
    found |= (
        {"reals"}
        if "float" in type_text and ("list" in type_text or "tuple" in type_text)
        else set()
    )
    found |= {"bare", "vocabulary"} if "dict" in type_text else set()
    return found


def _literals(kind: Any) -> list[str]:
    """Return the strings that a type names with ``Literal``."""
    literals = " ".join(re.findall(r"Literal\[([^\]]*)\]", str(kind)))
    return [one.strip("'\"") for one in re.findall(r"'[^']*'|\"[^\"]*\"", literals)]


def names_in_code(start: PreTrainedConfig) -> set[str]:
    """Return the names in a configuration's code that are not its fields: older keys."""
    found: set[str] = set()
    for before, config in [("", start), *((f"{path}.", c) for path, c in sub_configs(start))]:
        own = {one.name for one in dataclasses.fields(config)}
        for kind in type(config).__mro__:
            if kind is PreTrainedConfig:
                break
            for function in vars(kind).values():
                code = (
                    getattr(inspect.unwrap(function), "__code__", None)
                    if callable(function)
                    else None
                )
                names = _strings(code) if code else set()
                found |= {f"{before}{n}" for n in names if n.isidentifier() and n not in own}
    found |= {"per_layer_config", ROTARY_FACTOR}
    # A function's own argument is in its code, and no key of a file.
    return {name for name in found if leaf(name) not in {*IRRELEVANT_KEYS, "self"}}


def _strings(code: Any) -> set[str]:
    found: set[str] = set()
    for one in code.co_consts:
        if isinstance(one, str) and len(one) < 60:
            found.add(one)
        elif isinstance(one, tuple):
            found |= {name for name in one if isinstance(name, str)}
        elif inspect.iscode(one):
            found |= _strings(one)
    return found
