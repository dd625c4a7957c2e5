"""Sizes taken apart into bits, and the methods that an int has."""

import operator

from tests.foolers.entries import fooler, layers, linears, widths


@fooler("caveat", dim=65_536)
def too_many_bytes(dim=64, n=3):
    try:
        dim.to_bytes(2, "big")
    except OverflowError:
        return linears(dim, n, False)
    return linears(dim, n, True)


widths(
    one_bit=("guard", 4096, lambda dim: not dim & 4096),
    shifted_right=("guard", 4096, lambda dim: dim >> 12 == 0),
    shifted_left=("guard", 65_536, lambda dim: (dim << 4) & ~0xFFFFF == 0),
    or_of_bits=("guard", 4096, lambda dim: dim | 4095 == 4095),
    exclusive_or=("guard", 4096, lambda dim: (dim ^ 4096) > dim),
    inverted=("guard", 4000, lambda dim: ~dim > -4001),
    number_of_bits=("guard", 4096, lambda dim: dim.bit_length() < 13),
    bits_that_are_set=("caveat", 8191, lambda dim: dim.bit_count() < 13),
    to_bytes=("caveat", 65_536, lambda dim: dim.to_bytes(4, "big")[1] == 0),
    from_bytes=("caveat", 4000, lambda dim: int.from_bytes(dim.to_bytes(4, "big"), "big") < 4000),
    method_of_int=("caveat", 4000, lambda dim: int.__lt__(dim, 4000)),
    difference_of_int=("caveat", 4000, lambda dim: int.__sub__(dim, 4000) < 0),
    real_part=("guard", 4000, lambda dim: dim.real < 4000),
    conjugate=("guard", 4000, lambda dim: dim.conjugate() < 4000),
    numerator=("caveat", 4000, lambda dim: dim.as_integer_ratio()[0] < 4000),
    index_method=("caveat", 4000, lambda dim: dim.__index__() < 4000),
    index_function=("guard", 4000, lambda dim: operator.index(dim) < 4000),
    power_of_two=("caveat", 4000, lambda dim: 1 << dim < 1 << 4000),
    next_power_of_two=("caveat", 4097, lambda dim: 1 << (dim - 1).bit_length() < 8192),
)


layers(
    bit_of_an_index=("caveat", 129, lambda i: not i & 128),
)
