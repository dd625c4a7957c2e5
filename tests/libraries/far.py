"""Sizes far from those of the derivation, among those that its ``count`` accepts.

The derivation draws its own sizes differently: here, a letter of a violated condition gets a value
computed from the other letters' values, until all conditions hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from random import Random

from paramproof.formulas.derivation import Derivation

ATTEMPTS = 60
"""Starting points that are tried for each requested result."""

REPAIRS = 40
"""Values that are changed from one starting point."""


def far_sizes(
    derivation: Derivation, limits: Mapping[str, int], number: int, random: Random
) -> list[dict[str, int]]:
    """Return up to ``number`` different sizes by letter, each at most its limit.

    There are fewer if the conditions allow fewer, or if the search takes too long.
    """
    found: dict[tuple[int, ...], dict[str, int]] = {}
    for sizes in _drawn(derivation, limits, number * ATTEMPTS, random):
        found.setdefault(tuple(sizes.values()), sizes)
        if len(found) == number:
            break
    return list(found.values())


def _drawn(
    derivation: Derivation, limits: Mapping[str, int], attempts: int, random: Random
) -> Iterator[dict[str, int]]:
    moving = [name for name in derivation.sizes if name not in derivation.fixed]
    for _ in range(attempts if moving else 1):
        sizes = dict(derivation.sizes)
        for name in moving:
            sizes[name] = _far(limits[name], random)
        for _ in range(REPAIRS):
            if derivation.has(sizes):
                yield sizes
                break
            stated = derivation.violated(sizes)
            letters = stated.condition.letters if stated else frozenset(moving)
            movable = sorted(letters.intersection(moving))
            if not movable:
                break
            name = random.choice(movable)
            near = islice(_near(name, sizes, derivation.sizes, random), 12)
            fitting = [size for size in near if 1 <= size <= limits[name]]
            if stated:
                # Each value may violate another condition; take one of those that meet this
                # condition.
                met = [n for n in fitting if stated.condition.is_met({**sizes, name: n})]
                fitting = met or fitting
            sizes[name] = random.choice(fitting or [_far(limits[name], random)])


def _far(limit: int, random: Random) -> int:
    """Draw uniformly, or uniformly by the number of digits: both ends matter."""
    if random.random() < 0.5:
        return random.randint(1, limit)
    return max(1, min(limit, round(limit ** random.random())))


def _near(
    name: str, sizes: Mapping[str, int], first: Mapping[str, int], random: Random
) -> Iterator[int]:
    """Yield values for a letter that a relation to other letters may require."""
    others = [size for other, size in sizes.items() if other != name] or [1]
    while True:
        other, another = random.choice(others), random.choice(others)
        times = random.randint(1, 64)
        yield other * times
        yield other * another
        yield first[name] * times
        yield other + random.randint(-1, 1)
        yield random.choice([n for n in range(1, min(other, 4096) + 1) if other % n == 0])
        yield 2 ** random.randint(0, 13)
