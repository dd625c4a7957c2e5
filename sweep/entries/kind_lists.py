"""Find the lists with a kind for each layer whose kinds affect the tensors."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

from transformers import configuration_utils

from paramproof.catalogue.files import TypeFile
from paramproof.formulas.path import parent
from paramproof.tracing.constructors import LayerKinds
from sweep.entries.type_sweep import TypeSweep
from sweep.fields.probe import names_in_code
from sweep.library.keys import Keys
from sweep.library.model import (
    ModelTensors,
    attribute_at,
    attribute_or_none,
    build,
    full_keys,
    sub_configs,
)
from sweep.library.refusal import attempt

LAYER_TYPES = (
    *configuration_utils.ALLOWED_LAYER_TYPES,
    # Older releases do not have these.
    *getattr(configuration_utils, "_LEGACY_LAYER_TYPE_REMAP", ()),
)
"""Names of kinds of layers in transformers."""

MIDDLE = 1
"""The index of a layer that is neither the first nor the last one."""

MAX_SIGN = 1024
"""A bound on the numbers that stand for a kind."""

SAMPLES = 4
"""Random lists of positions with which a key is tried."""


@dataclass(frozen=True)
class KindList:
    """A list in a type's configuration, and the names that it may have for each kind."""

    counted: LayerKinds
    names: Mapping[str, str]

    def rule(self, letter: str) -> dict[str, Any]:
        """Return the list as JSON; its length is a ``letter``, or "" if there is none."""
        return {
            **({"long": letter} if letter else {}),
            "names": dict(self.names),
            **({"last": self.counted.last} if self.counted.last else {}),
        }


