"""Keys at top level that a configuration moves into a part that is absent.

Files of older models are flat: Qwen2-VL's have the sizes of its text model at top level. No model
is built, since the configuration alone moves the keys.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from transformers import PreTrainedConfig

from paramproof.catalogue.files import TypeFile
from paramproof.formulas.path import leaf, parent
from sweep.fields.probe_values import LARGE, PROBES
from sweep.library.keys import Keys
from sweep.library.model import attribute_at, sub_configs
from sweep.library.refusal import Attempt
from sweep.library.seed_values import seed_config


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
        """Yield other values for a key."""
        path, own_value = f"{self.part}.{name}", self.own.get(name)
        if type(own_value) is int:
            yield from (2 * own_value, own_value + 1)
        if isinstance(own_value, list) and path in self.file.layers:
            yield from ([one] * len(own_value) for one in self.file.layers[path].get("any of", ()))
        yield from self.file.texts.get(path, ())
        yield from (one for values in PROBES.values() for one in values if one != LARGE)

    def in_part(self, keys: Keys) -> list[str] | None:
        """Return the resulting parts if keys are given in this part."""
        return self.given({self.part: {"model_type": self.file.parts[self.part], **keys}})

    def given(self, keys: Keys) -> list[str] | None:
        """Return the resulting parts of a configuration, or None if it is refused."""
        with Attempt():
            config = self.config_class.from_dict(deepcopy(keys))
            return [json.dumps(one.to_dict(), default=str) for _, one in sub_configs(config)]
        return None
