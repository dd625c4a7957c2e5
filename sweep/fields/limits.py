"""Find limits of values: token ids below the sizes of tables, and stages of backbones.

A class is first probed at small sizes, at which an id may be refused for other reasons, so that
each is tried again at larger ones. The number of stages is constant, or a size of the backbone, and
a choice of stages must change no tensor of any class.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import transformers
from transformers.backbone_utils import BackboneConfigMixin

from paramproof.catalogue.accepts import FEATURES, INDICES, stage_names
from paramproof.catalogue.files import TypeFile, parse_type
from paramproof.formulas.path import parent
from sweep.fields.probe import Prober
from sweep.fields.probe_values import LARGE
from sweep.library.keys import Keys
from sweep.library.model import attribute_or_none, build, config_of, sub_configs
from sweep.library.model_types import config_class_of
from sweep.library.refusal import Attempt, attempt
from sweep.library.seed_values import keys_with_types, seed_config
from sweep.store import in_order, pack_accepted

SORTS = frozenset({"empty", "negative", "null", "zero"})
"""The sorts of values of a field that may be the number of a row: no other was accepted."""


def with_bounds(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a file's JSON with the letters that such fields must be below in some class."""
    file = parse_type(dict(data))
    known = {*file.below, *file.unread, *file.letter_of}
    sorts = {path: own for path, own in file.free.items() if path not in known}
    names = [path for path, own in sorts.items() if SORTS.issuperset(own)]
    limits = _limits(file, names)
    below = {
        path: " ".join(letters) for path, letters in {**file.below, **limits}.items() if letters
    }
    free = dict(file.free)
    for path, letters in limits.items():
        free[path] = sorted({*free[path], "zero", *([] if letters else ["whole"])})
    if not limits:
        return dict(data)
    new = {"below": dict(sorted(below.items())), "free": pack_accepted(free)}
    return in_order({**data, **new})


def _limits(file: TypeFile, names: list[str]) -> dict[str, list[str]]:
    """Return the letters that each of these fields must be below in any of the type's classes.

    A field for which a class has no such letters, and refuses some values, is left out.
    """
    config_class = config_class_of(file.name)
    start = seed_config(config_class)
    found: dict[str, set[str]] = {name: set() for name in names}
    for class_name in file.classes if names else ():
        model_class = getattr(transformers, class_name)
        prober = attempt(Prober, config_class, model_class, start, [{}], 1)
        if prober is None or not prober.points:
            return {}
        for path in list(found):
            if not any(prober.outcome({path: value}) for value in (0, 3, LARGE)):
                continue
            limits = prober.below([path], file.letter_of)
            if path in limits:
                found[path].update(file.letter_of[size] for size in limits[path])
            else:
                del found[path]
    return {path: [one for one in file.letters if one in found[path]] for path in found}


class StageFinder:
    """Finds the stages of a type's backbones."""

    def __init__(self, file: TypeFile) -> None:
        self.file = file
        self.config_class = config_class_of(file.name)
        self.start = seed_config(self.config_class)

    def find(self) -> dict[str, str]:
        """Return the number of stages of each backbone by its path, "" for the whole."""
        found = {}
        for path, part in [("", self.start), *sub_configs(self.start)]:
            if not isinstance(part, BackboneConfigMixin) or not (
                number := self.number_at(path, {})
            ):
                continue
            if self.is_free(path, number) and (size := self.size_of(path, number)):
                found[path] = size
        return found

    def number_at(self, path: str, values: Mapping[str, Any]) -> int | None:
        """Return the number of stages at some sizes, or None if they have other names."""
        config = attempt(config_of, self.config_class, keys_with_types(self.file, values))
        if config is None:
            return None
        names = attribute_or_none(config, f"{path}.stage_names".removeprefix("."))
        number = len(names) - 1 if isinstance(names, list) else 0
        return number if names == stage_names(number) else None

    def size_of(self, path: str, number: int) -> str:
        """Return the number of stages, or the letter that gives it; "" if other sizes change it."""
        found = str(number)
        for letter, size in self.file.letters.items():
            own = attribute_or_none(self.start, size.path)
            if parent(size.key) != path or size.is_in_list or type(own) is not int:
                continue
            for other in (own + 1, own + 2):
                if (now := self.number_at(path, {size.path: other})) in (number, None):
                    continue
                if own != number or now != other:
                    return ""
                found = letter
        return found

    def is_free(self, path: str, number: int) -> bool:
        """Return whether models have the same tensors whichever stages are chosen."""
        before = f"{path}." if path else ""
        if {f"{before}{FEATURES}", f"{before}{INDICES}"} & self.file.decides:
            return False
        names = stage_names(number)
        choices: list[Keys] = [
            {INDICES: None},
            {FEATURES: [names[1]]},
            {FEATURES: [names[0], names[-1]]},
            {INDICES: [0]},
            {INDICES: [number - 1, -1], FEATURES: names[-2:]},
        ]
        for name in self.file.classes:
            tensors = list[Any]()
            for values in choices:
                chosen = {f"{before}{key}": one for key, one in values.items()}
                keys = keys_with_types(self.file, chosen)
                with Attempt() as attempt:
                    config = config_of(self.config_class, keys)
                    tensors.append(build(getattr(transformers, name), config).parameters)
                if attempt.refusal:
                    return False
            if any(one != tensors[0] for one in tensors):
                return False
        return True


def with_stages(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a file's JSON with the stages of its backbones."""
    found = StageFinder(parse_type(dict(data))).find()
    return in_order({**data, "stages": found})
