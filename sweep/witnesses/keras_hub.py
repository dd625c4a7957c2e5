"""KerasHub's backbones beside the base models of transformers; nothing else knows KerasHub.

``keras_hub.toml`` says which backbone is which model type, and how sizes correspond: an argument is
a letter of the model type's entry or a product of several. Backbones are built in a scope without
weights. Their tensors have names and shapes of their own, so they are compared by their numbers of
entries, of which one library may keep in one tensor what the other has in several.
"""

from __future__ import annotations

import inspect
import os
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import version
from math import prod
from random import Random
from types import ModuleType
from typing import Any

from paramproof.catalogue.configurations import entry
from paramproof.catalogue.names import classes_of
from paramproof.derivation.sampling import sample_sizes
from paramproof.formulas.condition import Relation
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.notation import expression_in
from sweep.witnesses.comparison import (
    MAX_DRAWS,
    Comparison,
    Group,
    Refused,
    by_size,
    causes_of,
    compare,
    data_in,
    explain,
)

UNUSED = ("tensorflow", "tensorflow_text", "sentencepiece")
"""Packages that tokenizers and metrics import if installed, and no backbone needs."""

SMALL = 40
"""Models have about these sizes, or smaller ones, where conditions allow it."""

DEEPEST = 3
"""The largest number of layers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A backbone of KerasHub, and a model type of transformers.

    ``arguments`` are the backbone's: a letter of the model type or a product of several, a flag, or
    a list of them; a table is a part, made of its ``class``, or something for ``each`` layer. Those
    that ``usual`` names may be left out. ``config`` are keys of the configuration that are not the
    type's own, ``own`` letters that only the backbone has, with a size to begin with. ``equal``
    says what a letter of transformers is in the others. ``presets`` are published models, with the
    sizes of theirs that are not those to begin with.
    """

    backbone: str
    type: str
    usual: Mapping[str, str]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)
    own: Mapping[str, int] = field(default_factory=dict)
    equal: Mapping[str, str] = field(default_factory=dict)
    presets: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def keys(self) -> dict[str, Any]:
        return {"model_type": self.type, "architectures": classes_of(self.type)[:1], **self.config}

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes of both by letter: the type's own, and those that only the backbone has."""
        return {**entry(self.keys).derivation.sizes, **self.own}

    def arguments_of(self, backbone: Any) -> dict[str, Any]:
        """Return the arguments of a backbone: the usual ones that it takes, and the pair's."""
        takes, sizes = inspect.signature(backbone).parameters, self.sizes
        usual = {name: one for name, one in self.usual.items() if name in takes and one in sizes}
        return {**usual, **self.arguments}

    def derivation(self, letters: Set[str]) -> Derivation:
        """Return the base model's derivation in these letters.

        Others are replaced by the expressions in ``equal``. Divisions that transformers rounds down
        are exact.
        """
        swap = {k: expression_in(v) for k, v in self.equal.items() if k not in letters}
        return replace(entry(self.keys).derivation, sizes=self.sizes).substitute(swap)


@cache
def pairs() -> dict[str, Pair]:
    data = dict(data_in("keras_hub.toml"))
    usual = data.pop("usual")
    return {
        name: Pair(backbone=name.partition("-")[0], usual=usual, **one)
        for name, one in data.items()
    }


@cache
def models() -> ModuleType:
    """Import KerasHub; return the module that has its backbones."""
    # JAX imports fastest, and shapes are the same in every backend.
    os.environ.setdefault("KERAS_BACKEND", "jax")
    absent = {name: None for name in UNUSED if name not in sys.modules}
    sys.modules.update(absent)  # type: ignore[arg-type]
    try:
        import keras_hub
    finally:
        for name in absent:
            del sys.modules[name]
    found: ModuleType = keras_hub.models
    return found


def types_of_both() -> list[str]:
    return list(pairs())


def versions() -> dict[str, str]:
    return {name: version(name) for name in ("keras-hub", "keras")}


