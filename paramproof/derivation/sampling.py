"""Sizes at which formulas are tried: random ones that meet conditions, and primes.

Sizes are drawn at random, and then repaired, one broken condition after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from fractions import Fraction
from itertools import count
from math import floor, inf, isqrt
from random import Random
from typing import TypeAlias

from paramproof.formulas.architecture import Architecture
from paramproof.formulas.condition import Condition, Relation
from paramproof.formulas.expression import expression

Sizes: TypeAlias = Mapping[str, int]

SIZE_FACTORS = (0.25, 0.5, 1, 2, 3, 5, 7)
"""Factors by which a drawn size may differ from the constructor's own."""

MAX_DEPTH = 9
"""The largest length of a loop, so that models have few layers."""

MAX_ATTEMPTS = 12
"""Attempts to draw and repair sizes."""


def sample_sizes(
    random: Random,
    first: Mapping[str, int],
    conditions: Sequence[Condition],
    repeated: Collection[str] = (),
    fixed: Set[str] = frozenset(),
    deepest: int = MAX_DEPTH,
    ranges: Mapping[str, tuple[int, int]] = {},
) -> dict[str, int] | None:
    """Return sizes that meet ``conditions``, None if none were found.

    ``repeated`` are sizes in lengths of loops, drawn up to ``deepest``; ``fixed`` ones keep their
    value. ``ranges`` are the ranges from which other sizes are drawn, before conditions move them.
    """
    known = dict.fromkeys(repeated, (1, deepest)) | dict(ranges)

    def draw(name: str) -> int:
        if name in fixed:
            return first[name]
        if name in known:
            return random.randint(*known[name])
        around = max(2.0, first[name] * random.choice(SIZE_FACTORS))
        return random.randint(max(1, int(around * 0.7)), int(around * 1.4) + 1)

    most = {name: max(deepest**2, known[name][1]) for name in repeated}
    movable = [sorted(condition.letters - fixed) for condition in conditions]
    asking = {name: [i for i, names in enumerate(movable) if name in names] for name in first}
    for _ in range(MAX_ATTEMPTS):
        sizes = {name: draw(name) for name in first}
        met = [condition.is_met(sizes) for condition in conditions]
        for _ in range(30 + 4 * len(conditions)):
            broken = [index for index, is_met in enumerate(met) if not is_met]
            if not broken:
                return sizes
            index = random.choice(broken)
            if not movable[index]:
                break
            name = random.choice(movable[index])
            near = _repaired(random, conditions[index], name, sizes, most.get(name, inf))
            sizes[name] = near or draw(name)
            for other in asking[name]:
                met[other] = conditions[other].is_met(sizes)
    return None


def sample_inside(random: Random, architecture: Architecture) -> dict[str, int] | None:
    """Return sizes that meet the conditions of a formula, None if not found.

    Sizes in the counts of its tensors stay small, as numbers of layers do.
    """
    conditions = [stated.condition for stated in architecture.conditions]
    numbers = (expression(one.repeat) for one in architecture.inventory())
    repeated = {name for number in numbers for name in number.letters}
    return sample_sizes(random, architecture.sizes, conditions, repeated, {*architecture.fixed})


def moving_together(
    can_move: Callable[[list[str]], bool], names: Sequence[str], known: Sequence[str] = ()
) -> list[str]:
    """Return ``known`` and as many of ``names`` as can move together, by bisection."""
    if not names or can_move([*known, *names]):
        return [*known, *names]
    if len(names) == 1:
        return [*known]
    half = len(names) // 2
    return moving_together(can_move, names[half:], moving_together(can_move, names[:half], known))


def _repaired(
    random: Random, condition: Condition, name: str, sizes: Mapping[str, int], most: float
) -> int | None:
    """Return a value of ``name``, at most ``most``, that meets a condition, None if none is near.

    Values near the one that a line through two of its values leads to come before any others.
    """
    own, side, divisor = sizes[name], condition.left - condition.right, 0
    values = [1, 2, 3, *(own * n for n in (2, 3, 5, 11))]
    values += [size + step for size in sizes.values() for step in (-1, 0, 1)]
    with suppress(ArithmeticError, ValueError):  # A side may have no value at these sizes.
        if condition.relation is Relation.DIVIDES:
            side, divisor = condition.right, max(1, int(condition.left.value(sizes)))
            if name not in side.letters:  # Choose a divisor; a prime has few.
                top = int(side.value(sizes))
                values = [n for n in range(1, min(top, 4096) + 1) if top % n == 0]
        random.shuffle(values)
        here, double = (Fraction(side.value({**sizes, name: n})) for n in (own, 2 * own))
        rest = here % divisor if divisor else here
        root = floor(own - rest * own / (double - here))
        margin = random.randint(0, 1 if divisor else 3)
        step = divisor if divisor and condition.holds else 1
        below = min(margin, max(0, root - 2))  # A size of 1 may leave nothing to compare.
        near = [root + n * step for n in (margin, margin + 1, -below, -below - 1, 0, 1)]
        values = [*near, *values]
    met = (n for n in values if 0 < n <= most and condition.is_met({**sizes, name: n}))
    return next(met, None)


def primes_from(least: int) -> Iterator[int]:
    """Yield the primes from ``least`` on, 2 at least, in order."""
    for number in count(least):
        if all(number % divisor for divisor in range(2, isqrt(number) + 1)):
            yield number
