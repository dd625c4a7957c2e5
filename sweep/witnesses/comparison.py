"""Compare an entry of the catalogue with what another library builds, and explain the difference.

A difference counts as explained if named causes, which are data, turn the entry's tensors into
exactly those of the library: each has the number of entries that the causes say, and the formulas
of the causes add up to the difference. ``names.toml`` has one name for tensors with two.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from itertools import combinations_with_replacement
from math import prod
from typing import Any, NamedTuple

from paramproof.catalogue.program import ABSENT
from paramproof.formulas.derivation import Derivation, DerivedTensor
from paramproof.formulas.expression import Expression, expression, letter, sum_of, text
from paramproof.formulas.notation import expression_in
from paramproof.formulas.path import leaf, parent
from sweep.library.keys import part_in

STATES: Mapping[str, Callable[[Any], bool]] = {
    "absent": lambda value: value is ABSENT,
    "none": lambda value: value is ABSENT or value is None,
    "given": lambda value: value is not ABSENT and value is not None,
    "positive": lambda value: type(value) is int and value > 0,
}
"""States of a key that a cause may require, besides a value."""

NUMBERS: Mapping[str, Callable[[int, int], int]] = {
    "value": lambda value, layers: value,
    "first": min,
    "every": lambda value, layers: layers // value,
}
"""How a library reads a number: as a size, as the first layers, or as one layer in so many."""

ENDINGS = ("", "_text")
"""The endings of a language model's letters, alone and as a part."""

MAX_DRAWS = 20
"""The most configurations that are drawn for each one that a library builds."""

MOST_TOGETHER = 4
"""The most tensors into which a library may split one: query, key, value and more."""

Tensors = Sequence[DerivedTensor]
Sizes = Mapping[str, int]
Unexplained = Mapping[str, tuple[int, int]]


class Refused(ValueError):
    """A library does not build a configuration; the text is its error on one line."""


class Group(NamedTuple):
    """Tensors of one shape whose paths differ only in numbers."""

    path: str
    shape: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Cause:
    """A difference by construction: what a library does with a configuration.

    It applies if each key in ``when`` has the value or the state there. Then, in this order, the
    letters in ``replaced`` have other sizes, and the tensors that match ``removed`` are missing.
    For each name in ``vectors`` there are vectors with an element for each row of the tensors that
    the value matches, and for each name in ``added`` as many elements as the expression says,
    unless the entry has tensors of that name. ``read`` has letters for keys that only the library
    reads: the kind of number, the key, and the library's default.
    """

    name: str
    text: str
    is_mistake: bool = False
    when: Mapping[str, Any] = field(default_factory=dict)
    replaced: Mapping[str, str] = field(default_factory=dict)
    removed: Sequence[str] = ()
    vectors: Mapping[str, str] = field(default_factory=dict)
    added: Mapping[str, str] = field(default_factory=dict)
    read: Mapping[str, tuple[str, str, int]] = field(default_factory=dict)

    def applies_to(self, config: Mapping[str, Any]) -> bool:
        return all(_is(_value_at(config, path), value) for path, value in self.when.items())

    def replaces_in(self, sizes: Mapping[str, int]) -> bool:
        """Return whether the sizes have a letter that this cause replaces, if it replaces any.

        One that counts all layers is none: the sizes of layers of another kind are unknown.
        """
        found = [sizes[name] for one in self.replaced for name in letters_of(one, sizes)]
        return not self.replaced or any(size != sizes.get("L") for size in found)

    def read_sizes(self, config: Mapping[str, Any], layers: int) -> dict[str, int]:
        """Return the sizes that only the library reads, by letter."""
        found = {}
        for name, (kind, path, default) in self.read.items():
            value = _value_at(config, path)
            found[name] = NUMBERS[kind](value if type(value) is int else default, layers)
        return found


def letters_of(name: str, sizes: Sizes) -> list[str]:
    """Return the letters of that name, alone and as a part."""
    return [one for one in (f"{name}{ending}" for ending in ENDINGS) if one in sizes]


@cache
def all_causes() -> dict[str, Mapping[str, Any]]:
    return dict(data_in("causes.toml")["causes"])


@cache
def causes_of(case: str) -> tuple[Cause, ...]:
    """Return the causes of a model type or backbone, in the order in which they apply."""
    own = data_in("causes.toml")["types"].get(case, {})
    return tuple(
        Cause(name, **{**all_causes()[name], **own.get(name, {})}) for name in own.get("causes", ())
    )


@cache
def data_in(name: str) -> dict[str, Any]:
    """Return a table of this folder."""
    return tomllib.loads(files(__package__).joinpath(name).read_text("utf-8"))


def _value_at(config: Mapping[str, Any], path: str) -> Any:
    """Return the value of a key, or ``ABSENT``.

    If the configuration has no such part, the key is looked up at top level, as libraries do.
    """
    keys = dict(config)
    part = part_in(keys, parent(path))
    return (keys if part is None else part).get(leaf(path), ABSENT)


def _is(found: Any, value: Any) -> bool:
    """Return whether a value is the one that a cause requires; flags may have any type."""
    if isinstance(value, str) and value in STATES:
        return STATES[value](found)
    if isinstance(value, bool):
        return found is not ABSENT and bool(found) is value
    return bool(found == value)


@dataclass(frozen=True)
class Comparison:
    """The parameters of both models, and what explains their difference.

    ``causes`` have what each adds, in letters. ``unexplained`` has the numbers that the causes say
    and that the library's model has, by name, where they differ.
    """

    ours: int
    theirs: int
    causes: Mapping[str, str]
    unexplained: Unexplained


