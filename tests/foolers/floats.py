"""Sizes that pass through floats, fractions and ``math``."""

import math
from decimal import Decimal
from fractions import Fraction

from torch import nn

from tests.foolers.entries import each, fooler, linears


@fooler("guard", dim=4000)
def float_on_the_left(dim=64, n=3):
    return linears(dim, n, 0.5 * dim < 2000)


@fooler("guard", dim=4000)
def float_on_the_right(dim=64, n=3):
    return linears(dim, n, dim * 0.5 < 2000)


@fooler("guard", dim=4000)
def reciprocal(dim=64, n=3):
    return linears(dim, n, 1.0 / dim > 0.00025)


@fooler("guard", dim=4096)
def half_power(dim=64, n=3):
    return linears(dim, n, dim**0.5 < 64)


@fooler("guard", dim=4097)
def negative_half_power(dim=64, n=3):
    return linears(dim, n, dim**-0.5 >= 1 / 64)


@fooler("guard", dim=2001)
def larger_float(dim=64, n=3):
    return linears(dim, n, max(2000.0, float(dim)) < 2001)


@fooler("guard", dim=4001)
def as_a_float(dim=64, n=3):
    return linears(dim, n, float(dim) < 4000.5)


@fooler("guard", n=101)
def index_times_a_float(dim=16, n=3):
    return each(dim, n, lambda i: 1.0 * i < 100)


@fooler("guard", n=402)
def index_over_a_float(dim=16, n=3):
    return each(dim, n, lambda i: i / 2.0 <= 200)


@fooler("caveat", dim=4500)
def as_a_fraction(dim=64, n=3):
    return linears(dim, n, Fraction(dim, 3) < 1500)


@fooler("caveat", dim=50_001)
def as_a_decimal(dim=64, n=3):
    return linears(dim, n, Decimal(dim) < Decimal("50000.5"))


@fooler("caveat", dim=3500)
def rounded_to_thousands(dim=64, n=3):
    return linears(dim, n, round(dim, -3) < 4000)


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


@fooler("caveat", dim=60_000)
def complex_number(dim=64, n=3):
    return linears(dim, n, abs(complex(dim, 0)) < 60_000)


@fooler("guard", dim=4097)
def growth(dim=64, n=3):
    return linears(dim, n, 1.001**dim < 60)


@fooler("guard", dim=208_065)
def more_than_53_bits(dim=64, n=3):
    """A float has 53 bits; a large cube needs more."""
    return linears(dim, n, float(dim * dim * dim) == dim * dim * dim)


@fooler("guard", dim=40, n=40)
def product_as_a_float(dim=16, n=3):
    """Neither size is large, but their product is."""
    return linears(dim, n, float(dim * n) < 1_599.5)


@fooler("guard", dim=4000)
def float_of_a_helper(dim=64, n=3):
    return linears(dim, n, _scaled(dim) < 1.0)


def _scaled(size, limit=4000.0):
    return size / limit


@fooler("guard", dim=5000)
def kept_in_a_float_attribute(dim=64, n=3):
    model = nn.Module()
    model.scale = dim**-0.5
    model.layers = linears(dim, n, model.scale > 5000**-0.5)
    return model
