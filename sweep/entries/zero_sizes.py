"""Find sizes that may be 0, since no tensor depends on the size, or since it only counts layers.

Granite 4.0 without experts has 0 experts per token, and a LLaMA may have 0 layers, for example.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from random import Random
from typing import Any

import transformers

from paramproof.catalogue.derivations import Variant, derivation_of, kept_variants
from paramproof.catalogue.entries import entry_in, own_sizes
from paramproof.catalogue.files import parse_type
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.path import parent
from sweep.library.config_classes import config_class_of
from sweep.library.keys import part_in, set_key
from sweep.library.mismatch import find_mismatch
from sweep.library.refusal import attempt
from sweep.samples.fuzz import MAX_ATTEMPTS
from sweep.samples.random_configs import random_config

SEEDS = 3
"""The models that must agree with a size of 0."""


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
