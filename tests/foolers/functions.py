"""Sizes that pass through functions of ``math`` and ``statistics``."""

import cmath
import math
import statistics

from tests.foolers.entries import fooler, linears


@fooler("guard", dim=1_000_000)
def square_root(dim=64, n=3):
    return linears(dim, n, math.sqrt(dim) < 1000)


@fooler("guard", dim=4096)
def logarithm(dim=64, n=3):
    return linears(dim, n, math.log2(dim) < 12)


@fooler("guard", dim=2981)
def ceiling_of_a_logarithm(dim=64, n=3):
    return linears(dim, n, math.ceil(math.log(dim)) < 9)


@fooler("guard", dim=52_900)
def whole_root(dim=64, n=3):
    return linears(dim, n, math.isqrt(dim) < 230)


@fooler("refused", dim=3990)
def mean_of_sizes(dim=64, n=3):
    return linears(dim, n, statistics.mean([dim, 10]) < 2000)


@fooler("caveat", dim=4243)
def hypotenuse(dim=64, n=3):
    return linears(dim, n, math.hypot(dim, dim) < 6000)


@fooler("caveat", dim=4000)
def precise_sum(dim=64, n=3):
    return linears(dim, n, math.fsum([dim, 0.5]) < 4000)


@fooler("caveat", dim=5000)
def remainder_of_floats(dim=64, n=3):
    return linears(dim, n, math.fmod(dim, 5000) >= 1)


@fooler("caveat", dim=4096)
def exponent(dim=64, n=3):
    return linears(dim, n, math.frexp(dim)[1] < 13)


@fooler("caveat", dim=64_000_001)
def complex_root(dim=64, n=3):
    return linears(dim, n, cmath.sqrt(dim).real <= 8000)


@fooler("guard", dim=746)
def underflow(dim=64, n=3):
    return linears(dim, n, math.exp(-dim) > 0)


@fooler("guard", dim=4096)
def greatest_common_divisor(dim=64, n=3):
    return linears(dim, n, math.gcd(dim, 8192) < 4096)


@fooler("caveat", dim=4001)
def pairs(dim=64, n=3):
    return linears(dim, n, math.comb(dim, 2) < 8_000_000)


@fooler("guard", dim=40_000)
def median_of_sizes(dim=64, n=3):
    return linears(dim, n, statistics.median([dim, 40_000, 8]) < 40_000)


@fooler("guard", dim=30_000)
def truth_of_a_float(dim=64, n=3):
    """A quotient that is rounded down stays 0, and so false, over a long range."""
    return linears(dim, n, not math.floor(dim / 30_000.0))
