"""Fields that no class of a type reads, whose values therefore never change a tensor.

Each class is built from its own configuration, and from others with the same tensors, while its
reads are recorded. Any value of a kind is accepted for a key if the configuration class takes that
kind, and no field that is read changes with it.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import transformers

from paramproof.catalogue.configuration import IRRELEVANT_KEYS, QUANTIZATION
from paramproof.catalogue.derivations import Variant, derivation_of, kept_variants
from paramproof.catalogue.entries import own_sizes
from paramproof.catalogue.files import TypeFile
from paramproof.catalogue.value_kinds import ROTARY_FACTOR, kind_of, sort_of
from paramproof.formulas.path import leaf, parent
from sweep.fields.field_reads import FieldReads, Fields, changed_fields, normalize, record_reads
from sweep.fields.probe_values import PROBES
from sweep.fields.variants import VARIANT_SIZE
from sweep.library.keys import Keys, set_key
from sweep.library.model import (
    attribute_at,
    attribute_or_none,
    build,
    config_of,
    full_keys,
    sub_configs,
)
from sweep.library.model_types import classes_of_type, config_class_of
from sweep.library.refusal import Attempt, attempt
from sweep.library.seed_values import missing_sizes, seed_config, seed_values_of

VALUES_OF_KIND: Mapping[str, Sequence[Any]] = {
    "null": [None],
    "flag": [True, False],
    "int": [0, 1, 3, -1, 10**6],
    "float": [0.0, 0.5, 16.5, -1.0],
    "text": ["", "any"],
    "ints": [[], [0], [1, 2, 3]],
    "numbers": [[0.5], [0.5, 1]],
    "texts": [["a", "b"]],
    "list": [[[1, 2], [3, 4]]],
    "object": [{}, {"a": 1}],
}
"""Values for each kind that ``kind_of`` distinguishes."""

ANY_VALUES: Sequence[Any] = (None, True, False, 0, 3, 0.5, "any", ["a"], [1], {})
"""Values for a name about which nothing is known."""

NO_KEYS = ("id2label", "num_labels", "allow_global_per_layer_attribute_access")
"""Saved names that are labels, or are set while a type is swept."""

ROTARY_SHARES = (0.25, 0.334, 0.5, 0.75)
"""Shares of a head that may be rotated."""

ROTARY_NAMES = ("rope_", ROTARY_FACTOR)
"""Beginnings of names whose values have sorts of their own."""

TYPES_OF_KIND: Mapping[str, Sequence[str]] = {
    "null": ("None", "Any"),
    "flag": ("bool", "Any"),
    "int": ("int", "float", "Any"),
    "float": ("float", "Any"),
    "text": ("str", "Literal", "Any"),
    **dict.fromkeys(("ints", "numbers", "texts", "list"), ("list", "tuple", "Any")),
    "object": ("dict", "Any"),
}
"""Words in the type of a field that may have values of a kind."""


class Base(NamedTuple):
    """Keys to which another is added, with their fields; a variant has those that are ``held``."""

    keys: Keys
    fields: Fields
    held: frozenset[str]


class UnreadFields:
    """Finds the keys of a type that do not affect any field that its classes read."""

    def __init__(self, file: TypeFile) -> None:
        self.file = file
        self.config_class = config_class_of(file.name)
        self.start = seed_config(self.config_class)
        self.values = seed_values_of(file.name)
        base = getattr(transformers, classes_of_type(file.model_type)[0])
        self.values |= missing_sizes(file.model_type, self.start, self.values, base)
        self.reads = FieldReads()
        self.known_bases: dict[str, list[Base]] = {}

    def find(self) -> dict[str, list[str]]:
        """Return the accepted kinds of values of each unread key, by path.

        Nothing is known of a type of which a variant cannot be built here.
        """
        for name in self.file.classes:
            for variant in kept_variants(self.file, name):
                sized = {path: VARIANT_SIZE for path in variant.sized if "[" not in path}
                lists = {path: self.sample_list(path) for path in variant.lists}
                if not self.record(name, {**sized, **lists, **self.values_of(variant)}):
                    return {}
        for others in self.accepted_values():
            self.record_by_halves(next(iter(self.file.classes)), others)
        found: dict[str, list[str]] = {}
        of_part: dict[str, list[str]] = {}
        for path in sorted(self.saved_paths()):
            of_part.setdefault(parent(path), []).append(path)
        for part, paths in of_part.items():
            bases = self.bases(part)
            for kind, values in VALUES_OF_KIND.items():
                candidates = [path for path in paths if self.may_have_kind(path, kind)]
                for path in self.irrelevant_keys(candidates, values, bases):
                    found.setdefault(path, []).append(kind)
        return dict(sorted(found.items()))

    def values_of(self, variant: Variant) -> dict[str, Any]:
        """Return the values of a variant, and the sizes that have only one value in it.

        Gemma 4 E2B's list of layers, for example, is in a variant that holds for 35 layers alone.
        """
        sizes = own_sizes(self.file, variant.data.get("absent", ()))
        derivation = derivation_of(self.file, variant, sizes)
        fields, ranges = derivation.fields, derivation.validated.items()
        only = {fields[one]: low for one, (low, high) in ranges if low == high}
        return {**variant.where, **{path: size for path, size in only.items() if "[" not in path}}

    def sample_list(self, path: str) -> list[str]:
        """Return a list with a layer of each kind, which ends like the type's own."""
        rule, own = self.file.kinds[path], list(attribute_at(self.start, path))
        kinds = list(dict.fromkeys((*rule["names"].values(), *own)))
        return [*kinds[: len(own) - 1], *own[min(len(kinds), len(own) - 1) :]]

    def bases(self, part: str) -> list[Base]:
        """Return keys to which a key of a part is added, with their fields.

        They are few keys, those of each variant, and all keys. A part that is given may have other
        fields than one that is not. LFM2's ``tie_embedding`` overrides a tie, and so has an effect
        only in a variant.
        """
        if part not in self.known_bases:
            given = {f"{part}.model_type": self.file.parts[part]} if part else {}
            variants = (one for name in self.file.classes for one in kept_variants(self.file, name))
            every = [self.values_of(one) for one in variants if one.where]
            wheres = {json.dumps(one, sort_keys=True): one for one in every}
            few = [(self.keys({**given, **one}), one.keys()) for one in ({}, *wheres.values())]
            found = [
                (keys, normalize(self.config_class, keys), frozenset(held))
                for keys, held in (*few, (self.saved, ()))
            ]
            self.known_bases[part] = [
                Base(keys, fields, held) for keys, fields, held in found if fields is not None
            ]
        return self.known_bases[part]

    def irrelevant_shares(self) -> list[str]:
        """Return the paths of rotated shares that do not affect tensors."""
        model_class = getattr(transformers, next(iter(self.file.classes)))
        found = []
        for path in (path for path in self.file.fields if leaf(path) == ROTARY_FACTOR):
            every_keys = map(self.keys, ({}, *({path: share} for share in ROTARY_SHARES)))
            configs = (attempt(config_of, self.config_class, keys) for keys in every_keys)
            models = [one and attempt(build, model_class, one) for one in configs]
            own = models[0]
            if own and all(one and one.parameters == own.parameters for one in models):
                found.append(path)
        return found

    def lenient_parts(self) -> list[str]:
        """Return the parts that keep their class if they name no type of transformers."""
        found = []
        for path in self.file.parts:
            if path in self.file.fixed_parts:
                continue
            names = (self.file.parts[path], "", "any")
            every_keys = [self.keys({f"{path}.model_type": name}) for name in names]
            configs = [attempt(self.config_class.from_dict, keys) for keys in every_keys]
            if len({one and type(attribute_at(one, path)) for one in configs}) == 1:
                found.append(path)
        return found

    def values_like_absent(self) -> dict[str, Any]:
        """Return a value that no class reads for keys that are looked up, but are no fields.

        It may be the value of such a field in a part: DETR's files have ``backbone: resnet50``, the
        one in the part that its class makes if there is none.
        """
        found: dict[str, Any] = {}
        fields = {*self.file.parts, *(size.key for size in self.file.letters.values())}
        fields |= {*self.saved_paths(), *self.file.spelt}
        for path in sorted({*self.file.refused, *self.file.free} - fields):
            if leaf(path).startswith(ROTARY_NAMES) or leaf(path) == QUANTIZATION:
                continue
            if kind_of(attribute_or_none(self.start, path)) == "int":
                continue  # Another name of a size, such as Swin's num_hidden_layers.
            in_parts = (f"{part}.{leaf(path)}" for part in self.file.parts if part != parent(path))
            own = (attribute_or_none(self.start, one) for one in in_parts)
            values = [*(one for one in own if isinstance(one, str)), True, False, {}]
            for value in values:
                tried = sort_of(value) in self.file.free.get(path, ())
                bases = list(self.bases(parent(path)))
                if not tried and all(self.are_irrelevant([path], value, b, set()) for b in bases):
                    found[path] = value
                    break
        return found

    def unused_names(self) -> set[str]:
        """Return the names that a file mentions, but that nothing looks for.

        They occur in the code of a configuration, such as ``cause`` in that of an error.
        """
        file = self.file
        known = {*file.free, *file.texts, *file.refused} - set(self.saved_paths())
        known -= {*file.aliases, *file.late, *file.instead, *file.parts, *file.fields}
        known -= {size.key for size in file.letters.values()} | self.reads.missing
        known -= file.decides
        return self.ignored_names(known)

    def ignored_names(self, names: Collection[str]) -> set[str]:
        """Return the names that become fields of that name, and have no other effect."""
        found: set[str] = set()
        for part in {parent(path) for path in names}:
            names_in_part = sorted(path for path in names if parent(path) == part)
            found |= set(
                self.irrelevant_keys(names_in_part, ANY_VALUES, self.bases(part), own=True)
            )
        return found

    def keys(self, values: Mapping[str, Any]) -> Keys:
        """Return the keys of the type's own configuration with other values."""
        return full_keys(self.start, {**self.values, **values})

    @property
    def saved(self) -> Keys:
        keys: Keys = json.loads(self.start.to_json_string(use_diff=False))
        for path, value in self.values.items():
            set_key(keys, path, value)
        return keys

    def saved_paths(self) -> Iterator[str]:
        """Yield the paths of the saved keys that are neither sizes nor parts."""
        sizes = {size.key for size in self.file.letters.values() if not size.is_kind}
        for path in key_paths(self.saved, self.file.parts):
            if path not in sizes and path not in self.file.aliases:
                yield path

    def record(self, name: str, values: Mapping[str, Any]) -> bool:
        """Record what a class reads at these values. Return whether there is a model.

        Some models need a key as it is saved: VitMatte's class has a tuple where it takes a list.
        """
        saved = self.saved
        for path, value in values.items():
            set_key(saved, path, value)
        for keys in (self.keys(values), saved):
            with Attempt():
                config = config_of(self.config_class, keys)
                self.reads.add(record_reads(getattr(transformers, name), config))
                return True
        return False

    def record_by_halves(self, name: str, values: Mapping[str, Any]) -> None:
        """Record what a class reads at these values, or at subsets of them if they are refused."""
        if values and not self.record(name, values) and len(values) > 1:
            items, half = list(values.items()), len(values) // 2
            for some in (items[:half], items[half:]):
                self.record_by_halves(name, dict(some))

    def accepted_values(self) -> Iterator[dict[str, Any]]:
        """Yield accepted values of the fields that are read, many at a time."""
        free = {path: sorts for path, sorts in self.file.free.items() if path in self.reads.fields}
        for sort, values in PROBES.items():
            accepting = [path for path, sorts in free.items() if sort in sorts]
            for value in values[:2]:
                yield dict.fromkeys(accepting, value)
        texts = {path: all_ for path, all_ in self.file.texts.items() if path in self.reads.fields}
        for index in range(max(map(len, texts.values()), default=0)):
            yield {path: all_[index] for path, all_ in texts.items() if index < len(all_)}

    def may_have_kind(self, path: str, kind: str) -> bool:
        """Return whether a field's type allows a kind of values."""
        type_text = self.types.get(path, "")
        return not type_text or any(one in type_text for one in TYPES_OF_KIND[kind])

    @cached_property
    def types(self) -> dict[str, str]:
        """The types of the fields by their paths, "" if unknown."""
        parts = [("", self.start), *sub_configs(self.start)]
        return {
            f"{path}.{one.name}".removeprefix("."): str(one.type)
            for path, part in parts
            for one in dataclasses.fields(part)
        }

    def irrelevant_keys(
        self,
        paths: Sequence[str],
        values: Sequence[Any],
        bases: Sequence[Base],
        own: bool = False,
    ) -> Iterator[str]:
        """Yield the keys with which no value is refused or changes a field that is read or new.

        With ``own`` the key must become a new field of that name, and no other.
        """
        if not paths or not bases:
            return
        new = set(paths) if own else set()
        if all(self.are_irrelevant(paths, value, base, new) for base in bases for value in values):
            yield from paths
        elif len(paths) > 1:
            half = len(paths) // 2
            for some in (paths[:half], paths[half:]):
                yield from self.irrelevant_keys(some, values, bases, own)

    def are_irrelevant(self, paths: Collection[str], value: Any, base: Base, new: set[str]) -> bool:
        """Return whether all of these keys accept a value, and no field that is read changes.

        Those that a variant holds at its own value are left alone: with another it would be
        another variant.
        """
        given = json.loads(json.dumps(base.keys))
        for path in set(paths) - base.held:
            set_key(given, path, json.loads(json.dumps(value)))
        fields = normalize(self.config_class, given)
        if fields is None:
            return False
        changed = changed_fields(base.fields, fields)
        # A key that is dropped, and not kept as a field, may still have an effect.
        kept = set(paths) - self.reads.missing
        return new <= changed <= (base.fields.keys() | kept) - self.reads.fields


def key_paths(keys: Keys, parts: Iterable[str], before: str = "") -> Iterator[str]:
    """Yield the path of each key that is not a part, except keys that never matter."""
    for name, value in keys.items():
        path = f"{before}{name}"
        if path in parts:
            if isinstance(value, dict):
                yield from key_paths(value, parts, f"{path}.")
        elif name not in {*IRRELEVANT_KEYS, *NO_KEYS}:
            yield path


def pack_unread(kinds_of: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Return the paths by their kinds, as a file has them."""
    found: dict[str, list[str]] = {}
    for path, kinds in sorted(kinds_of.items()):
        found.setdefault(" ".join(kinds), []).append(path)
    return {kinds: " ".join(paths) for kinds, paths in sorted(found.items())}
