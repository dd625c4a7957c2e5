"""Measure how often ``paramproof explain`` gives a false explanation.

Random numbers represent wrong counts: numbers with as many digits as a real count, numbers near a
real count, and multiples of a hidden size near a large one, like wrong sums of matrices. Every
explanation of a random number is false. ``python -m docs.writers.explain_rate`` prints the rates.
"""

import sys
from collections.abc import Collection, Iterable
from random import Random

from docs.writers.explain_page import rate_table
from paramproof.counting.explained import named
from paramproof.explanation.grammar import components
from paramproof.explanation.tree import Tree
from paramproof.formulas import inventory
from paramproof.formulas.models import named_models

NUMBERS = 20_000
SEED = 0
DIGITS = range(3, 13)
LARGE = 10**6


def reached() -> set[int]:
    """Return every number that has an explanation in a named model."""
    return {count for model in named() for count, _ in model.candidates(None, alone=False)}


def real_counts() -> list[tuple[int, int]]:
    """Return the count of each component of each named model, with the model's hidden size."""
    return [
        (count, model.spec.hidden_size)
        for model in named_models().values()
        for count, explanation in components(Tree(inventory(model.spec.letters())))
        if explanation.complexity == 1
    ]


def of_as_many_digits(random: Random, digits: int) -> int:
    """Draw a number with this many digits."""
    return random.randrange(10 ** (digits - 1), 10**digits)


def near(random: Random, count: int) -> int:
    """Draw a number log-uniformly between half and twice a count."""
    return round(count * 2 ** random.uniform(-1, 1))


def rate(numbers: Iterable[int], known: Collection[int]) -> float:
    """Return the percentage of ``numbers`` that have an explanation."""
    numbers = list(numbers)
    return 100 * sum(number in known for number in numbers) / len(numbers)


def rates(numbers: int = NUMBERS, seed: int = SEED) -> dict[str, float]:
    """Return the percentage of random numbers that have an explanation, by population."""
    random, known, counts = Random(seed), reached(), real_counts()
    found = {}
    for digits in DIGITS:
        long = (of_as_many_digits(random, digits) for _ in range(numbers))
        found[f"{digits} digits"] = rate(long, known)
    drawn = [random.choice(counts) for _ in range(numbers)]
    alike = (of_as_many_digits(random, len(str(count))) for count, _ in drawn)
    found["as many digits as a real count"] = rate(alike, known)
    found["within twice a real count"] = rate((near(random, count) for count, _ in drawn), known)
    large = [pair for pair in counts if pair[0] >= LARGE]
    drawn = [random.choice(large) for _ in range(numbers)]
    multiples = (near(random, count) // hidden * hidden for count, hidden in drawn)
    found["beyond a million, multiple of hidden size"] = rate(multiples, known)
    return found


if __name__ == "__main__":
    sys.stdout.write(rate_table(rates()))
