"""Choose the sizes at which a constructor is built."""

from inspect import signature
from random import Random

RANDOM_SIZES = 6
DEPTHS = ("n", "d", "first", "second")
"""Parameters that are numbers of layers."""


def defaults(function):
    return {name: one.default for name, one in signature(function).parameters.items()}


def sizes_of(entry):
    """Return sizes on both sides of where a model changes, and some anywhere."""
    own = defaults(entry.function)
    found = [own]
    for name, turns in entry.turns.items():
        for turn in turns:
            near = {turn - 1, turn, turn + 1, turn * 2, turn * 5 // 4} - {0}
            found += [{**own, name: size} for size in sorted(near)]
    if len(entry.turns) > 1:
        found.append(own | {name: turn for name, (turn, *_) in entry.turns.items()})
    random = Random(entry.name)
    for _ in range(RANDOM_SIZES):
        found.append({name: random_size(random, name) for name in own})
    return found


def random_size(random, name):
    """Draw a size, as often small as large; numbers of layers go up to 150."""
    return int(2 ** random.uniform(0, 7.2 if name in DEPTHS else 13.5))
