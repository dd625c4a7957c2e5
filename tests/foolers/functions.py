"""Sizes that pass through functions of ``math`` and ``statistics``."""

import cmath
import math
import statistics

from tests.foolers.entries import widths

widths(
    square_root=("guard", 1_000_000, lambda dim: math.sqrt(dim) < 1000),
    logarithm=("guard", 4096, lambda dim: math.log2(dim) < 12),
    ceiling_of_a_logarithm=("guard", 2981, lambda dim: math.ceil(math.log(dim)) < 9),
    whole_root=("guard", 52_900, lambda dim: math.isqrt(dim) < 230),
    mean_of_sizes=("refused", 3990, lambda dim: statistics.mean([dim, 10]) < 2000),
    hypotenuse=("caveat", 4243, lambda dim: math.hypot(dim, dim) < 6000),
    precise_sum=("caveat", 4000, lambda dim: math.fsum([dim, 0.5]) < 4000),
    remainder_of_floats=("caveat", 5000, lambda dim: math.fmod(dim, 5000) >= 1),
    exponent=("caveat", 4096, lambda dim: math.frexp(dim)[1] < 13),
    complex_root=("caveat", 64_000_001, lambda dim: cmath.sqrt(dim).real <= 8000),
    underflow=("guard", 746, lambda dim: math.exp(-dim) > 0),
    greatest_common_divisor=("guard", 4096, lambda dim: math.gcd(dim, 8192) < 4096),
    pairs=("caveat", 4001, lambda dim: math.comb(dim, 2) < 8_000_000),
    median_of_sizes=("guard", 40_000, lambda dim: statistics.median([dim, 40_000, 8]) < 40_000),
    # A quotient that is rounded down stays 0, and so false, over a long range.
    truth_of_a_float=("guard", 30_000, lambda dim: not math.floor(dim / 30_000.0)),
)
