"""Read how older files name the network of a backbone that timm builds.

DETR's older files have ``backbone`` and ``backbone_kwargs`` in place of a ``backbone_config``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from transformers import PreTrainedConfig

from paramproof.catalogue.configuration import NETWORK, NETWORK_OPTIONS, TIMM
from paramproof.catalogue.files import parse_type
from sweep.library.config_classes import config_class_of
from sweep.library.keys import Keys
from sweep.library.model import attribute_or_none, config_of
from sweep.library.refusal import attempt
from sweep.store import in_order

OTHER = "resnet18"
"""A network that no type has by default."""


def with_networks(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a file's JSON with these keys as its configuration class reads them."""
    file = parse_type(dict(data))
    config_class = config_class_of(file.name)
    new = dict(data)
    for part, kind in file.parts.items():
        if kind == TIMM and "." not in part and _is_read(config_class, part):
            new["aliases"] = {**new.get("aliases", {}), NETWORK: f"{part}.{NETWORK}"}
            new["fields"] = {path: v for path, v in new["fields"].items() if path != NETWORK}
            new["free"] = {sorts: _without(NETWORK, paths) for sorts, paths in new["free"].items()}
            new["refused"] = _without(NETWORK, new.get("refused", ""))
    return in_order(new)


def _is_read(config_class: type[PreTrainedConfig], part: str) -> bool:
    """Return whether older files may give a part by the name of its network, and by options.

    The name alone replaces that of the usual part. With options, it is a part of its own.
    """
    own = _part(config_class, part, {})
    named = _part(config_class, part, {NETWORK: OTHER})
    options = {"in_chans": 3, "out_indices": [0, 1], "num_channels": 4}
    keys = {NETWORK: OTHER, "use_timm_backbone": True, NETWORK_OPTIONS: options}
    inside = {part: {"model_type": TIMM, NETWORK: OTHER, **options}}
    is_part = _part(config_class, part, keys) == _part(config_class, part, inside)
    return own is not None and named == {**own, NETWORK: OTHER} and is_part


def _part(config_class: type[PreTrainedConfig], part: str, keys: Keys) -> Keys | None:
    """Return a part of the configuration of these keys, or None if they are refused."""
    config = attempt(config_of, config_class, keys)
    found = config and attribute_or_none(config, part)
    if not isinstance(found, PreTrainedConfig):
        return None
    # Which weights are loaded says nothing about their shapes.
    return {key: v for key, v in found.to_dict().items() if key != "use_pretrained_backbone"}


def _without(name: str, names: str) -> str:
    return " ".join(one for one in names.split() if one != name)
