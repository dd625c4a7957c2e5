"""Find values that a file may write in another way than the entry has them.

A list of texts may be joined to one text, if the configuration class splits it. A size may be a
list that repeats it for every layer, if models have the same tensors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import transformers
from transformers import CONFIG_MAPPING

from paramproof.catalogue.files import TypeFile, parse_type
from paramproof.formulas.path import parent
from sweep.model import ModelTensors, attribute_or_none, build, config_of
from sweep.normalization import normalize
from sweep.refusal import attempt
from sweep.seed_values import keys_with_types, seed_config
from sweep.store import in_order

SEPARATORS = ("|", ",", " ", "+", "-", "_")
"""Texts that may separate the items of a list."""

LAYERS = ("num_hidden_layers", "encoder_layers", "num_layers")
"""Names of numbers of layers, for each of which a list may have a size."""


class SpellingFinder:
    """Finds the other ways to write the values of a type."""

    def __init__(self, file: TypeFile) -> None:
        self.file = file
        self.config_class = CONFIG_MAPPING[file.model_type]
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
        """The first class of the type."""
        return next(iter(self.file.classes))

    def tensors(self, name: str, values: Mapping[str, Any]) -> ModelTensors | None:
        """Return the tensors of a class at some values, or None if they are refused."""
        model_class = getattr(transformers, name)
        keys = keys_with_types(self.file, values)
        return attempt(lambda: build(model_class, config_of(self.config_class, keys)))


def with_spellings(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a file's JSON with the other ways to write its values."""
    finder = SpellingFinder(parse_type(dict(data), data["model_type"]))
    new = {**data, "joined": finder.joined(), "repeated": finder.repeated()}
    return in_order(new)
