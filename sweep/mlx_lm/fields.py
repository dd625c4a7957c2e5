"""What the keys of a model of mlx-lm do: which are sizes, and which values change no tensor."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from paramproof.catalogue.value_kinds import sort_of
from paramproof.formulas.division import floor
from paramproof.formulas.expression import Expression, expression, letter
from paramproof.formulas.notation import text
from sweep.fields.probe_values import PROBES
from sweep.library.keys import Keys
from sweep.witnesses.mlx_lm import Groups, Refused, build, module_of

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
    """Return whether a value may be a size."""
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
        """Yield the keys of each variant at each point."""
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

    def default_size(self, path: str, default: Any) -> str:
        """Return the size of an absent key as an entry has it, or "" if there is none."""
        return "" if default is REQUIRED else self.size_like(path, {}, default)

    def null_size(self, path: str) -> str:
        """Return the size for which null stands, or "" if it is refused."""
        return self.size_like(path, {path: None}, None)

    def size_like(self, path: str, instead: Keys, default: Any) -> str:
        """Return the size of a key that gives the same models as ``instead`` of it."""
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
