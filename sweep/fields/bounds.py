"""Find the fields, such as token ids, that must be below the sizes of tables, or that may be any.

A class is first probed at small sizes, at which such a field may be refused for other reasons.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import transformers

from paramproof.catalogue.files import TypeFile, parse_type
from sweep.fields.probe import Prober
from sweep.fields.probe_values import LARGE
from sweep.library.config_classes import config_class_of
from sweep.library.refusal import attempt
from sweep.library.seed_values import seed_config
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
