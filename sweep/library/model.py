"""Build a class of transformers on the meta device, and compare it with an entry, path by path.

DETR's configuration looks on the hub for a model with the name of a timm network. Here it finds
none, and nothing is downloaded.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, TypeVar

import transformers
from transformers import CONFIG_MAPPING, PreTrainedConfig, backbone_utils

from paramproof.builders.meta import meta
from paramproof.catalogue.entries import Entry
from paramproof.sources.reference import in_one_line
from sweep.library.keys import Keys
from sweep.library.verdict import Judgement, Verdict

backbone_utils.hf_api = lambda: SimpleNamespace(repo_exists=lambda _: False)

Made = TypeVar("Made")


def attempt(make: Callable[..., Made], /, *args: Any, **keys: Any) -> Made | None:
    """Return what a function of transformers makes; None if it refuses, which any error does."""
    try:
        return make(*args, **keys)
    except Exception:
        return None


def config_of(config_class: type[PreTrainedConfig], keys: Mapping[str, Any]) -> PreTrainedConfig:
    """Return the configuration for the keys of a file, in which infinity is an object."""
    decoded = config_class._decode_special_floats(copy.deepcopy(dict(keys)))
    config: PreTrainedConfig = config_class.from_dict(decoded)
    return config


def make_model(model_class: Any, config: PreTrainedConfig) -> Any:
    """Make a model on the meta device. Its warnings, as of slow widths, are ignored."""
    with meta(), warnings.catch_warnings(action="ignore"):
        return model_class(config)


def model_of(model_type: str, class_name: str, keys: Mapping[str, Any]) -> Any:
    # A configuration may warn, as Fuyu's does of rope_scaling, without refusing.
    with warnings.catch_warnings(action="ignore"):
        config = config_of(CONFIG_MAPPING[model_type], keys)
    return make_model(getattr(transformers, class_name), config)


def judge_entry(entry: Entry, config: Keys) -> Judgement:
    """Compare the model of a configuration with its entry.

    Each parameter has its path, shape and role, and those of one storage count once.
    """
    try:
        model = model_of(entry.model_type, entry.class_name, config)
    except Exception as error:
        why = f"refused by transformers: {in_one_line(error)[:150]}"
        return Judgement(config, Verdict.REFUSED, why)
    expected = {
        one.path: (one.shape, one.role == "trainable")
        for one in entry.part.tensors(entry.class_name)
        if one.role in ("trainable", "frozen")
    }
    actual = {
        path: (tuple(one.shape), one.requires_grad)
        for path, one in model.named_parameters(remove_duplicate=False)
    }
    for path in sorted(expected.keys() | actual.keys()):
        if expected.get(path) != actual.get(path):
            both = f"{expected.get(path)} expected, {actual.get(path)} built"
            return Judgement(config, Verdict.OTHER, f"{path}: {both}")
    count = sum(one.numel() for one in model.parameters() if one.requires_grad)
    if count != entry.count:
        why = f"{entry.count} expected, {count} built: other weights are tied"
        return Judgement(config, Verdict.OTHER, why)
    return Judgement(config, Verdict.EQUAL)