def compare_random(name: str, number: int, seed: int = 0) -> Iterator[Comparison]:
    """Yield models of a backbone at random sizes, each compared with transformers' base model.

    Sizes that the backbone refuses are drawn again. Raises ``Refused`` if it refuses most.
    """
    pair, random = pairs()[name], Random(f"{name} {seed}")
    backbone = getattr(models(), pair.backbone)
    arguments = pair.arguments_of(backbone)
    letters = sizes_named(arguments, pair.sizes.keys())
    derivation = pair.derivation(letters)
    guards = derivation.irrelevant_guards
    conditions = [one for one in guards if one.holds and one.relation is Relation.DIVIDES]
    conditions += [stated.condition for stated in derivation.conditions]
    layers = frozenset(name for one in derivation.tensors for name in one.times.letters)
    fixed = frozenset(pair.sizes.keys() - letters)
    first = {n: size if n in fixed else min(size, SMALL) for n, size in pair.sizes.items()}
    for _ in range(number * MAX_DRAWS):
        sizes = sample_sizes(random, first, conditions, layers & letters, fixed, DEEPEST)
        try:
            groups = build(backbone, arguments, sizes or {})
        except (KeyError, ValueError):
            continue
        yield compare(name, {}, derivation, sizes or {}, groups, by_size)
        number -= 1
        if not number:
            return
    raise Refused(f"{name} refuses most sizes")


def expected(name: str, preset: str) -> int:
    """Return the number of parameters of a preset by the catalogue and the causes."""
    pair = pairs()[name]
    sizes: Mapping[str, int] = {**pair.sizes, **pair.presets[preset]}
    derivation = pair.derivation(sizes.keys() - pair.equal.keys())
    said, sizes, _ = explain(derivation.parameters, sizes, {}, causes_of(name))
    return sum(one.size.evaluate(sizes) for one in said)


def build(backbone: Any, arguments: Mapping[str, Any], sizes: Mapping[str, int]) -> Counter[Group]:
    from keras import StatelessScope

    with warnings.catch_warnings(action="ignore"), StatelessScope(initialize_variables=False):
        # T5's attention says of each layer that it takes no mask.
        model = backbone(**filled(arguments, sizes, lambda name: getattr(models(), name)))
    return Counter(Group(one.path, tuple(one.shape)) for one in model.weights)


def all_published() -> dict[str, dict[str, int]]:
    """Return the numbers of parameters that KerasHub publishes, by backbone and preset."""
    return {
        name: {
            preset: getattr(models(), pair.backbone).presets[preset]["metadata"]["params"]
            for preset in pair.presets
        }
        for name, pair in pairs().items()
    }


def sizes_named(value: Any, names: Set[str]) -> set[str]:
    """Return which of these sizes an argument names."""
    if isinstance(value, Mapping):
        value = [*value.values()]
    if isinstance(value, list):
        return {name for one in value for name in sizes_named(one, names)}
    return {*names} & set(value.split("·")) if isinstance(value, str) else set()


def filled(value: Any, sizes: Mapping[str, int], find: Callable[[str], Any]) -> Any:
    """Return an argument with the sizes that it names.

    A text is a size or a product, ``r·G``, or itself if it names none; a list is a tuple. A table
    with a ``class`` is what that class makes of the table's other arguments, ``of`` being those
    without a name; one with ``each`` is a list of as many as ``times`` says.
    """
    if isinstance(value, str):
        parts = value.split("·")
        if not any(one in sizes for one in parts):
            return find(value[1:]) if value.startswith("@") else value
        return prod(sizes[one] if one in sizes else int(one) for one in parts)
    if isinstance(value, list):
        return tuple(filled(one, sizes, find) for one in value)
    if not isinstance(value, Mapping):
        return value
    if "each" in value:
        return [value["each"]] * filled(value["times"], sizes, find)
    own = {name: filled(one, sizes, find) for name, one in value.items() if name != "class"}
    return find(value["class"])(*own.pop("of", ()), **own) if "class" in value else own
