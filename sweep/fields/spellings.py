"""Find values that a file may write in another way than the entry has them.

A list of texts may be joined to one text, if the configuration class splits it. A size may be a
list that repeats it for every layer, or a height and a width, if models have the same tensors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import transformers

from paramproof.catalogue.derivations import derivation_of, kept_variants
from paramproof.catalogue.entries import own_sizes
from paramproof.catalogue.files import TypeFile, parse_type
from paramproof.catalogue.written_forms import ANY_PAIR, TWICE
from paramproof.formulas.path import parent
from sweep.fields.field_reads import normalize
from sweep.library.model import ModelTensors, attribute_or_none, build, config_of
from sweep.library.model_types import config_class_of
from sweep.library.refusal import attempt
from sweep.library.seed_values import keys_with_types, seed_config
from sweep.store import in_order

SEPARATORS = ("|", ",", " ", "+", "-", "_")
"""Texts that may separate the items of a list."""

LAYERS = ("num_hidden_layers", "encoder_layers", "num_layers")
"""Names of numbers of layers, for each of which a list may have a size."""


class SpellingFinder:
    """Finds the other ways to write the values of a type."""

    def __init__(self, file: TypeFile) -> None:
        self.file = file
        self.config_class = config_class_of(file.name)
        self.start = seed_config(self.config_class)

    def joined(self) -> dict[str, str]:
        """Return the separator of each list of texts that a file may write as one text."""
        found = {}
        for path, value in self.lists_of_texts():
            due = normalize(self.config_class, keys_with_types(self.file, {path: value}))
            for separator in SEPARATORS:
                text = keys_with_types(self.file, {path: separator.join(value)})
                if due is not None and normalize(self.config_class, text) == due:
                    found[path] = separator
                    break
        return found

    def lists_of_texts(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the lists of two texts or more that a variant needs."""
        for data in self.file.classes.values():
            for one in (data, *data.get("also", ())):
                for path, value in one.get("where", {}).items():
                    if isinstance(value, list) and len(value) > 1 and isinstance(value[0], str):
                        yield path, value

    def repeated(self) -> dict[str, str]:
        """Return the letter of the length of each list that may repeat a size."""
        found = {}
        depths = {
            letter: size.path
            for letter, size in self.file.letters.items()
            if size.path in LAYERS and not parent(size.path)
        }
        for size in self.file.letters.values():
            own = attribute_or_none(self.start, size.path)
            if type(own) is not int or "[" in size.path or size.path in depths.values():
                continue
            for letter, depth in depths.items():
                long = attribute_or_none(self.start, depth)
                if type(long) is int and self.is_repeated(size.path, own, long):
                    found[size.path] = letter
                    break
        return found

    def pairs(self) -> dict[str, str]:
        """Return the sizes in place of which a file may have a pair, and which one.

        In place of two sizes, a file may have one.
        """
        found = {}
        for letter, size in self.file.letters.items():
            own = attribute_or_none(self.start, size.path)
            if type(own) is not int or "[" in size.path:
                continue
            if self.is_like_both(size.path, own):
                unequal = ([own, 2 * own], [2 * own, own])
                is_any = letter not in self.deciding_letters and all(
                    self.is_like_pair(size.path, own, one) for one in unequal
                )
                found[size.path] = ANY_PAIR if is_any else "same"
        lengths = Counter(one.key for one in self.file.letters.values() if one.is_in_list)
        for path in (path for path, length in lengths.items() if length == 2):
            both = attribute_or_none(self.start, path)
            own = both[0] if isinstance(both, list | tuple) else None
            if type(own) is int and self.is_like_both(path, own):
                found[path] = TWICE
        return found

    def is_like_both(self, path: str, own: int) -> bool:
        """Return whether a size is as good as a height and a width that equal it."""
        return all(self.is_like_pair(path, one, [one, one]) for one in (own, 2 * own))

    def is_like_pair(self, path: str, size: int, pair: list[int]) -> bool:
        """Return whether every class has the same tensors at a size and at a pair."""
        for name in self.file.classes:
            listed = self.tensors(name, {path: pair})
            if listed is None or listed != self.tensors(name, {path: size}):
                return False
        return True

    @cached_property
    def deciding_letters(self) -> set[str]:
        found: set[str] = set()
        for name in self.file.classes:
            for variant in kept_variants(self.file, name):
                sizes = own_sizes(self.file, variant.data.get("absent", ()))
                one = derivation_of(self.file, variant, sizes)
                found |= {k for t in one.tensors for e in (*t.shape, t.times) for k in e.letters}
                found |= {k for stated in one.conditions for k in stated.condition.letters}
        return found

    def is_repeated(self, path: str, own: int, long: int) -> bool:
        """Return whether a list with a size for each of ``long`` layers is as good as the size.

        A list that is longer must be refused: then the length is that of the layers.
        """
        if self.tensors(self.first_class, {path: [own] * (long + 1)}) is not None:
            return False
        for name in self.file.classes:
            listed = self.tensors(name, {path: [own] * long})
            if listed is None or listed != self.tensors(name, {path: own}):
                return False
        return True

    @property
    def first_class(self) -> str:
        return next(iter(self.file.classes))

    def tensors(self, name: str, values: Mapping[str, Any]) -> ModelTensors | None:
        """Return the tensors of a class at some values, or None if they are refused."""
        model_class = getattr(transformers, name)
        keys = keys_with_types(self.file, values)
        return attempt(lambda: build(model_class, config_of(self.config_class, keys)))


def with_spellings(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a file's JSON with the other ways to write its values."""
    finder = SpellingFinder(parse_type(dict(data)))
    new = {"joined": finder.joined(), "repeated": finder.repeated(), "pairs": finder.pairs()}
    return in_order({**data, **new})
