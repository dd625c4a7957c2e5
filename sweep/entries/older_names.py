"""Older names of sizes, flags and lists.

A configuration class may look for a key that is not a field, and set a field from it: GLM-5's
``num_experts`` sets ``n_routed_experts``. Such keys may be in an object of their own, as
``sparse_index_dim`` is in MiniMax-M3's ``sparse_attention_config``. No model is built, since the
configuration alone sets the fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import transformers
from transformers import configuration_utils

from paramproof.catalogue.configuration import IRRELEVANT_KEYS
from paramproof.catalogue.files import TypeFile, parse_type
from paramproof.formulas.path import leaf, parent
from sweep.entries.kind_lists import KindListFinder
from sweep.entries.type_sweep import TypeSweep
from sweep.fields.field_reads import Fields, changed_fields, normalize
from sweep.fields.probe import names_in_code
from sweep.fields.unread_fields import UnreadFields
from sweep.library.model import attribute_or_none
from sweep.store import in_order

LAYER_NAMES: Mapping[str, str] = getattr(configuration_utils, "_LEGACY_LAYER_TYPE_REMAP", {})
"""The names of kinds of layers by their older names."""

NOT_ALONE = 2
"""Values with which each name is tried."""


class OlderNames:
    """Finds the keys of a type that set one of its sizes or flags, and are no fields."""

    def __init__(self, file: TypeFile) -> None:
        self.file, self.unread = file, UnreadFields(file)
        self.sizes = [
            size.path
            for size in file.letters.values()
            if not size.is_in_list
            and not size.is_kind
            and type(attribute_or_none(self.unread.start, size.path)) is int
        ]
        self.flags = [
            path
            for path in sorted({*file.fields, *file.decides})
            if type(attribute_or_none(self.unread.start, path)) is bool
        ]

    def find(self) -> dict[str, str]:
        """Return the field of each older name, by the path of the name."""
        found = {}
        for path in self.candidates():
            for field in (*self.sizes, *self.flags):
                if parent(field) == self.part_of(path) and self.is_name_of(path, field):
                    found[path] = field
                    break
        return found

    def candidates(self) -> Iterator[str]:
        """Yield the names in the code of the configurations, and these names inside of objects."""
        known = {*self.file.aliases, *self.file.late, *self.file.parts, *self.file.spelt}
        names = sorted(names_in_code(self.unread.start) - known - set(self.sizes))
        names = [one for one in names if leaf(one) not in ("per_layer_config", *IRRELEVANT_KEYS)]
        yield from names
        for outer in filter(self.takes_object, names):
            near = (one for one in names if parent(one) == parent(outer) and one != outer)
            yield from (f"{outer}.{leaf(one)}" for one in near)

    def takes_object(self, path: str) -> bool:
        """Return whether an object is accepted for a key, and not kept."""
        given = self.fields({path: {"any": 1}})
        return given is not None and given == self.plain(parent(path))

    def plain(self, part: str) -> Fields | None:
        """Return the fields of a configuration that gives a part, and nothing in it."""
        return self.fields({f"{part}.model_type": self.file.parts[part]} if part else {})

    def part_of(self, path: str) -> str:
        """Return the part in which a key is, which may be in an object of that part."""
        above = parent(path)
        return above if above in ("", *self.file.parts) else parent(above)

    def is_name_of(self, path: str, field: str) -> bool:
        """Return whether a key has the effect of a size or a flag, and no other.

        LFM2's ``tie_embedding`` is one of ``tie_word_embeddings``.
        """
        own = attribute_or_none(self.unread.start, field)
        others = [True, False] if type(own) is bool else [2 * own, own + 1, 3, 1]
        alike = 0
        for value in others:
            one, other = self.fields({path: value}), self.fields({field: value})
            if one is None or other is None:
                continue
            # The key itself may be kept beside the field that it sets.
            moves = other != self.plain(parent(field))
            if changed_fields(one, other) - {path} or moves is (value == own):
                return False
            alike += 1
        return alike >= NOT_ALONE

    def fields(self, values: Mapping[str, Any]) -> Fields | None:
        return normalize(self.unread.config_class, self.unread.keys(values))

    def layer_names(self, path: str) -> list[str]:
        """Return the older names of the layers that a list may have in any order.

        GLM-5's files have ``deepseek_sparse_attention`` for ``indexed_attention``.
        """
        found = []
        own = attribute_or_none(self.unread.start, path)
        for older, name in LAYER_NAMES.items():
            if name in self.file.layers[path]["any of"] and own:
                one, other = (self.fields({path: [kind] * len(own)}) for kind in (older, name))
                if one is not None and one == other:
                    found.append(older)
        return found


def with_older_names(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a file's JSON with the older names of sizes and lists."""
    file = parse_type(data)
    older = OlderNames(file)
    names = older.find()
    layers = dict(file.layers)
    for path, rule in layers.items():
        if "any of" in rule:
            kinds = sorted({*rule["any of"], *older.layer_names(path)})
            layers[path] = {**rule, "any of": kinds}
    aliases = dict(sorted({**data.get("aliases", {}), **names}.items()))
    refused = " ".join(one for one in file.refused if one not in names)
    classes = {name: _without_names(one, names) for name, one in data["classes"].items()}
    new = {**data, "aliases": aliases, "refused": refused, "layers": layers, "classes": classes}
    for part in ("fields", "texts", "given"):
        new[part] = {path: one for path, one in data.get(part, {}).items() if path not in names}
    if file.kinds:
        sweep = TypeSweep(file.name, lambda _: None, 0)
        finder = KindListFinder(file, sweep, getattr(transformers, next(iter(file.classes))))
        lists = [one for one in finder.find() if one.counted.path in file.kinds]
        spelt = {path: rule for one in lists for path, rule in finder.all_spellings(one)}
        new["spelt"] = {**data.get("spelt", {}), **spelt}
    return in_order(new)


def _without_names(data: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return a class in which these keys do not select variants."""
    new = {**data}
    if "decides" in data:
        new["decides"] = [path for path in data["decides"] if path not in names]
    return {key: one for key, one in new.items() if one or key != "decides"}
