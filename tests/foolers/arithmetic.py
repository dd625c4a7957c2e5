"""Sizes that pass through floats, fractions, ``math`` and ``statistics``, and bits of an int."""

import cmath
import math
import operator
import statistics
from decimal import Decimal
from fractions import Fraction

from torch import nn

from tests.foolers.entries import fails, fooler, layers, lengths, linears, widths


@fooler("guard", dim=40, n=40)
def product_as_a_float(dim=16, n=3):
    """Neither size is large, but their product is."""
    return linears(dim, n, float(dim * n) < 1_599.5)


def _scaled(size, limit=4000.0):
    return size / limit


@fooler("guard", dim=5000)
def kept_in_a_float_attribute(dim=64, n=3):
    model = nn.Module()
    model.scale = dim**-0.5
    model.layers = linears(dim, n, model.scale > 5000**-0.5)
    return model


lengths(
    "guard",
    # 90 times 0.7 is 62.99…, and not 63; and 70 times 0.1 is more than 7.
    seven_tenths=((90, 170, 180), lambda dim: int(dim * 0.7)),
    ceiling_of_a_tenth=((70, 140), lambda dim: math.ceil(dim * 0.1)),
    a_third_or_so=((180, 340, 360), lambda dim: int(dim * 0.35)),
    rounded_third_or_so=((90, 170, 330), lambda dim: round(dim * 0.35)),
    eight_thirds=((72, 192, 4095, 4096), lambda dim: int(dim * 8 / 3)),
    tail_of_a_short_list=(2, lambda dim: len(list(range(dim))[dim - 3 :])),
    eight_thirds_as_a_float=((72, 192, 4095, 4096), lambda dim: int(dim * 2.6666666666666665)),
)


widths(
    "guard",
    float_on_the_left=(4000, lambda dim: 0.5 * dim < 2000),
    float_on_the_right=(4000, lambda dim: dim * 0.5 < 2000),
    reciprocal=(4000, lambda dim: 1.0 / dim > 0.00025),
    half_power=(4096, lambda dim: dim**0.5 < 64),
    negative_half_power=(4097, lambda dim: dim**-0.5 >= 1 / 64),
    larger_float=(2001, lambda dim: max(2000.0, float(dim)) < 2001),
    as_a_float=(4001, lambda dim: float(dim) < 4000.5),
    growth=(4097, lambda dim: 1.001**dim < 60),
    # A float has 53 bits; a large cube needs more.
    more_than_53_bits=(208_065, lambda dim: float(dim * dim * dim) == dim * dim * dim),
    float_of_a_helper=(4000, lambda dim: _scaled(dim) < 1.0),
    square_root=(1_000_000, lambda dim: math.sqrt(dim) < 1000),
    logarithm=(4096, lambda dim: math.log2(dim) < 12),
    # A quotient that is rounded down stays 0, and so false, over a long range.
    truth_of_a_float=(30_000, lambda dim: not math.floor(dim / 30_000.0)),
    one_bit=(4096, lambda dim: not dim & 4096),
)
widths(
    "caveat",
    too_many_bytes=(65_536, lambda dim: not fails(OverflowError, lambda: dim.to_bytes(2, "big"))),
    as_a_fraction=(4500, lambda dim: Fraction(dim, 3) < 1500),
    as_a_decimal=(50_001, lambda dim: Decimal(dim) < Decimal("50000.5")),
    rounded_to_thousands=(3500, lambda dim: round(dim, -3) < 4000),
    complex_number=(60_000, lambda dim: abs(complex(dim, 0)) < 60_000),
    ceiling_of_a_logarithm=(2981, lambda dim: math.ceil(math.log(dim)) < 9),
    whole_root=(52_900, lambda dim: math.isqrt(dim) < 230),
    mean_of_sizes=(3990, lambda dim: statistics.mean([dim, 10]) < 2000),
    hypotenuse=(4243, lambda dim: math.hypot(dim, dim) < 6000),
    precise_sum=(4000, lambda dim: math.fsum([dim, 0.5]) < 4000),
    remainder_of_floats=(5000, lambda dim: math.fmod(dim, 5000) >= 1),
    exponent=(4096, lambda dim: math.frexp(dim)[1] < 13),
    complex_root=(64_000_001, lambda dim: cmath.sqrt(dim).real <= 8000),
    underflow=(746, lambda dim: math.exp(-dim) > 0),
    greatest_common_divisor=(4096, lambda dim: math.gcd(dim, 8192) < 4096),
    pairs=(4001, lambda dim: math.comb(dim, 2) < 8_000_000),
    median_of_sizes=(40_000, lambda dim: statistics.median([dim, 40_000, 8]) < 40_000),
    shifted_right=(4096, lambda dim: dim >> 12 == 0),
    shifted_left=(65_536, lambda dim: (dim << 4) & ~0xFFFFF == 0),
    or_of_bits=(4096, lambda dim: dim | 4095 == 4095),
    exclusive_or=(4096, lambda dim: (dim ^ 4096) > dim),
    inverted=(4000, lambda dim: ~dim > -4001),
    number_of_bits=(4096, lambda dim: dim.bit_length() < 13),
    bits_that_are_set=(8191, lambda dim: dim.bit_count() < 13),
    to_bytes=(65_536, lambda dim: dim.to_bytes(4, "big")[1] == 0),
    from_bytes=(4000, lambda dim: int.from_bytes(dim.to_bytes(4, "big"), "big") < 4000),
    method_of_int=(4000, lambda dim: int.__lt__(dim, 4000)),
    difference_of_int=(4000, lambda dim: int.__sub__(dim, 4000) < 0),
    real_part=(4000, lambda dim: dim.real < 4000),
    conjugate=(4000, lambda dim: dim.conjugate() < 4000),
    numerator=(4000, lambda dim: dim.as_integer_ratio()[0] < 4000),
    index_method=(4000, lambda dim: dim.__index__() < 4000),
    index_function=(4000, lambda dim: operator.index(dim) < 4000),
    power_of_two=(4000, lambda dim: 1 << dim < 1 << 4000),
    next_power_of_two=(4097, lambda dim: 1 << (dim - 1).bit_length() < 8192),
)


layers(
    "guard",
    index_times_a_float=(101, lambda i: 1.0 * i < 100),
    index_over_a_float=(402, lambda i: i / 2.0 <= 200),
)
layers("caveat", bit_of_an_index=(129, lambda i: not i & 128))
