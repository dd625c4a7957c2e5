"""Older keys, which a configuration accepts but for which it has no field.

Files of older models may be flat: those of Qwen2-VL have the sizes of its text model at top level,
and the class moves them into a part that is absent. Those of DETR have ``backbone`` and
``backbone_kwargs`` in place of a ``backbone_config``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from transformers import PreTrainedConfig

from paramproof.catalogue.configuration import NETWORK, NETWORK_OPTIONS, TIMM
from paramproof.catalogue.files import TypeFile, parse_type
from paramproof.formulas.path import leaf, parent
from sweep.fields.layer_lists import DEPTHS, MAX_PERIOD
from sweep.fields.probe import Prober
from sweep.fields.probe_values import LARGE, PROBES
from sweep.library.keys import Keys, remove_key
from sweep.library.model import attribute_at, attribute_or_none, config_of, full_keys, sub_configs
from sweep.library.model_types import config_class_of
from sweep.library.refusal import Attempt, attempt
from sweep.library.seed_values import seed_config
from sweep.store import in_order


def number_like_absent(trials: Prober, path: str) -> int | None:
    """Return the number that has the effect of an absent key, or None if none has.

    It is 4 for Qwen3-Next's ``full_attention_interval``: the configuration is the same, at many
    values of each size, and so are the tensors.
    """
    numbers = range(1, MAX_PERIOD + 1)
    found = (one for one in numbers if _is_like_absent(trials, path, one))
    return next((one for one in found if not trials.outcome({path: one})), None)


def _is_like_absent(trials: Prober, path: str, number: int) -> bool:
    return all(
        _config_without(trials, {**point, path: number}, path)
        == _config_without(trials, point, path)
        for point in _points(trials, parent(path))
    )


def _points(trials: Prober, part: str) -> Iterator[Mapping[str, Any]]:
    """Yield the prober's points, and each of them with another value of one size in a part."""
    for point in trials.points:
        yield point
        for field in point:
            if parent(field) == part and "[" not in field:
                yield from ({**point, field: size} for size in DEPTHS)


def _config_without(trials: Prober, values: Mapping[str, Any], path: str) -> str | None:
    """Return a configuration's JSON without one key, or None if it is refused."""
    with Attempt():
        keys: Keys = trials.config_class(**full_keys(trials.start, values)).to_dict()
        remove_key(keys, path)
        return json.dumps(keys, default=str)
    return None


def find_flat_keys(
    file: TypeFile, config_class: type[PreTrainedConfig]
) -> tuple[dict[str, str], set[str]]:
    """Return the flat keys of each part, and the keys for which it could not be determined."""
    found: dict[str, str] = {}
    unclear: set[str] = set()
    for part in file.parts:
        sizes, others = (names - file.aliases.keys() for names in _key_names(file, part))
        if "." in part or not sizes:
            continue
        keys = _FlatKeyTest(file, config_class, part)
        if any(keys.is_flat(name) for name in sizes):
            is_flat_by_name = {name: keys.is_flat(name) for name in sorted(sizes | others)}
            found[part] = " ".join(name for name, is_flat in is_flat_by_name.items() if is_flat)
            unclear |= {name for name, is_flat in is_flat_by_name.items() if is_flat is None}
    return found, unclear


def _key_names(file: TypeFile, part: str) -> tuple[set[str], set[str]]:
    """Return the names of a part's sizes, and of its other keys that the file mentions."""
    sizes = {size.key for size in file.letters.values()}
    known = {*file.aliases, *file.fields, *file.computed, *file.free, *file.texts, *file.below}
    known |= {*file.layers, *file.refused, *file.unread}
    known |= file.decides
    return (
        {leaf(path) for path in sizes if parent(path) == part},
        {leaf(path) for path in known if parent(path) == part},
    )


class _FlatKeyTest:
    """Compares a key in a part with the same key at top level, by the resulting parts."""

    def __init__(self, file: TypeFile, config_class: type[PreTrainedConfig], part: str) -> None:
        self.file, self.config_class, self.part = file, config_class, part
        self.own = attribute_at(seed_config(config_class), part).to_dict()
        flags = {name: not one for name, one in self.own.items() if type(one) is bool}
        # Qwen2 ignores the width of its window unless a flag enables the window.
        self.beside: list[Keys] = [{}]
        self.beside += [{name: one} for name, one in flags.items() if self.is_flat(name)]

    def is_flat(self, name: str) -> bool | None:
        """Return whether a key at top level has the effect that it has in the part.

        The first value with an effect decides. False if the key at top level has no effect, None if
        neither was seen.
        """
        for beside in self.beside if name in self.own else self.beside[:1]:
            none, *_ = both = self.given(beside), self.in_part(beside)
            for value in self.values(name):
                inside = self.in_part({**beside, name: value})
                if inside and inside not in both:
                    outside = self.given({**beside, name: value})
                    return True if outside == inside else False if outside == none else None
        return None

    def values(self, name: str) -> Iterator[Any]:
        path, own_value = f"{self.part}.{name}", self.own.get(name)
        if type(own_value) is int:
            yield from (2 * own_value, own_value + 1)
        if isinstance(own_value, list) and path in self.file.layers:
            yield from ([one] * len(own_value) for one in self.file.layers[path].get("any of", ()))
        yield from self.file.texts.get(path, ())
        yield from (one for values in PROBES.values() for one in values if one != LARGE)

    def in_part(self, keys: Keys) -> list[str] | None:
        return self.given({self.part: {"model_type": self.file.parts[self.part], **keys}})

    def given(self, keys: Keys) -> list[str] | None:
        """Return the resulting parts of a configuration, or None if it is refused."""
        with Attempt():
            config = self.config_class.from_dict(deepcopy(keys))
            return [json.dumps(one.to_dict(), default=str) for _, one in sub_configs(config)]
        return None


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
