"""An entry: a model class at a configuration, with facts that no class's code contains.

The programs of transformers' classes count. An entry adds which sizes the configuration leaves to
the type's defaults, and which heads a checkpoint unties. It derives the formula on first use.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import Any, NamedTuple

from paramproof.catalogue.names import TRANSFORMERS, ReadPart, library_of, programs
from paramproof.catalogue.program import ABSENT, Part, Refused, Tensor
from paramproof.formulas.derivation import PROVED, Derivation
from paramproof.formulas.path import joined, leaf, parent

TIE = "tie_word_embeddings"
TABLE = re.compile(r".*emb.*|wte|shared")
"""The names of modules that are embeddings."""

DECODERS = ("text_config", "decoder", "decoder_config", "generator")
"""The names of the part that generates text."""


class Head(NamedTuple):
    """The weight of a head that is tied, although a ``field`` of the configuration is false.

    ``is_given`` is true if the file sets the field, and false if it is a default of a part.
    from_pretrained unties the head if the checkpoint has another value for it.
    """

    path: str
    field: str
    is_given: bool = True


@dataclass(frozen=True)
class Entry:
    """A class of a model type at a configuration, with the number of its trainable parameters.

    Tied weights count once. ``part`` is the configuration as its class has it. ``is_class_named``
    is false if the configuration names no class, so that the type's usual class is used.
    ``unknown`` has the keys that the configuration class does not have. If the configuration or one
    of its parts has a model type that transformers does not have, ``read_as`` maps it to the type
    of the class that it names.
    """

    model_type: str
    class_name: str
    part: Part = field(repr=False)
    count: int
    is_class_named: bool = True
    unknown: tuple[str, ...] = ()
    read_as: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def parts(self) -> dict[str, ReadPart]:
        """The configuration as "", and its parts by their paths, such as ``text_config``."""
        return {path: part for path, part, _ in _parts(self.part, "", self.part.keys)}

    @cached_property
    def absent(self) -> Mapping[str, int]:
        """The sizes that the configuration does not give, and on which the count depends."""
        return self._absent(is_assumed=False)

    @cached_property
    def assumed(self) -> Mapping[str, int]:
        """The sizes in ``absent`` that are constants, and not computed from other sizes."""
        return self._absent(is_assumed=True)

    def _absent(self, is_assumed: bool) -> dict[str, int]:
        found: dict[str, Any] = {}
        for path, part, keys in _parts(self.part, "", self.part.keys):
            own, names = part.program, part.program.aliases
            given = {names.get(key, key) for key in keys}
            for name in filter(part.read.__contains__, own.types):
                where, value = joined(path, name), part.values.get(name)
                is_computed = value not in (own.defaults.get(name), part.keys.get(name))
                if names.get(name, name) in given or (is_assumed and is_computed):
                    continue
                if self._matters(where, value):
                    items = enumerate(value) if isinstance(value, list) else ()
                    found |= {f"{where}[{i}]": size for i, size in items} or {where: value}
        return found

    def _matters(self, path: str, value: Any) -> bool:
        """Return whether the count is another one with another size, or none is possible."""
        many = value if isinstance(value, list) else [value]
        if not any(many) or any(type(one) is not int for one in many):
            return False
        is_refused = True
        for other in ([one + 1 for one in many], [2 * one for one in many]):
            count = self.count_with(path, other if many is value else other[0])
            if count not in (None, self.count):
                return True
            is_refused = is_refused and count is None
        return is_refused

    def count_with(self, path: str, value: object) -> int | None:
        """Return the count with another value of a key, None if the class refuses it."""
        with suppress(Refused):
            part = programs().configuration(with_key(self.part, path, value))
            return part.count(self.class_name)["trainable"]
        return None

    @cached_property
    def _untied(self) -> tuple[str, list[Tensor]]:
        """The field that is false although weights are tied, and the heads that it unties.

        T5's class sets the field to true, whatever a file says. Mistral 3's is true for the whole
        model and false for its text part, and transformers looks at that of the whole.
        """
        decoders = [one for one in DECODERS if one in self.parts and self.part.keys.get(one)]
        said = [self.parts[one].keys.get(TIE, False) for one in ("", *decoders)]
        false = [f"{one}.{TIE}" for one in decoders if self.parts[one].get(TIE) is False]
        false += [TIE] if TIE in self.part.keys else []
        if self.part.get(TIE) is not True or any(said) or not false:
            return "", []
        named: dict[Any, list[Tensor]] = defaultdict(list)
        for one in self.part.tensors(self.class_name):
            named[one.storage].append(one)
        heads = []
        for group in named.values():
            others = [one for one in group if not TABLE.fullmatch(leaf(parent(one.path)))]
            heads += others if len(others) < len(group) else []
        return false[0], heads

    @property
    def heads(self) -> tuple[Head, ...]:
        """The heads that the class ties although a field of the configuration is false."""
        path, heads = self._untied
        is_given = bool(heads) and TIE in self.parts[parent(path)].keys
        return tuple(Head(one.path, path, is_given) for one in heads)

    @property
    def loaded(self) -> int:
        """The trainable parameters of the model that transformers loads: ``heads`` are untied."""
        return self.count + sum(int(prod(one.shape or ())) for one in self._untied[1])

    @property
    def library(self) -> str:
        return library_of(self.model_type)

    @property
    def status(self) -> str:
        return PROVED if self.library == TRANSFORMERS else self.derivation.status

    @cached_property
    def derivation(self) -> Derivation:
        """The formula in letters, at the sizes of the configuration.

        If some number has no formula in letters, it is that of these sizes alone.
        """
        # Imported here: these modules depend on the catalogue, and a count needs no formula.
        from paramproof.algebra.letters import letters_for
        from paramproof.derivation.letters import formula_at_sizes, symbolic

        known: dict[str, str] = {}

        def letter_of(path: str) -> str:
            known.update(letters_for([path], known))
            return known[path]

        try:
            found = symbolic(self.part, self.class_name, letter_of)
        except ValueError:
            found = formula_at_sizes(self)
        if self.library == TRANSFORMERS:
            return found
        return replace(
            found, caveats=(f"the code of {self.library} is not followed", *found.caveats)
        )


def _parts(part: Any, path: str, keys: Any) -> Iterator[tuple[str, ReadPart, Mapping[str, Any]]]:
    """Yield the parts with their paths and keys; those of a part may stand outside of it."""
    yield path, part, keys
    flat = {key: value for key, value in keys.items() if key not in part.program.types}
    for name, value in part.values.items():
        if isinstance(value, Part):
            own = {key: one for key, one in flat.items() if value.keys.get(key, ABSENT) == one}
            yield from _parts(value, joined(path, name), keys.get(name) or own)


def with_key(holder: Any, path: str, value: object) -> dict[str, Any]:
    """Return the keys of a configuration with another value at a path; without it for ABSENT."""
    name, _, rest = path.partition(".")
    is_made = isinstance(holder, Part)
    keys = {"model_type": holder.get("model_type"), **holder.keys} if is_made else holder
    aliases = holder.program.aliases if is_made else {}
    keys = {key: one for key, one in keys.items() if aliases.get(key) != name}
    if rest:
        inner = (holder.values if is_made else holder).get(name)
        value = with_key(inner if isinstance(inner, Mapping | Part) else {}, rest, value)
    return {key: one for key, one in {**keys, name: value}.items() if one is not ABSENT}
