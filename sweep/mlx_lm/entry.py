"""Derive the entry of a model type from the model that mlx-lm builds.

The sizes of a model are fields of its ModelArgs; keys are tried as those of transformers are.
"""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import product
from random import Random
from typing import Any

from paramproof.algebra.letters import letters_for
from paramproof.catalogue.files import FORMAT
from paramproof.catalogue.value_kinds import sort_of
from paramproof.derivation.pipeline import Effort, derive
from paramproof.derivation.sampling import sample_inside
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.expression import Expression, expression, floor, letter, text
from paramproof.tracing.constructors import Constructor, require_sizes
from paramproof.tracing.internal_errors import calls_constructor
from paramproof.tracing.recorder import ignoring_array_code
from paramproof.tracing.tensor_groups import ObservedTensor
from sweep.entries.entry_data import KnownVariant, class_data, without_aliases
from sweep.fields.probe_values import PROBES
from sweep.library.keys import Keys
from sweep.store import in_order, pack_accepted
from sweep.witnesses.comparison import Refused
from sweep.witnesses.mlx_lm import Groups, build, module_of, versions

REQUIRED = inspect.Parameter.empty
"""Stands for the default of a key that mlx-lm requires."""


MIN_MODELS, MAX_MODELS = 3, 6
"""The numbers of models that a size for an absent key must fit."""


def defaults_of(model_type: str) -> dict[str, Any]:
    """Return the default of each key that mlx-lm reads for a model type."""
    module = module_of(model_type)
    assert module is not None
    parameters = inspect.signature(module.ModelArgs).parameters
    return {name: one.default for name, one in parameters.items() if name != "model_type"}


def built(keys: Keys) -> Groups | None:
    """Return the tensors of a model, or None if mlx-lm refuses its keys."""
    try:
        return build(keys)
    except Refused:
        return None


def is_size(value: object) -> bool:
    return type(value) is int and value > 0


@dataclass(slots=True)
class FieldProbe:
    """Probes the keys of a model type around models of several ``points``: sizes by key.

    ``start`` has the keys that are not sizes. ``letters`` has the letter of each size.
    """

    start: Keys
    letters: Mapping[str, str]
    points: Sequence[Mapping[str, int]]
    variants: Sequence[Keys] = field(default_factory=lambda: [{}])

    def models(self) -> Iterator[Keys]:
        for point in self.points:
            for variant in self.variants:
                yield {**self.start, **point, **variant}

    def changes_nothing(self, path: str, value: Any) -> bool:
        """Return whether models with this value of a key are built, with the same tensors."""
        return all(
            built({**keys, path: value}) == built(keys)
            for keys in self.models()
            if built(keys) is not None
        )

    def moves(self, path: str) -> bool:
        """Return whether a flag selects the tensors of any model, so that both are built."""
        for keys in self.models():
            one, other = (built({**keys, path: flag}) for flag in (False, True))
            if one is not None and other is not None and one != other:
                return True
        return False

    def free_sorts(self, path: str) -> list[str]:
        """Return the sorts of values for which no tensor depends on a key."""
        return [
            sort
            for sort, values in PROBES.items()
            if sort == sort_of(values[0]) and all(self.changes_nothing(path, v) for v in values)
        ]

    def size_like(self, path: str, instead: Keys, default: Any) -> str:
        """Return the size of a key that gives the same models as ``instead`` of it, or ""."""
        letters = [letter(one) for name, one in self.letters.items() if name != path]
        ratios = [floor(a, b) for a in letters for b in letters if a != b]
        if type(default) is int:
            candidates = [expression(default)]
        else:
            # Where no tensor depends on the key, any size fits.
            candidates = [expression(1), *letters, *ratios]
        without = [{k: v for k, v in keys.items() if k != path} for keys in self.models()]
        models = [(keys, built({**keys, **instead})) for keys in without]
        known = [(keys, model) for keys, model in models if model is not None][:MAX_MODELS]
        if len(known) < MIN_MODELS:
            return ""
        found = (one for one in candidates if self.fits(path, one, known))
        return next(map(text, found), "")

    def fits(self, path: str, size: Expression, models: Sequence[tuple[Keys, Groups]]) -> bool:
        """Return whether an expression is the size of a key in each of the models."""
        for keys, model in models:
            sizes = {self.letters[name]: keys[name] for name in self.letters if name in keys}
            due = size.evaluate(sizes)
            # Code such as ``head_dim or H // A`` takes 0 for an absent key.
            if due < 1 or built({**keys, path: due}) != model:
                return False
        return True


def mlx_lm_constructor(name: str, keys: Keys, sizes: Mapping[str, int]) -> Constructor:
    """Return the constructor of the model that mlx-lm builds of ``keys``, with ``sizes``.

    MLX takes plain ints, so shapes are fitted.
    """

    @calls_constructor
    def make(chosen: Mapping[str, int]) -> Groups:
        return build({**keys, **chosen})

    return Constructor(
        name,
        require_sizes(sizes),
        make,
        _observed_tensors,
        ignoring_array_code,
        ("mlx_lm", "mlx"),
        versions(),
        is_followed=False,
    )


def _observed_tensors(groups: Groups, _: Any) -> Iterator[ObservedTensor]:
    for group, number in groups.items():
        yield from [ObservedTensor(group.path, group.shape, "trainable")] * number


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
    absent = {path: defaults[path] for path in sizes if defaults[path] is not REQUIRED}
    own = {path: path in absent and at_more.size_like(path, {}, absent[path]) for path in sizes}
    nullable = (path for path, default in absent.items() if default is None)
    nulls = {path: at_more.size_like(path, {path: None}, None) for path in nullable}
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
    values = product((False, True), repeat=len(flags))
    return [dict(zip(flags, one, strict=True)) for one in values]


def _points(derivation: Derivation, number: int) -> list[dict[str, int]]:
    """Return small sizes by key that satisfy the guards."""
    random = Random(0)
    drawn = [sample_inside(random, derivation) for _ in range(number)]
    return [{derivation.fields[k]: v for k, v in one.items()} for one in drawn if one]
