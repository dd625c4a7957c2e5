"""Apply the causes to an entry's tensors, in letters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from paramproof.catalogue.entries import Entry
from paramproof.formulas.derivation import DerivedTensor
from paramproof.formulas.expression import Expression, expression, letter, sum_of
from paramproof.formulas.parsing import expression_in
from sweep.second_opinion.causes import Cause
from sweep.second_opinion.mlx_models import Group
from sweep.second_opinion.names import common_name

ENDINGS = ("", "_text")
"""The endings of a language model's letters, alone and as a part."""

PACKED = 4
"""The ternary weights in a byte."""

Tensors = Sequence[DerivedTensor]
Sizes = Mapping[str, int]


@dataclass(frozen=True)
class Explanation:
    """The parameters of mlx-lm's model that an entry and the causes say.

    ``sums`` has their number by name. ``effects`` has, for each cause that changes a number, what
    it adds in letters. ``sizes`` are those of the entry, and those that only mlx-lm reads.
    """

    sums: Mapping[str, int]
    effects: Mapping[Cause, Expression]
    sizes: Sizes


def explain(entry: Entry, config: Mapping[str, Any], causes: Iterable[Cause]) -> Explanation:
    """Return what the causes that apply to a configuration make of its entry."""
    tensors: Tensors = [one for one in entry.derivation.tensors if one.role != "buffer"]
    sizes, effects = dict(entry.sizes), dict[Cause, Expression]()
    layers = next((sizes[f"L{ending}"] for ending in ENDINGS if f"L{ending}" in sizes), 0)
    sums = _sums(tensors)
    for cause in causes:
        if not cause.applies_to(config):
            continue
        sizes |= cause.read_sizes(config, layers)
        tensors = _apply(cause, tensors, sizes)
        before, sums = sums, _sums(tensors)
        changes = [*_changes(before, sums, sizes)]
        if changes:
            effects[cause] = sum_of(changes)
    numbers = {name: one.evaluate(sizes) for name, one in sums.items()}
    return Explanation({name: one for name, one in numbers.items() if one}, effects, sizes)


def observed(groups: Mapping[Group, int]) -> dict[str, int]:
    """Return the number of parameters of mlx-lm's model, by name."""
    found = Counter[str]()
    for group, number in groups.items():
        found[common_name(group.path)] += number * prod(group.shape)
    return dict(found)


def _changes(
    before: Mapping[str, Expression], after: Mapping[str, Expression], sizes: Sizes
) -> Iterator[Expression]:
    """Yield the difference at each name whose number changes at these sizes."""
    zero = Expression()
    for name in before.keys() | after.keys():
        change = after.get(name, zero) - before.get(name, zero)
        if change and change.evaluate(sizes):
            yield change


def _sums(tensors: Tensors) -> dict[str, Expression]:
    found: dict[str, Expression] = {}
    for one in tensors:
        name = common_name(one.path)
        found[name] = found.get(name, Expression()) + one.size
    return found


def _apply(cause: Cause, tensors: Tensors, sizes: Sizes) -> Tensors:
    """Return the tensors as the cause makes them: see ``Cause``."""
    swap = dict(_replaced(cause, sizes))
    kept = [_substitute(one, swap) for one in tensors if not _matches(cause.removed, one)]
    names = {common_name(one.path) for one in kept}
    vectors = [
        _tensor(name, one.times * one.shape[0])
        for name, pattern in cause.vectors.items()
        if name not in names
        for one in kept
        if _matches([pattern], one)
    ]
    added = [
        _tensor(name, _expression(text, sizes))
        for name, text in cause.added.items()
        if name not in names
    ]
    return [*_packed(cause.packed, kept), *vectors, *added]


def _replaced(cause: Cause, sizes: Sizes) -> Iterator[tuple[str, Expression]]:
    """Yield the letters that are replaced, as they are in this entry, with their expressions."""
    for name, text in cause.replaced.items():
        for ending in ENDINGS:
            if f"{name}{ending}" in sizes:
                yield f"{name}{ending}", _expression(text, sizes)


def _substitute(tensor: DerivedTensor, swap: Mapping[str, Expression]) -> DerivedTensor:
    if not swap:
        return tensor
    shape = tuple(length.substitute(swap) for length in tensor.shape)
    return replace(tensor, shape=shape, times=tensor.times.substitute(swap))


def _packed(patterns: Sequence[str], tensors: Tensors) -> Iterator[DerivedTensor]:
    """Yield the tensors, with fewer rows and a scale in place of those that are packed."""
    for one in tensors:
        if not _matches(patterns, one):
            yield one
            continue
        rows = (one.shape[0] + PACKED - 1) // PACKED
        yield replace(one, shape=(rows, *one.shape[1:]))
        yield _tensor(f"{common_name(one.path)}_scale", one.times)


def _matches(patterns: Iterable[str], tensor: DerivedTensor) -> bool:
    return any(re.search(one, common_name(tensor.path)) for one in patterns)


def _tensor(name: str, size: Expression) -> DerivedTensor:
    return DerivedTensor(name, (size,), expression(1), "trainable", (), False, False)


def _expression(text: str, sizes: Sizes) -> Expression:
    """Return an expression; a letter that the model lacks is that of its language model."""
    found = expression_in(text)
    names = {
        name: next((f"{name}{ending}" for ending in ENDINGS if f"{name}{ending}" in sizes), name)
        for name in found.letters
    }
    return found.substitute({name: letter(new) for name, new in names.items()})
