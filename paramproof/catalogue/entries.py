"""The entry of a configuration: the class that it means, counted by the programs of transformers.

The reader of the programs counts, and refuses what the classes refuse. This module adds what no
class tells: which class is meant, which sizes are absent, which keys have no effect, and which
heads a checkpoint unties. The formula in letters is made when somebody asks for it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any, NamedTuple

from paramproof.catalogue.names import programs, versions_of
from paramproof.catalogue.program import Part, Refused, Tensor
from paramproof.formulas.architecture import Evidence
from paramproof.formulas.derivation import PROVED, Derivation, DerivedTensor
from paramproof.formulas.expression import expression
from paramproof.formulas.path import leaf, parent, starred

TIE = "tie_word_embeddings"

TABLE = re.compile(r".*emb.*|wte|shared")
"""The names of modules that are embeddings."""

DECODERS = ("text_config", "decoder", "decoder_config", "generator")
"""The names of the part that generates text."""


class Head(NamedTuple):
    """The weight of a head that a configuration declares as untied, although the class ties it.

    ``path`` is its name in the model, and ``field`` the field of the configuration that is false.
    The file says so if it ``is_given``; otherwise it is the default of a part of the configuration.
    from_pretrained unties the head if the checkpoint has another value for it.
    """

    path: str
    field: str
    is_given: bool = True


class Size(NamedTuple):
    """A size that a configuration does not give, although the count depends on it.

    It is a constant of the type, or else the class computes it from other sizes.
    """

    value: int
    is_constant: bool


@dataclass(frozen=True)
class Entry:
    """A class of a model type at a configuration, with the number of its trainable parameters.

    Tied weights count once. ``part`` is the configuration as the reader has it.
    ``is_class_named`` is false if the configuration names no class, so that the type's usual class
    is used. ``unknown`` has the keys that the configuration class does not have. If the
    configuration or one of its parts has a model type that transformers does not have, ``read_as``
    maps it to the type of the class that it names.
    """

    model_type: str
    class_name: str
    part: Part = field(repr=False)
    count: int
    is_class_named: bool = True
    unknown: tuple[str, ...] = ()
    read_as: Mapping[str, str] = field(default_factory=dict)

    @property
    def library(self) -> str:
        """The library whose models the programs describe: transformers, or mlx-lm."""
        return "mlx-lm" if "mlx-lm" in versions_of(self.model_type) else "transformers"

    @cached_property
    def absent(self) -> Mapping[str, Size]:
        """The sizes that the configuration does not give, and on which the count depends."""
        found: dict[str, Size] = {}
        for path, part in parts(self.part):
            own, given = part.program, self._given_in(path[:-1])
            for name in own.types:
                where, value = f"{path}{name}", part.get(name)
                if (
                    own.aliases.get(name, name) in given
                    or not value
                    or not self._depends_on(where, value)
                ):
                    continue
                usual = value in (own.defaults.get(name), part.keys.get(name))
                many = isinstance(value, list)
                sizes = (
                    {f"{where}[{i}]": v for i, v in enumerate(value)} if many else {where: value}
                )
                found |= {one: Size(size, usual) for one, size in sizes.items()}
        return found

    def _given_in(self, path: str) -> set[str]:
        """Return the fields that a configuration gives in a part, or at top level in its place."""
        keys, part = self.part.keys, self.part
        for name in path.split(".") if path else ():
            aliases, part = part.program.aliases, part.get(name)
            given = {aliases.get(key, key): value for key, value in keys.items()}
            flat = {key: value for key, value in keys.items() if key not in self.part.program.types}
            keys = flat if given.get(name) is None else given[name]
        return {part.program.aliases.get(key, key) for key in keys}

    def _depends_on(self, path: str, value: object) -> bool:
        """Return whether another size changes the count."""
        many = value if isinstance(value, list) else [value]
        if not many or any(type(one) is not int for one in many):
            return False
        counts = set()
        for other in ([one + 1 for one in many], [2 * one for one in many]):
            with suppress(Refused):
                counts.add(self.count_with(path, other if many is value else other[0]))
        return counts != {self.count}

    def count_with(self, path: str, value: object) -> int:
        """Return the count with another value of a field, or of the key that fields come from."""
        count = trainable(changed(self.part, path.split("."), value), self.class_name)
        if count == self.count and is_given(parent(path), self.part.keys):
            count = trainable(
                programs().configuration(with_key(self.part.keys, path.split("."), value)),
                self.class_name,
            )
        return count

    @property
    def assumed(self) -> dict[str, int]:
        """The type's own value of each size that the configuration does not give, by field."""
        return {path: size.value for path, size in self.absent.items() if size.is_constant}

    @cached_property
    def _untied(self) -> tuple[str, bool, list[Tensor]]:
        """The field that is false although weights are tied, whether it is given, and the heads.

        T5's class sets the field to true, whatever a file says. Mistral 3's is true for the whole
        model and false for its text part, and transformers looks at that of the whole.
        """
        fields = {f"{path}{TIE}": part for path, part in parts(self.part)}
        of_decoders = [f"{one}.{TIE}" for one in DECODERS if f"{one}.{TIE}" in fields]
        said = [fields[one].keys.get(TIE, False) for one in (TIE, *of_decoders)]
        false = [one for one in of_decoders if fields[one].get(TIE) is False and fields[one].keys]
        false += [TIE] if TIE in self.part.keys else []
        if self.part.get(TIE) is not True or any(said) or not false:
            return "", False, []
        named: dict[Any, list[Tensor]] = defaultdict(list)
        for one in self.part.tensors(self.class_name):
            named[one.storage].append(one)
        heads = []
        for group in named.values():
            others = [one for one in group if not TABLE.fullmatch(leaf(parent(one.path)))]
            heads += others if len(others) < len(group) else []
        return false[0], TIE in fields[false[0]].keys, heads

    @property
    def heads(self) -> tuple[Head, ...]:
        """The heads that the class ties although a field of the configuration is false."""
        field, is_given, heads = self._untied
        return tuple(Head(one.path, field, is_given) for one in heads)

    @property
    def loaded(self) -> int:
        """The trainable parameters of the model that transformers loads, tied weights counted once.

        This is ``count`` plus each of the ``heads``. They have values of their own if the
        checkpoint has weights for them, as the configuration says.
        """
        return self.count + sum(prod(one.shape or ()) for one in self._untied[2])

    @property
    def fields(self) -> list[str]:
        """The names of the fields that were read, of the whole configuration and of its parts."""
        return [name for _, part in parts(self.part) for name in part.values]

    @property
    def status(self) -> str:
        return self.derivation.status if self.library != "transformers" else PROVED

    @cached_property
    def derivation(self) -> Derivation:
        """The formula in letters, at the sizes of the configuration.

        If some number has no formula in letters, it is that of these sizes alone.
        """
        from paramproof.catalogue.symbolic import NotSymbolic, symbolic

        try:
            return symbolic(self.part, self.class_name, letters()).derivation
        except NotSymbolic as error:
            return self._in_numbers(f"the formula holds for these sizes only: {error}")

    def _in_numbers(self, caveat: str) -> Derivation:
        named: dict[Any, list[Tensor]] = defaultdict(list)
        for one in self.part.tensors(self.class_name):
            if "buffer" not in one.role:
                named[one.storage].append(one)
        groups = Counter(
            (tuple(dict.fromkeys(starred(one.path) for one in same)), same[0].shape, same[0].role)
            for same in named.values()
        )
        tensors = [
            DerivedTensor(
                path, (*map(expression, shape or ()),), expression(times), role, aliases, True, True
            )
            for ((path, *aliases), shape, role), times in groups.items()
        ]
        evidence = Evidence(1, 0, 0, 0.0, versions_of(self.model_type))
        none: Any = ()
        return Derivation(
            self.class_name, {}, {}, (*tensors,), *[none] * 5, none, (caveat,), evidence
        )


def letters() -> Any:
    """Return a function that gives each field a letter, all different."""
    from paramproof.algebra.letters import letters_for

    known: dict[str, str] = {}

    def naming(path: str) -> str:
        known.update(letters_for([path], known))
        return known[path]

    return naming


def is_given(part: str, keys: Any) -> bool:
    for name in part.split(".") if part else ():
        keys = keys.get(name) if isinstance(keys, Mapping) else None
    return isinstance(keys, Mapping)


def with_key(keys: Mapping[str, Any], path: list[str], value: object) -> dict[str, Any]:
    name, *rest = path
    return {**keys, name: with_key(keys[name], rest, value) if rest else value}


def trainable(part: Part, class_name: str) -> int:
    return part.count(class_name)["trainable"]


def parts(part: Part, path: str = "") -> Iterator[tuple[str, Part]]:
    """Yield a configuration with the path "", and its parts with paths such as "text_config."."""
    yield path, part
    for name, value in [*part.values.items()]:
        if isinstance(value, Part):
            yield from parts(value, f"{path}{name}.")


def changed(part: Part, path: list[str], value: object) -> Part:
    name, *rest = path
    inner = changed(part.get(name), rest, value) if rest else value
    return part.updated({name: inner})
