"""Sizes at which a random constructor is built: near its own, and far, where the formula holds."""

from random import Random

from paramproof.formulas.expression import expression
from tests.foolers.judging import in_letters
from tests.foolers.random_constructors import SIZES

FACTORS = (0.3, 1, 1.5, 3, 7, 40, 40, 300, 300)
CANDIDATES = 60
BUILT = 12
MOST_TENSORS = 100_000


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
        here = in_letters(found, sizes)
        if found.has(here) and _tensors(found, here) <= MOST_TENSORS:
            inside.append(sizes)
    return inside[:BUILT]


def _tensors(found, sizes):
    """Return how many tensors the formula counts at these sizes, which decides the time."""
    return sum(expression(one.repeat).value(sizes) for one in found.inventory())
