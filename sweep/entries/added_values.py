"""Add accepted values to an existing file: of fields that are read, but decide no tensor.

These are ways to stretch rotary positions, texts that the code of the models compares a field with,
and lists of as many numbers as the type's own. Models of random configurations are built with each
of them, and a value is accepted if every model has the tensors of the entry.

A size may be 0 if no tensor depends on it, or if it only counts layers: Granite 4.0 without experts
has 0 experts per token, and a LLaMA may have 0 layers.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from random import Random
from typing import Any

import transformers
from transformers import PreTrainedConfig

from paramproof.catalogue.derivations import Variant, derivation_of, kept_variants
from paramproof.catalogue.entries import Entry, entry_in, own_sizes
from paramproof.catalogue.files import TypeFile, parse_type
from paramproof.catalogue.value_kinds import ALIKE, TEXT, is_numbers, kind_of
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.path import leaf, parent
from sweep.fields.probe import ROPE_SORTS, fields_to_probe, own_fields
from sweep.fields.probe_values import PROBES
from sweep.library.keys import Keys, has_key, part_in, set_key
from sweep.library.model import find_mismatch
from sweep.library.model_types import config_class_of
from sweep.library.refusal import attempt
from sweep.library.seed_values import seed_config
from sweep.samples.fuzz import MAX_ATTEMPTS
from sweep.samples.random_configs import fit_rotations, random_config
from sweep.store import pack_accepted

SEEDS = 3
"""Random configurations of each variant in which a value is tried."""


class ValueAdder:
    """Adds accepted values to the JSON of a type's file; ``added`` says which, by path."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = dict(data)
        self.file = parse_type(self.data)
        self.config_class = config_class_of(self.file.name)
        self.added: dict[str, list[str]] = {}

    def run(self) -> bool:
        """Try the values, and add those that change no tensor. Return whether there are any."""
        start = seed_config(self.config_class)
        sizes = [size.path for size in self.file.letters.values()]
        sorts, _ = fields_to_probe(start, sizes, ())
        if any("rope_scaling" in names for names in self.file.flat.values()):
            # A file may have it beside the part to which it belongs, without effect.
            sorts["rope_scaling"] = {*ROPE_SORTS}
        decides = self.file.decides
        skipped = {*decides, *self.file.computed, *self.file.kinds, *self.file.layers}
        may_be_text = {path for path, kind, _ in own_fields(start) if "str" in str(kind)}
        with_field, all_texts = self.compared_texts()
        for path in sorted(sorts.keys() - skipped):
            for sort in sorted(sorts[path]) if self.is_new(path) else ROPE_SORTS:
                if sort in sorts[path]:
                    self.try_sort(path, sort, PROBES[sort])
            if is_numbers(own := self.file.fields.get(path)):
                self.try_sort(path, ALIKE, [[0.5 for _ in own], [2 * one for one in own]])
            if path in may_be_text and (texts := with_field.get(leaf(path))):
                any_text = [*texts, *PROBES[TEXT], *all_texts]
                if not self.try_sort(path, TEXT, list(dict.fromkeys(any_text))):
                    for text in texts:
                        self.try_text(path, text)
        self.try_sizes(start)
        self.try_flags(decides - {*sizes, *self.file.fields, *self.file.computed})
        self.data["free"] = pack_accepted(self.file.free)
        self.data |= {"null": dict(self.file.null), "beside": dict(self.file.beside)}
        self.data["texts"] = {path: list(texts) for path, texts in sorted(self.file.texts.items())}
        return bool(self.added)

    def is_new(self, path: str) -> bool:
        """Return whether no value but its default was accepted for a field so far.

        A field that only a later variant reads, as Granite's ``attention_multiplier``, is such one.
        """
        known = (self.file.free, self.file.texts, self.file.below, self.file.unread)
        return path in self.file.fields and not any(path in one for one in known)

    def try_flags(self, paths: Iterable[str]) -> None:
        """Try a flag for fields that decide, but that the class does not have by itself."""
        for path in sorted(paths):
            for value in (False, True):
                self.try_text(path, value)

    def try_sizes(self, start: PreTrainedConfig) -> None:
        """Try what else a size may be on which no tensor depends, if the class declares it."""
        inert = self.inert_sizes()
        for path, kind, _ in own_fields(start):
            if path not in inert:
                continue
            declared, others = str(kind), list[Any]()
            if "None" in declared and path not in self.file.null:
                null = {**self.file.null, path: inert[path] or "1"}
                if not self.accept(replace(self.file, null=null), path, "null", [None]):
                    others.append(None)
            if "float" in declared:
                for sort in ("share", "number"):
                    self.try_sort(path, sort, PROBES[sort])
            if "str" in declared and not self.try_sort(path, TEXT, PROBES[TEXT]):
                others += PROBES[TEXT]
            for layers in self.file.layers if others else ():
                beside = {**self.file.beside, path: layers}
                what = f"beside {layers}"
                if self.accept(replace(self.file, beside=beside), path, what, others, layers):
                    break

    def inert_sizes(self) -> dict[str, str]:
        """Return the sizes on which no tensor of any class depends, with their defaults."""
        of_all = [one for name in self.file.classes for one in kept_variants(self.file, name)]
        found = {}
        for letter, size in self.file.letters.items():
            having = [one for one in of_all if letter not in one.data.get("absent", ())]
            if having and all(letter in one.data.get("inert", ()) for one in having):
                found[size.path] = size.default
        return found

    def try_sort(self, path: str, sort: str, values: Sequence[Any]) -> bool:
        """Accept a sort for a field if none of these values changes a tensor; say whether."""
        known = self.file.free.get(path, ())
        unread = self.file.unread.get(path, ())
        if sort in known or all(kind_of(value) in unread for value in values):
            return True
        free = {**self.file.free, path: sorted({*known, sort})}
        return self.accept(replace(self.file, free=free), path, sort, values)

    def try_text(self, path: str, text: str | bool) -> None:
        """Accept a text, or a flag, for a field if it does not change a tensor."""
        known = self.file.texts.get(path, ())
        if text not in (*known, self.file.fields.get(path)):
            texts = {**self.file.texts, path: [*known, text]}
            self.accept(replace(self.file, texts=texts), path, str(text), [text])

    def accept(
        self, file: TypeFile, path: str, what: str, values: Sequence[Any], beside: str = ""
    ) -> bool:
        """Take a file that accepts more values of a field if models agree; say whether.

        They agree in configurations that have the list ``beside``, if it is given.
        """
        if not all(self.holds(file, path, value, beside) for value in values):
            return False
        self.file = file
        self.added.setdefault(path, []).append(what)
        return True

    def holds(self, file: TypeFile, path: str, value: Any, beside: str = "") -> bool:
        """Return whether all models with a value have the tensors of their entries.

        At least one must be built, and none that the file accepts may be refused.
        """
        found = [
            self.is_equal(file, variant, {path: value}, beside, Random(seed))
            for name in file.classes
            for variant in kept_variants(file, name)
            for seed in range(SEEDS)
        ]
        return True in found and False not in found

    def is_equal(
        self, file: TypeFile, variant: Variant, key: Keys, beside: str, random: Random
    ) -> bool | None:
        """Return whether a random model with a value equals its entry, or None if none is drawn."""
        derivation = derivation_of(file, variant, own_sizes(file, variant.data.get("absent", ())))
        model_class = getattr(transformers, variant.name)
        ((path, value),) = key.items()
        for _ in range(MAX_ATTEMPTS):
            config = random_config(file, variant, derivation, random, others=bool(beside))
            if config is None or part_in(config, parent(path)) is None:
                continue
            if any(path in names and part not in config for part, names in file.flat.items()):
                # The class would move the key into the part.
                continue
            if beside and not has_key(config, beside):
                continue
            set_key(config, path, value)
            fit_rotations(file, config)
            if found := entry_or_none(file, config, variant.name):
                return find_mismatch(found, self.config_class, model_class, config) is None
        return None

    def compared_texts(self) -> tuple[dict[str, list[str]], list[str]]:
        """Return the texts that the code compares each attribute with, and all that it compares."""
        found: defaultdict[str, set[str]] = defaultdict(set)
        classes = [self.config_class, *(getattr(transformers, one) for one in self.file.classes)]
        everything = set()
        for attributes, texts in _comparisons({one.__module__ for one in classes}):
            everything |= texts
            for name in attributes:
                found[name] |= texts
        by_name = {name: sorted(texts) for name, texts in found.items() if texts}
        return by_name, sorted(everything)


