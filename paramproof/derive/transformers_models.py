"""Classes of Hugging Face transformers as constructors: their configuration's sizes are letters."""

from __future__ import annotations

import copy
import dataclasses
import importlib.metadata
from collections.abc import Iterator, Mapping
from typing import Any

import torch
import transformers
from transformers import AutoModel, CONFIG_MAPPING, MODEL_MAPPING, PreTrainedConfig

from paramproof.derive import live_torch
from paramproof.derive.constructor import Constructor
from paramproof.derive.torch_tracing import Tracing

NO_SIZES = ("_token_id", "_token_index", "_index", "_idx")
"""Ends of fields that are numbers and no sizes."""

NAMES_NO_SIZE = frozenset({"chunk_size_feed_forward", "torch_dtype", "pretraining_tp"})


def constructor(what: str, given: Mapping[str, Any] | None = None) -> Constructor:
    """Return the constructor of a model type or a class: ``deepseek_v3``, ``BertForMaskedLM``."""
    if what in CONFIG_MAPPING:
        config_class = CONFIG_MAPPING[what]
        model_class = MODEL_MAPPING[config_class]
    else:
        model_class = getattr(transformers, what)
        config_class = model_class.config_class
    if isinstance(model_class, tuple):
        model_class = model_class[0]
    start = config_class(**(given or {}))
    sizes = dict(_sizes(start))

    def make(chosen: Mapping[str, int]) -> Any:
        config = _with(config_class, given or {}, start, chosen)
        with torch.device("meta"):
            return model_class(config)

    package = model_class.__module__.rpartition(".")[0]
    return Constructor(
        what,
        sizes,
        make,
        live_torch.tensors,
        Tracing,
        (package, "transformers.models", "torch.nn", "transformers.configuration_utils"),
        {name: importlib.metadata.version(name) for name in ("transformers", "torch")},
    )


def _sizes(config: PreTrainedConfig, prefix: str = "") -> Iterator[tuple[str, int]]:
    for field in dataclasses.fields(config):
        value = getattr(config, field.name, None)
        if isinstance(value, PreTrainedConfig):
            yield from _sizes(value, f"{prefix}{field.name}.")
        elif _is_size(field.name, value):
            yield f"{prefix}{field.name}", value
        elif isinstance(value, list | tuple) and value and all(_is_size("", v) for v in value):
            yield from ((f"{prefix}{field.name}[{i}]", v) for i, v in enumerate(value))


def _is_size(name: str, value: object) -> bool:
    return (
        type(value) is int
        and value > 0
        and not name.endswith(NO_SIZES)
        and name not in NAMES_NO_SIZE
    )


def _with(
    config_class: type[PreTrainedConfig],
    given: Mapping[str, Any],
    start: PreTrainedConfig,
    chosen: Mapping[str, int],
) -> PreTrainedConfig:
    """Return a configuration with these sizes, every field that is a size given."""
    fields = copy.deepcopy(dict(given))
    inner: dict[str, dict[str, int]] = {}
    for name, value in chosen.items():
        head, dot, rest = name.partition(".")
        if dot:
            inner.setdefault(head, {})[rest] = value
        elif name.endswith("]"):
            base, _, index = name[:-1].partition("[")
            current = fields.get(base)
            if not isinstance(current, list):
                fields[base] = list(getattr(start, base))
            fields[base][int(index)] = value
        else:
            fields[name] = value
    for head, sizes in inner.items():
        part = getattr(start, head)
        own = given.get(head) or {}
        own = own if isinstance(own, Mapping) else {}
        fields[head] = _with(type(part), own, part, sizes)
    return config_class(**fields)
