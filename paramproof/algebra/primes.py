"""Primes as sizes: at these, different products of letters have different values."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from math import isqrt


def primes_from(least: int) -> Iterator[int]:
    """Yield the primes from ``least`` on, 2 at least, in order."""
    for number in count(least):
        if all(number % divisor for divisor in range(2, isqrt(number) + 1)):
            yield number