class KindListFinder:
    """Finds the lists of a type by building configurations and small models."""

    def __init__(self, file: TypeFile, sweep: TypeSweep, base: Any) -> None:
        self.file, self.sweep, self.base = file, sweep, base
        self.start, self.config_class = sweep.start, sweep.config_class

    @cached_property
    def code(self) -> str:
        """The code of the type's configuration and of its first class."""
        kinds = (
            type(attribute_at(self.start, path)) for path in ("", *dict(sub_configs(self.start)))
        )
        modules = {kind.__module__ for kind in (*kinds, self.base)}
        return "\n".join(inspect.getsource(sys.modules[one]) for one in sorted(modules))

    @cached_property
    def compared_texts(self) -> list[str]:
        """The strings that this code compares with, looks up or chooses."""
        found: dict[str, None] = {}
        for node in ast.walk(ast.parse(self.code)):
            if isinstance(node, ast.Compare | ast.Dict | ast.IfExp):
                inside = (one for one in ast.walk(node) if isinstance(one, ast.Constant))
                found |= dict.fromkeys(one.value for one in inside if isinstance(one.value, str))
        return [text for text in found if text.isidentifier()]

    def find(self) -> Iterator[KindList]:
        """Yield the lists whose kinds affect the tensors."""
        for path, part in [("", self.start), *sub_configs(self.start)]:
            for name, value in vars(part).items():
                field = f"{path}.{name}".removeprefix(".")
                if not _is_list_of_names(value) or name.startswith("_") or len(value) < 2:
                    continue
                if "texts" in self.file.unread.get(field, ()):
                    continue
                if (found := self.kind_list_at(field, value)) is not None:
                    yield found

    def kind_list_at(self, path: str, own: list[str]) -> KindList | None:
        """Return the list at a path, or None if its kinds have no effect or are refused."""
        depth = self.depth_of(path, len(own))
        plain = self.build(path, own)
        if plain is None:
            return None
        common = max(dict.fromkeys(own), key=own.count)
        names: dict[str, str] = {}
        models: dict[str, ModelTensors] = {}
        last = self.last_of(path, own)
        free = "any of" in self.file.layers.get(path, {})
        for name in dict.fromkeys((*own, *(() if free else LAYER_TYPES), *self.compared_texts)):
            normal = self.normalized_list(path, [name] * len(own))
            kinds = [common] * len(own)
            kinds[MIDDLE] = name
            if normal and self.normalized_list(path, kinds) and (model := self.build(path, kinds)):
                names[name] = normal[0] if len(set(normal[:-1])) == 1 else name
                models.setdefault(names[name], model)
        # Merge kinds with the same tensors.
        same: dict[str, str] = {}
        apart: list[tuple[str, ModelTensors]] = []
        for kind in sorted(models, key=lambda one: one != common):
            model = models[kind]
            alike = next((k for k, m in apart if m.parameters == model.parameters), None)
            # A class builds nothing for a kind that it does not know.
            lacks = any(model.parameters < other.parameters for _, other in apart)
            if not alike and lacks and kind not in own and kind not in self.code:
                continue
            same[kind] = alike or kind
            if not alike:
                apart.append((kind, model))
        if len(apart) < 2:
            return None
        names = {name: same[kind] for name, kind in names.items() if kind in same}
        every = tuple(kind for kind, _ in apart)
        counted = every[1:] if depth else every
        last = same.get(last, "") if last else ""
        rest = every[0] if depth else ""
        return KindList(LayerKinds(path, depth, counted, rest, last), names)

    def depth_of(self, path: str, number: int) -> str:
        """Return the size that gives the default length of a list, or "" if none does."""
        for size in self.file.letters.values():
            if (
                parent(size.path) == parent(path)
                and attribute_or_none(self.start, size.path) == number
            ):
                longer = self.normalized_list(path, None, {size.path: number + 1})
                if longer and len(longer) == number + 1:
                    return size.path
        return ""

    def last_of(self, path: str, own: Sequence[str]) -> str:
        """Return the kind that a configuration forces on the last layer, or ""."""
        for kind in dict.fromkeys(own):
            kinds = self.normalized_list(path, [kind] * len(own))
            if kinds and kinds[-1] != kinds[0]:
                return str(kinds[-1])
        return ""

    def keys(self, path: str, value: list[str] | None, others: Mapping[str, Any] = {}) -> Keys:
        """Return the keys of the type's own configuration with a list."""
        values = {**self.sweep.values, **self.sweep.needed, **others}
        return full_keys(self.start, values if value is None else {**values, path: value})

    def normalized_list(
        self, path: str, value: list[str] | None, others: Mapping[str, Any] = {}
    ) -> list[str] | None:
        config = attempt(self.config_class, **self.keys(path, value, others))
        kinds: Any = config and attribute_or_none(config, path)
        return list(kinds) if _is_list_of_names(kinds) else None

    def build(self, path: str, value: list[str]) -> ModelTensors | None:
        return attempt(lambda: build(self.base, self.config_class(**self.keys(path, value))))

    def all_spellings(self, one: KindList) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield keys that give a list in another way, with the rule for each."""
        yield from self.spellings(one)
        yield from self.first_layers(one)
        yield from self.positions(one)

    def spellings(self, one: KindList) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield keys that give a list in another way, with the kind for each sign.

        A sign is a character of a string or a number in a list. It stands for the same kind at any
        position.
        """
        part = parent(one.counted.path)
        own = attribute_at(self.start, part)
        number = len(attribute_at(self.start, one.counted.path))
        numbers = _numbers_in_code(type(own))
        names = sorted(names_in_code(own))
        objects = [key for key in names if self.has_object(f"{part}.{key}".removeprefix("."))]
        for key in [*names, *(f"{key}.{inner}" for key in objects for inner in names)]:
            path = f"{part}.{key}".removeprefix(".")
            text = getattr(own, key, None)
            signs: list[Any] = [*(sorted(set(text)) if isinstance(text, str) else ()), *numbers]
            kind_of: dict[str, str] = {}
            for sign in signs:
                kinds = self.normalized_list(
                    one.counted.path, None, {path: _join_signs([sign] * number)}
                )
                if kinds and len(set(kinds[:-1])) == 1 and kinds[0] in one.names:
                    kind_of[str(sign)] = one.names[kinds[0]]
            known_signs = [sign for sign in signs if str(sign) in kind_of]
            if len(set(kind_of.values())) < 2:
                continue
            drawn = Random(0).choices(known_signs, k=number)
            kinds = self.normalized_list(one.counted.path, None, {path: _join_signs(drawn)}) or []
            wanted = [kind_of[str(sign)] for sign in drawn]
            if [one.names.get(kind) for kind in kinds][:-1] != wanted[:-1]:
                continue
            longer = self.normalized_list(
                one.counted.path, None, {path: _join_signs([*drawn, known_signs[0]])}
            )
            cut = one.counted.depth if longer and len(longer) == number else ""
            rule = {"into": one.counted.path, "names": kind_of}
            yield path, {**rule, "cut": cut} if cut else rule

    def first_layers(self, one: KindList) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield keys that give a list by the number of its first layers, which have one kind."""
        into, part = one.counted.path, parent(one.counted.path)
        number = len(attribute_at(self.start, into))
        known = {size.path for size in self.file.letters.values()}
        for key in sorted(names_in_code(attribute_at(self.start, part))):
            path = f"{part}.{key}".removeprefix(".")
            every, none = (self.normalized_list(into, None, {path: n}) for n in (number, 0))
            if path in known or not every or not none or not one.counted.depth:
                continue
            first, then = every[0], none[0]
            lists = {n: [first] * n + [then] * (number - n) for n in range(number + 1)}
            if first != then and all(
                self.normalized_list(into, None, {path: n}) == due for n, due in lists.items()
            ):
                beyond = self.normalized_list(into, None, {path: number + 1})
                rule = {"into": into, "first": first, "then": then}
                yield path, rule if beyond == lists[number] else {**rule, "bounded": True}

    def positions(self, one: KindList) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield keys that give a list by the positions of the layers of one kind.

        All other layers have another kind. A position behind the last layer has no effect.
        """
        into, part = one.counted.path, parent(one.counted.path)
        number = len(attribute_at(self.start, into))
        own = attribute_at(self.start, part)
        fields = [field.name for field in dataclasses.fields(own) if "list" in str(field.type)]
        for key in sorted({*names_in_code(own), *fields} if one.counted.depth else ()):
            path = f"{part}.{key}".removeprefix(".")
            first = self.normalized_list(into, None, {path: [0]}) or []
            if path == into or len({*first[1:]}) != 1 or first[0] == first[1]:
                continue
            inside, outside = first[:2]
            random = Random(0)
            drawn = [random.sample(range(number + 2), number // 2) for _ in range(SAMPLES)]
            if all(
                self.normalized_list(into, None, {path: places})
                == [inside if i in places else outside for i in range(number)]
                for places in ([], [number - 1], *drawn)
            ):
                yield path, {"into": into, "inside": inside, "outside": outside}

    def has_object(self, path: str) -> bool:
        """Return whether the configuration takes an object for a key that is no field."""
        if attribute_or_none(self.start, path) is not None:
            return False
        return attempt(self.config_class, **self.keys(path, None, {path: {"any": 1}})) is not None


def _join_signs(signs: list[Any]) -> Any:
    """Return signs in the form of a file: characters as one string."""
    return "".join(signs) if isinstance(signs[0], str) else signs


def _numbers_in_code(kind: type) -> list[int]:
    """Return the numbers in the code of a configuration class and its module."""
    module = sys.modules[kind.__module__]
    tree = ast.parse(inspect.getsource(module))
    numbers = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    # 0 and 1 may stand for kinds by being false and true.
    return sorted({0, 1} | {one for one in numbers if type(one) is int and 0 <= one < MAX_SIGN})


def _is_list_of_names(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, str) for one in value)
