"""The symbolic shape of every tensor that a builder makes, read off a few abstract builds.

In each build every letter is a prime of its own, from 5 up, so that a length says which letters
it is made of: 231 = 3·7·11 is 3·A·K. Two builds with other primes must say the same; a sum,
such as P + 2, takes a third to exclude a coincidence. A length that nothing explains is
an error, and so is one that two things explain.

The tensors are then compared with the formula's algebra one by one, each expected shape derived
from its declared layout, in symbols.

What would fool it: a builder that does otherwise at sizes that are no such primes. See
``paramproof.proof.interpolation`` for a proof that reads no names or shapes, and is fooled by
others.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from paramproof.builders.protocol import Builder
from paramproof.formulas import Weight
from paramproof.formulas.expression import Expression, expression, letter
from paramproof.formulas.notation import text
from paramproof.formulas.path import LAYER
from paramproof.proof.parts import FIELDS, Parts, spec_of

Sizes = Mapping[str, int]

POINTS: tuple[Sizes, ...] = (
    {"L": 5, "A": 7, "K": 11, "F": 1009, "V": 2003, "P": 541, "T": 13},
    {"L": 7, "A": 17, "K": 19, "F": 1103, "V": 2203, "P": 607, "T": 23},
    {"L": 11, "A": 13, "K": 29, "F": 1201, "V": 2411, "P": 701, "T": 31},
)
FEWEST_POINTS = 2
"""Builds that say the same; a third is asked where they do not."""

LARGEST_MULTIPLE = 64
"""Of a letter that a length may be, and what may be added to it: no padding looks like that."""


class Unreadable(ValueError):
    """A length that no letters explain, or that more than one expression explains."""


@dataclass(frozen=True, slots=True)
class SymbolicTensor:
    """One native tensor, ``times`` of it where its path has a ``*`` for a number.

    ``parts``, ``layout`` and ``aliases`` are as in ``Weight``, with ``*`` for layers.
    """

    path: str
    shape: tuple[Expression, ...]
    times: Expression
    trainable: bool
    parts: tuple[str, ...]
    layout: tuple[str, ...]
    aliases: tuple[str, ...]

    @property
    def size(self) -> Expression:
        """Number of entries of all of them, whether trainable or not."""
        return self.times * math.prod(self.shape)


def read(
    builder: Builder,
    parts: Parts,
    known: Sizes | None = None,
    points: Sequence[Sizes] = POINTS,
) -> list[SymbolicTensor]:
    """Every native tensor of ``builder``'s encoder with ``parts``, in symbols.

    ``known`` are the letters that the builder cannot vary, with their values.

    Raises ``Unreadable``, naming the tensor, for what is not explained or ambiguous.
    """
    points = [dict(point) | dict(known or {}) for point in points]
    needed = FEWEST_POINTS
    while True:
        try:
            return _read(builder, parts, known or {}, points[:needed])
        except Unreadable:
            if needed >= len(points):
                raise
            needed += 1


def total(tensors: Sequence[SymbolicTensor]) -> Expression:
    """The symbolic count of what is trainable."""
    return sum((one.size for one in tensors if one.trainable), Expression())


def _read(
    builder: Builder, parts: Parts, known: Sizes, points: Sequence[Sizes]
) -> list[SymbolicTensor]:
    builds = [_groups(builder.build(spec_of(p, parts)).weights()) for p in points]
    lengths = _Lengths(points, known)
    readings = []
    for key in dict.fromkeys(key for build in builds for key in build):
        found = [build.get(key, []) for build in builds]
        path = key[0]
        times = lengths.explain([len(group) for group in found], f"the number of {path}")
        shapes = [group[0].shape for group in found]
        if len({len(shape) for shape in shapes}) != 1:
            raise Unreadable(f"{path} has shapes {shapes}, of different ranks")
        shape = tuple(
            lengths.explain(list(axis), f"axis {number} of {path}")
            for number, axis in enumerate(zip(*shapes, strict=True))
        )
        readings.append(SymbolicTensor(path, shape, times, *key[1:5]))
    return readings


def _groups(weights: Sequence[Weight]) -> dict[tuple[Any, ...], list[Weight]]:
    """Weights that differ in a number of their path only, and so in nothing else, together.

    Those of another shape are a group of their own, numbered as they come.
    """
    groups: dict[tuple[Any, ...], list[Weight]] = defaultdict(list)
    shapes: dict[tuple[Any, ...], list[tuple[int, ...]]] = defaultdict(list)
    for weight in weights:
        names = (_starred(weight.parts), weight.layout, _starred(weight.aliases))
        key = (_starred((weight.path,))[0], weight.trainable, *names)
        if weight.shape not in shapes[key]:
            shapes[key].append(weight.shape)
        groups[(*key, shapes[key].index(weight.shape))].append(weight)
    return groups


def _starred(paths: Sequence[str]) -> tuple[str, ...]:
    """Paths with ``*`` for each number that stands alone: ``Encoder-*-Norm``, ``linear1``."""
    return tuple(re.sub(r"(?<![A-Za-z0-9])\d+(?![A-Za-z0-9])", LAYER, path) for path in paths)


class _Lengths:
    """What lengths, seen at several points, are made of."""

    def __init__(self, points: Sequence[Sizes], known: Sizes) -> None:
        single = [(name,) for name in FIELDS if name not in known]
        double = list(combinations((name for (name,) in single), 2))
        self.points = points
        self.values: dict[Expression, list[int]] = {
            _product(letters): [math.prod(point[name] for name in letters) for point in points]
            for letters in [*single, *double]
        }
        hidden = [letters for letters in double if letters == ("A", "K")]
        self.simple = [_product(letters) for letters in [*single, *hidden]]

    def explain(self, lengths: list[int], what: str) -> Expression:
        """The one expression that is as long as ``lengths`` at the points.

        A number; or a letter or a product of two, times a number; or a sum of two such.
        """
        for candidates in (self._single, self._sums):
            found = list(dict.fromkeys(candidates(lengths)))
            if len(found) == 1:
                return found[0]
            if found:
                texts = " or ".join(map(text, found))
                raise Unreadable(f"{what} is ambiguous: {lengths} may be {texts}")
        raise Unreadable(f"{what} is not explained: {lengths} at {list(map(dict, self.points))}")

    def _single(self, lengths: list[int]) -> Iterator[Expression]:
        if len(set(lengths)) == 1:
            yield expression(lengths[0])
        for monomial, values in self.values.items():
            factor = lengths[0] // values[0]
            if 0 < factor <= LARGEST_MULTIPLE and lengths == [factor * v for v in values]:
                yield factor * monomial

    def _sums(self, lengths: list[int]) -> Iterator[Expression]:
        """Two points determine the numbers in a sum, so only a third one can confirm it."""
        if len(lengths) < 3:
            return
        ones = [1] * len(lengths)
        terms = [(expression(1), ones), *((m, self.values[m]) for m in self.simple)]
        for (first, x), (second, y) in combinations(terms, 2):
            determinant = x[0] * y[1] - x[1] * y[0]
            if not determinant:
                continue
            a, rest = divmod(lengths[0] * y[1] - lengths[1] * y[0], determinant)
            b, also = divmod(x[0] * lengths[1] - x[1] * lengths[0], determinant)
            small = 0 < abs(a) <= LARGEST_MULTIPLE and 0 < abs(b) <= LARGEST_MULTIPLE
            exact = [a * p + b * q for p, q in zip(x, y, strict=True)] == lengths
            if not rest and not also and small and exact:
                yield a * first + b * second


def _product(letters: Sequence[str]) -> Expression:
    return math.prod(map(letter, letters), start=expression(1))
