"""Sizes taken apart into bits, and the methods that an int has."""

import operator

from tests.foolers.entries import each, fooler, linears


@fooler("guard", dim=4096)
def one_bit(dim=64, n=3):
    return linears(dim, n, not dim & 4096)


@fooler("guard", dim=4096)
def shifted_right(dim=64, n=3):
    return linears(dim, n, dim >> 12 == 0)


@fooler("guard", dim=65_536)
def shifted_left(dim=64, n=3):
    return linears(dim, n, (dim << 4) & ~0xFFFFF == 0)


@fooler("guard", dim=4096)
def or_of_bits(dim=64, n=3):
    return linears(dim, n, dim | 4095 == 4095)


@fooler("guard", dim=4096)
def exclusive_or(dim=64, n=3):
    return linears(dim, n, (dim ^ 4096) > dim)


@fooler("guard", dim=4000)
def inverted(dim=64, n=3):
    return linears(dim, n, ~dim > -4001)


@fooler("guard", dim=4096)
def number_of_bits(dim=64, n=3):
    return linears(dim, n, dim.bit_length() < 13)


@fooler("caveat", dim=8191)
def bits_that_are_set(dim=64, n=3):
    return linears(dim, n, dim.bit_count() < 13)


@fooler("caveat", dim=65_536)
def to_bytes(dim=64, n=3):
    return linears(dim, n, dim.to_bytes(4, "big")[1] == 0)


@fooler("caveat", dim=4000)
def from_bytes(dim=64, n=3):
    return linears(dim, n, int.from_bytes(dim.to_bytes(4, "big"), "big") < 4000)


@fooler("caveat", dim=65_536)
def too_many_bytes(dim=64, n=3):
    try:
        dim.to_bytes(2, "big")
    except OverflowError:
        return linears(dim, n, False)
    return linears(dim, n, True)


@fooler("caveat", n=129)
def bit_of_an_index(dim=16, n=3):
    return each(dim, n, lambda i: not i & 128)


@fooler("caveat", dim=4000)
def method_of_int(dim=64, n=3):
    return linears(dim, n, int.__lt__(dim, 4000))


@fooler("caveat", dim=4000)
def difference_of_int(dim=64, n=3):
    return linears(dim, n, int.__sub__(dim, 4000) < 0)


@fooler("guard", dim=4000)
def real_part(dim=64, n=3):
    return linears(dim, n, dim.real < 4000)


@fooler("guard", dim=4000)
def conjugate(dim=64, n=3):
    return linears(dim, n, dim.conjugate() < 4000)


@fooler("caveat", dim=4000)
def numerator(dim=64, n=3):
    return linears(dim, n, dim.as_integer_ratio()[0] < 4000)


@fooler("caveat", dim=4000)
def index_method(dim=64, n=3):
    return linears(dim, n, dim.__index__() < 4000)


@fooler("guard", dim=4000)
def index_function(dim=64, n=3):
    return linears(dim, n, operator.index(dim) < 4000)


@fooler("caveat", dim=4000)
def power_of_two(dim=64, n=3):
    return linears(dim, n, 1 << dim < 1 << 4000)


@fooler("caveat", dim=4097)
def next_power_of_two(dim=64, n=3):
    return linears(dim, n, 1 << (dim - 1).bit_length() < 8192)
