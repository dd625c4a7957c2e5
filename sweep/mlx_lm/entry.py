"""Derive the entry of a model type from the model that mlx-lm builds."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from functools import cache
from importlib.resources import files
from itertools import product
from random import Random
from typing import Any

from paramproof.algebra.letters import letters_for
from paramproof.algebra.sampling import sample_inside
from paramproof.catalogue.files import FORMAT
from paramproof.derivation.pipeline import Effort, derive
from paramproof.formulas.derivation import Derivation
from sweep.entries.entry_data import KnownVariant, class_data, without_aliases
from sweep.library.keys import Keys
from sweep.mlx_lm.constructor import mlx_lm_constructor
from sweep.mlx_lm.fields import REQUIRED, FieldProbe, defaults_of, is_size
from sweep.store import in_order, pack_accepted
from sweep.witnesses.mlx_lm import versions

NOT_SIZES = ("_token_id", "_every_n_layers")
"""Endings of int keys that are not sizes."""

POINTS = 3
"""Sizes at which other keys are probed."""

MORE_POINTS = 60
"""Sizes at which an absent size is probed: heads wider than the model are refused in most."""


@cache
def published_models() -> Mapping[str, Any]:
    """Return the class and the required keys of a published model of each type."""
    written = files("sweep.mlx_lm").joinpath("models.toml").read_text("utf-8")
    return tomllib.loads(written)


def build_mlx_lm_entry(model_type: str) -> dict[str, Any]:
    """Return the entry of a model type. Raises ``DerivationError`` if it has no formula."""
    name, given = (published_models()[model_type][one] for one in ("class", "keys"))
    defaults = defaults_of(model_type)
    values = {k: given.get(k, v) for k, v in defaults.items()}
    sizes = {k: v for k, v in values.items() if is_size(v) and not k.endswith(NOT_SIZES)}
    start = {k: v for k, v in given.items() if k not in sizes} | {"model_type": model_type}
    first = derive(mlx_lm_constructor(name, start, sizes), effort=Effort(rather_fixed=True))
    letters = letters_for(sizes)
    probe = FieldProbe(start, letters, _points(first, POINTS))
    flags = [k for k, v in values.items() if type(v) is bool and probe.moves(k)]
    probe.variants = _choices(flags)
    others = {k: v for k, v in defaults.items() if k not in sizes}
    free = {path: probe.free_sorts(path) for path in others if path not in flags}
    needed = {k: given[k] for k, v in others.items() if v is REQUIRED}
    stuck = [k for k, sorts in free.items() if not sorts]
    data = _variants(name, start, sizes, {flag: values[flag] for flag in flags})
    for one in (data, *data.get("also", ())):
        one["where"] = {**needed, **one.get("where", {})}
    data["decides"] = sorted({*flags, *stuck, *needed})
    at_more = FieldProbe(start, letters, _points(first, MORE_POINTS))
    own = {path: at_more.default_size(path, defaults[path]) for path in sizes}
    nulls = {path: at_more.null_size(path) for path in sizes if defaults[path] is None}
    entry = {
        "format": FORMAT,
        "model_type": model_type,
        "versions": versions(),
        "letters": {letters[path]: f"{path} = {one}" if one else path for path, one in own.items()},
        "null": {path: one for path, one in nulls.items() if one},
        "fields": {k: v for k, v in sorted(others.items()) if v is not REQUIRED},
        "free": pack_accepted(free),
        "classes": {name: data},
    }
    return in_order(entry)


def _variants(
    name: str, start: Keys, sizes: Mapping[str, int], own: Mapping[str, bool]
) -> dict[str, Any]:
    """Return the JSON of a class: at its own flags, and at every other choice of them."""
    known: list[KnownVariant] = []
    data: dict[str, Any] = {}
    for index, choice in enumerate(sorted(_choices(own), key=lambda one: one != own)):
        constructor = mlx_lm_constructor(name, {**start, **choice}, sizes)
        derivation = derive(constructor, effort=Effort(rather_fixed=True))
        one = class_data(derivation, known)
        known.append(KnownVariant(name, index, tuple(map(without_aliases, derivation.tensors))))
        if not data:
            data = one
            continue
        changed = {flag: value for flag, value in choice.items() if value != own[flag]}
        empty = {key: type(value)() for key, value in data.items() if key not in ({*one, "also"})}
        new = {key: value for key, value in {**empty, **one}.items() if value != data.get(key)}
        data.setdefault("also", []).append({"where": changed, **new})
    return data


def _choices(flags: Collection[str]) -> list[dict[str, bool]]:
    """Return every choice of some flags."""
    values = product((False, True), repeat=len(flags))
    return [dict(zip(flags, one, strict=True)) for one in values]


def _points(derivation: Derivation, number: int) -> list[dict[str, int]]:
    """Return small sizes by key that satisfy the guards."""
    random = Random(0)
    drawn = [sample_inside(random, derivation) for _ in range(number)]
    return [{derivation.fields[k]: v for k, v in one.items()} for one in drawn if one]
