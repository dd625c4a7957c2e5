"""Primes, at which no product of some letters is one of others."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from math import isqrt


def primes_from(least: int) -> Iterator[int]:
    """Yield the primes from ``least`` on, which is odd, in order."""
    for number in count(least, 2):
        if all(number % divisor for divisor in range(3, isqrt(number) + 1, 2)):
            yield number
