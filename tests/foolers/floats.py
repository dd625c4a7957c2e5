"""Sizes that pass through floats, fractions and ``math``."""

import math
from decimal import Decimal
from fractions import Fraction

from torch import nn

from tests.foolers.entries import fooler, layers, linears, widths


@fooler("guard", in_lengths=True, dim=(90, 170, 180))
def seven_tenths(dim=64, n=3):
    """90 times 0.7 is 62.99…, and not 63."""
    return nn.ModuleList([nn.Linear(dim, int(dim * 0.7)) for _ in range(n)])


@fooler("guard", in_lengths=True, dim=(180, 340, 360))
def a_third_or_so(dim=64, n=3):
    return nn.ModuleList([nn.Linear(dim, int(dim * 0.35)) for _ in range(n)])


@fooler("guard", in_lengths=True, dim=(90, 170, 330))
def rounded_third_or_so(dim=64, n=3):
    return nn.ModuleList([nn.Linear(dim, round(dim * 0.35)) for _ in range(n)])


@fooler("guard", in_lengths=True, dim=(72, 192, 4095, 4096))
def eight_thirds(dim=64, n=3):
    return nn.ModuleList([nn.Linear(dim, int(dim * 8 / 3)) for _ in range(n)])


@fooler("guard", in_lengths=True, dim=(72, 192, 4095, 4096))
def eight_thirds_as_a_float(dim=64, n=3):
    return nn.ModuleList([nn.Linear(dim, int(dim * 2.6666666666666665)) for _ in range(n)])


@fooler("guard", in_lengths=True, dim=(70, 140))
def ceiling_of_a_tenth(dim=64, n=3):
    """70 times 0.1 is more than 7."""
    return nn.ModuleList([nn.Linear(dim, math.ceil(dim * 0.1)) for _ in range(n)])


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


widths(
    float_on_the_left=("guard", 4000, lambda dim: 0.5 * dim < 2000),
    float_on_the_right=("guard", 4000, lambda dim: dim * 0.5 < 2000),
    reciprocal=("guard", 4000, lambda dim: 1.0 / dim > 0.00025),
    half_power=("guard", 4096, lambda dim: dim**0.5 < 64),
    negative_half_power=("guard", 4097, lambda dim: dim**-0.5 >= 1 / 64),
    larger_float=("guard", 2001, lambda dim: max(2000.0, float(dim)) < 2001),
    as_a_float=("guard", 4001, lambda dim: float(dim) < 4000.5),
    as_a_fraction=("caveat", 4500, lambda dim: Fraction(dim, 3) < 1500),
    as_a_decimal=("caveat", 50_001, lambda dim: Decimal(dim) < Decimal("50000.5")),
    rounded_to_thousands=("caveat", 3500, lambda dim: round(dim, -3) < 4000),
    complex_number=("caveat", 60_000, lambda dim: abs(complex(dim, 0)) < 60_000),
    growth=("guard", 4097, lambda dim: 1.001**dim < 60),
    # A float has 53 bits; a large cube needs more.
    more_than_53_bits=("guard", 208_065, lambda dim: float(dim * dim * dim) == dim * dim * dim),
    float_of_a_helper=("guard", 4000, lambda dim: _scaled(dim) < 1.0),
)


layers(
    index_times_a_float=("guard", 101, lambda i: 1.0 * i < 100),
    index_over_a_float=("guard", 402, lambda i: i / 2.0 <= 200),
)
