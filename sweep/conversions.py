"""Write how transformers stores the models that it builds: ``python -m sweep.conversions``.

Run it in the checkout, with PyTorch and Hugging Face transformers installed. It writes
``paramproof/catalogue/conversions.json``: transformers' own mappings between the names in a file
and the names in memory, and the ones that apply to each class of the catalogue.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import transformers
from transformers import CONFIG_MAPPING, PreTrainedModel
from transformers.conversion_mapping import (
    _MODEL_TO_CONVERSION_PATTERN,
    _build_checkpoint_conversion_mapping,
    get_model_conversion_mapping,
)
from transformers.core_model_loading import WeightTransform

from paramproof.catalogue.conversions import FILE, FORMAT
from paramproof.catalogue.names import classes_of, has_type, model_types
from sweep.library.model import attempt, make_model, model_of
from sweep.library.rows import format_json
from sweep.samples.adversary import draw_config

OLD_BUFFERS = {
    "rotary_emb.inv_freq": r"rotary_emb\.inv_freq",
    "position_ids": r"(^|\.)position_ids$",
}
"""Buffers that older files store, each with the pattern by which loading ignores it."""

SLOTS = ("prefix_to_add", "prefix_to_remove", "offset")
"""Attributes of some kinds of transforms that say what they do."""

TRIES = 20
"""The configurations that are drawn for a class whose defaults build no model."""


def main() -> None:
    """Write the file. A class that cannot be built stays as it is in the file, or is left out."""
    transformers.logging.set_verbosity(transformers.logging.CRITICAL)
    before, classes = json.loads(FILE.read_text("utf-8"))["classes"], {}
    for name, model_type in classes_of_catalogue():
        try:
            classes[name] = class_data(model_for(name, model_type))
        except ValueError as error:
            print(error, file=sys.stderr, flush=True)
            classes |= {name: before[name]} if name in before else {}
    data = {
        "format": FORMAT,
        "transformers": transformers.__version__,
        "mappings": mappings(),
        "classes": dict(sorted(classes.items())),
    }
    FILE.write_text(format_json(data), "utf-8")


def classes_of_catalogue() -> Iterator[tuple[str, str]]:
    """Yield each class of the catalogue with a model type that it belongs to."""
    found: dict[str, str] = {}
    for model_type in filter(has_type, model_types()):
        for name in classes_of(model_type):
            own = getattr(transformers, name).config_class
            if name not in found or CONFIG_MAPPING[model_type] is own:
                found[name] = model_type
    yield from sorted(found.items())


def model_for(name: str, model_type: str) -> PreTrainedModel:
    """Return a model of a class, with its defaults or, if these build none, another configuration.

    Raises ``ValueError``, on one line, if none is found.
    """
    model_class = getattr(transformers, name)
    # A class of a part has another configuration than its type.
    if model := attempt(lambda: make_model(model_class, model_class.config_class())):
        return model
    for seed in range(TRIES):
        keys = draw_config(model_type, Random(seed))
        if model := attempt(model_of, model_type, name, keys):
            return model
    raise ValueError(f"{name}: transformers builds none of the configurations tried")


@cache
def mappings() -> dict[str, Any]:
    """Return transformers' mappings by model type or class; equal ones refer to the first name."""
    found: dict[str, Any] = {}
    first: dict[str, str] = {}
    all_of_them = _build_checkpoint_conversion_mapping()
    for name in sorted(all_of_them, key=lambda name: (name in _MODEL_TO_CONVERSION_PATTERN, name)):
        transforms = all_of_them[name]
        own = [transform_data(one) for one in transforms]
        same = first.setdefault(json.dumps(own), name)
        found[name] = own if same == name else same
    return found


def transform_data(transform: WeightTransform) -> dict[str, Any]:
    """Return what one transform does on loading: its pattern, names and operations."""
    data: dict[str, Any] = {
        "kind": type(transform).__name__,
        "pattern": transform.compiled_sources.pattern,
        "sources": transform.source_patterns,
        "targets": transform.target_patterns,
    }
    data |= {name: value for name in SLOTS if (value := getattr(transform, name, None)) is not None}
    if operations := getattr(transform, "operations", None):
        data["operations"] = [
            [type(one).__name__, {k: v for k, v in vars(one).items() if v not in (None, False)}]
            for one in operations
        ]
    return data


def class_data(model: PreTrainedModel) -> dict[str, Any]:
    """Return a class's prefix, its mappings by scope, and what loading ignores."""
    patterns = set(model._keys_to_ignore_on_load_unexpected or ())
    buffers = [name for name, _ in model.named_buffers()]
    patterns |= {own for end, own in OLD_BUFFERS.items() if any(n.endswith(end) for n in buffers)}
    scopes = [*scopes_of(model)]
    data = {"prefix": model.base_model_prefix, "scopes": scopes, "ignored": sorted(patterns)}
    return {name: value for name, value in data.items() if value}


def scopes_of(model: PreTrainedModel) -> Iterator[list[str | None]]:
    """Yield the mappings that apply to a model, each with the path below which it applies.

    Transformers copies a mapping for each part of a model that it applies to. The copy is
    recognized by what it does.
    """
    names = {json.dumps(own): name for name, own in mappings().items() if isinstance(own, list)}
    own: dict[str | None, list[Any]] = {}
    for transform in get_model_conversion_mapping(model, add_legacy=False):
        own.setdefault(transform.scope_prefix, []).append(transform_data(transform))
    for scope, transforms in own.items():
        yield [scope, names[json.dumps(transforms)]]


if __name__ == "__main__":
    main()