def compare(
    case: str,
    config: Mapping[str, Any],
    derivation: Derivation,
    sizes: Sizes,
    theirs: Mapping[Group, int],
    match: Callable[[Tensors, Sizes, Mapping[Group, int]], Unexplained] | None = None,
) -> Comparison:
    """Compare an entry with the groups of a library's model, by name unless ``match`` is given.

    Raises ``ValueError`` if the formulas of the causes do not add up to the difference.
    """
    tensors = derivation.parameters
    made, known, effects = explain(tensors, sizes, config, causes_of(case))
    unexplained = (match or by_name)(made, known, theirs)
    ours = sum(one.size.evaluate(sizes) for one in tensors)
    found = sum(prod(group.shape) * number for group, number in theirs.items())
    added = sum(one.evaluate(known) for one in effects.values())
    if not unexplained and found - ours != added:
        raise ValueError(f"{case}: the causes do not add up to the difference")
    return Comparison(ours, found, {name: text(one) for name, one in effects.items()}, unexplained)


def explain(
    tensors: Tensors, sizes: Sizes, config: Mapping[str, Any], causes: Iterable[Cause]
) -> tuple[Tensors, Sizes, dict[str, Expression]]:
    """Return what the causes that apply to a configuration make of the tensors.

    The sizes include those that only the library reads. Each cause that changes a number has what
    it adds, in letters, by its name.
    """
    sizes, effects = dict(sizes), dict[str, Expression]()
    layers = next((sizes[one] for one in letters_of("L", sizes)), 0)
    for cause in causes:
        if not cause.applies_to(config):
            continue
        sizes |= cause.read_sizes(config, layers)
        before, tensors = _sums(tensors), _apply(cause, tensors, sizes)
        after = _sums(tensors)
        changes = [after[one] - before[one] for one in before.keys() | after.keys()]
        if changes := [one for one in changes if one and one.evaluate(sizes)]:
            effects[cause.name] = sum_of(changes)
    return tensors, sizes, effects


def by_name(tensors: Tensors, sizes: Sizes, theirs: Mapping[Group, int]) -> Unexplained:
    """Return the numbers of entries that differ, by the common name of tensors."""
    said, found = Counter[str](), Counter[str]()
    for name, one in _sums(tensors).items():
        said[name] += one.evaluate(sizes)
    for group, number in theirs.items():
        found[common_name(group.path)] += number * prod(group.shape)
    names = sorted(name for name in {*said, *found} if said[name] != found[name])
    return {name: (said[name], found[name]) for name in names}


def by_size(tensors: Tensors, sizes: Sizes, theirs: Mapping[Group, int]) -> Unexplained:
    """Return the tensors that remain after those with as many entries are matched.

    One tensor is matched with several that add up to it, too.
    """
    said, found = Counter[int](), Counter[int]()
    for one in tensors:
        said[prod(length.evaluate(sizes) for length in one.shape)] += one.times.evaluate(sizes)
    for group, number in theirs.items():
        found[prod(group.shape)] += number
    said, found = said - found, found - said
    while _take_parts(said, found) or _take_parts(found, said):
        pass
    return {
        f"of {size:,} entries": (said[size] * size, found[size] * size)
        for size in sorted(k for k in {*said, *found} if said[k] or found[k])
    }


def _take_parts(wholes: Counter[int], parts: Counter[int]) -> bool:
    """Remove a tensor and several that add up to it; return whether there were any."""
    for whole in +wholes:
        for number in range(2, MOST_TOGETHER + 1):
            for some in combinations_with_replacement(sorted(+parts, reverse=True), number):
                if sum(some) == whole and Counter(some) <= parts:
                    wholes[whole] -= 1
                    parts.subtract(some)
                    return True
    return False


def common_name(path: str) -> str:
    """Return the name that the tensor at a path has in a comparison: see ``names.toml``."""
    for old, new in data_in("names.toml")["rules"]:
        path = re.sub(old, new, path)
    return path


def _sums(tensors: Tensors) -> defaultdict[str, Expression]:
    found = defaultdict[str, Expression](Expression)
    for one in tensors:
        found[common_name(one.path)] += one.size
    return found


def _apply(cause: Cause, tensors: Tensors, sizes: Sizes) -> Tensors:
    """Return the tensors as the cause makes them: see ``Cause``."""
    swap = {
        one: _expression(new, sizes)
        for name, new in cause.replaced.items()
        for one in letters_of(name, sizes)
    }
    kept = [_substitute(one, swap) for one in tensors if not _matches(cause.removed, one)]
    names = {common_name(one.path) for one in kept}
    vectors = (
        _tensor(name, one.times * one.shape[0])
        for name, pattern in cause.vectors.items()
        if name not in names
        for one in kept
        if _matches([pattern], one)
    )
    added = (
        _tensor(name, _expression(size, sizes))
        for name, size in cause.added.items()
        if name not in names
    )
    return [*kept, *vectors, *added]


def _substitute(tensor: DerivedTensor, swap: Mapping[str, Expression]) -> DerivedTensor:
    shape = tuple(length.substitute(swap) for length in tensor.shape)
    return replace(tensor, shape=shape, times=tensor.times.substitute(swap))


def _matches(patterns: Iterable[str], tensor: DerivedTensor) -> bool:
    return any(re.search(one, common_name(tensor.path)) for one in patterns)


def _tensor(name: str, size: Expression) -> DerivedTensor:
    return DerivedTensor(name, (size,), expression(1), "trainable", (), False, False)


def _expression(size: str, sizes: Sizes) -> Expression:
    """Return an expression; a letter that the model lacks is that of its language model."""
    found = expression_in(size)
    own = {name: letters_of(name, sizes) or [name] for name in found.letters}
    return found.substitute({name: letter(of[0]) for name, of in own.items()})