def entry_or_none(file: TypeFile, config: Mapping[str, Any], name: str) -> Entry | None:
    """Return the entry of a configuration, or None if the catalogue does not count it."""
    try:
        return entry_in(file, config, name)
    except ValueError:
        return None


def _comparisons(modules: Iterable[str]) -> Iterator[tuple[set[str], set[str]]]:
    """Yield the attributes and the texts of each comparison in the code of modules."""
    for module in sorted(modules):
        for node in ast.walk(ast.parse(inspect.getsource(sys.modules[module]))):
            if isinstance(node, ast.Compare):
                inside = [*ast.walk(node)]
                attributes = {one.attr for one in inside if isinstance(one, ast.Attribute)}
                constants = [one.value for one in inside if isinstance(one, ast.Constant)]
                yield attributes, {one for one in constants if isinstance(one, str)}


class ZeroFinder:
    """Finds the letters of a type's variants that may be 0."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.file = parse_type(data)
        self.config_class = config_class_of(self.file.name)

    def find(self, variant: Variant) -> Iterator[str]:
        """Yield the letters of a variant that may be 0: no tensor's shape depends on them."""
        derivation = derivation_of(
            self.file, variant, own_sizes(self.file, variant.data.get("absent", ()))
        )
        limits = {one for stated in derivation.conditions for one in stated.condition.letters}
        in_shapes = {
            letter
            for tensor in derivation.tensors
            for dim in tensor.shape
            for letter in dim.letters
        }
        counts = derivation.formula.letters - in_shapes
        for letter in (*derivation.inert, *sorted(counts)):
            field = self.file.letters[letter]
            is_key = not (field.is_kind or field.is_in_list or letter in derivation.unread)
            if is_key and letter not in limits and self.may_be_zero(variant, derivation, letter):
                yield letter

    def may_be_zero(self, variant: Variant, derivation: Derivation, letter: str) -> bool:
        """Return whether some models with a size of 0 have the tensors of their entries."""
        path = self.file.letters[letter].path
        model_class = getattr(transformers, variant.name)
        for seed in range(SEEDS):
            random = Random(seed)
            for _ in range(MAX_ATTEMPTS):
                config = random_config(self.file, variant, derivation, random, others=False)
                if config is None or part_in(config, parent(path)) is None:
                    continue
                found = attempt(entry_in, self.file, config, variant.name)
                if found is not None and found.variant == variant.index:
                    break
            else:
                return False
            set_key(config, path, 0)
            at_zero = {**found.derivation.validated, letter: (0, found.sizes[letter])}
            found = replace(
                found,
                derivation=replace(found.derivation, validated=at_zero),
                sizes={**found.sizes, letter: 0},
            )
            try:
                if find_mismatch(found, self.config_class, model_class, config):
                    return False
            except ZeroDivisionError:  # The formula divides by the size.
                return False
        return True


def with_zero_sizes(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a file's JSON with the letters whose size may be 0."""
    new = deepcopy(dict(data))
    finder = ZeroFinder(data)
    for name, one in new["classes"].items():
        for variant in kept_variants(finder.file, name):
            place = one["also"][variant.index - 1] if variant.index else one
            place["zero"] = list(finder.find(variant))
            if not place["zero"]:
                del place["zero"]
    return new
