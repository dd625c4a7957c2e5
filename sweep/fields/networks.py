"""Read how older files name the network of a backbone that timm builds.

DETR's older files have ``backbone`` and ``backbone_kwargs`` in place of a ``backbone_config``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from transformers import PreTrainedConfig, backbone_utils

from paramproof.catalogue.files import parse_type
from sweep.library.config_classes import config_class_of
from sweep.library.keys import Keys
from sweep.library.model import attribute_or_none, config_of
from sweep.library.refusal import attempt
from sweep.store import in_order

TIMM = "timm_backbone"

KEY, OPTIONS = "backbone", "backbone_kwargs"
"""The keys of the name of a network, and of its options."""

OTHER = "resnet18"
"""A network that no type has by default."""


def with_networks(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a file's JSON with these keys as its configuration class reads them."""
    file = parse_type(dict(data))
    config_class = config_class_of(file.name)
    new = dict(data)
    for part, kind in file.parts.items():
        if kind != TIMM or "." in part:
            continue
        own = _part(config_class, part, {})
        if own is None or _part(config_class, part, {KEY: OTHER}) != {**own, KEY: OTHER}:
            continue
        new["aliases"] = {**new.get("aliases", {}), KEY: f"{part}.{KEY}"}
        new["fields"] = {path: v for path, v in new["fields"].items() if path != KEY}
        new["free"] = {sorts: _without(KEY, paths) for sorts, paths in new["free"].items()}
        new["refused"] = _without(KEY, new.get("refused", ""))
        options = {"in_chans": own["num_channels"], "out_indices": own["out_indices"]}
        keys = {KEY: OTHER, "use_timm_backbone": True, OPTIONS: options}
        if _part(config_class, part, keys) == {**own, **options, KEY: OTHER}:
            new["texts"] = {**new.get("texts", {}), OPTIONS: [options]}
    return in_order(new)


def _part(config_class: type[PreTrainedConfig], part: str, keys: Keys) -> Keys | None:
    """Return a part of the configuration of these keys, or None if they are refused."""
    # With options, transformers asks its hub for a model of this name. There is none.
    hub = SimpleNamespace(repo_exists=lambda _: False)
    with patch.object(backbone_utils, "hf_api", lambda: hub):
        config = attempt(config_of, config_class, keys)
    found = config and attribute_or_none(config, part)
    if not isinstance(found, PreTrainedConfig):
        return None
    # Which weights are loaded says nothing about their shapes.
    return {key: v for key, v in found.to_dict().items() if key != "use_pretrained_backbone"}


def _without(name: str, names: str) -> str:
    return " ".join(one for one in names.split() if one != name)
