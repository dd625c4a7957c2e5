"""Sizes at which a random constructor is built: near its own, and far, where the formula holds."""

from random import Random

from tests.foolers.judging import in_letters
from tests.foolers.random_constructors import SIZES

FACTORS = (0.3, 1, 1.5, 3, 7, 40, 40, 300, 300)
CANDIDATES = 60
BUILT = 12


def sizes_inside(found):
    """Return sizes that the formula accepts: near the constructor's own, and far."""
    random, inside = Random(0), [dict(SIZES)]
    for _ in range(CANDIDATES):
        factors = {name: random.choice(FACTORS) for name in SIZES}
        if random.random() < 0.5:
            # A single changed size meets the conditions far more often than all of them.
            factors = dict.fromkeys(SIZES, 1) | dict([random.choice(list(factors.items()))])
        sizes = {
            name: max(1, int(size * factors[name]) + random.randint(-2, 2))
            for name, size in SIZES.items()
        }
        if found.has(in_letters(found, sizes)):
            inside.append(sizes)
    return inside[:BUILT]
