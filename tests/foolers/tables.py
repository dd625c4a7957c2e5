"""Sizes, and numbers of layers, that are looked up: in ranges, dicts, lists and sets."""

import functools
import operator
from bisect import bisect
from collections import Counter, defaultdict
from enum import IntEnum

from tests.foolers.entries import depths, each, fails, fooler, layers, linears, widths

TABLE = {4096: False, 8192: False}
WIDE = frozenset({4096, 5120, 8192})
LIMITS = [100, 1000, 4000]
WIDTHS = (64, 128, 512, 6000)


class Width(IntEnum):
    LARGE = 4096
    HUGE = 12_288


@fooler("guard", dim=(4096, 8192))
def got_from_a_dict(dim=64, n=3):
    return linears(dim, n, TABLE.get(dim, True))


@fooler("caveat", dim=4096)
def missing_from_a_dict(dim=64, n=3):
    try:
        return linears(dim, n, TABLE[dim])
    except KeyError:
        return linears(dim, n, True)


@fooler("caveat", dim=8192)
def default_of_a_dict(dim=64, n=3):
    table = defaultdict(lambda: True, TABLE)
    return linears(dim, n, table[dim])


@fooler("caveat", dim=5120, n=40)
def pair_in_a_set(dim=64, n=3):
    """Both sizes together decide, and neither does alone."""
    return linears(dim, n, (dim, n) not in {(5120, 40)})


@functools.lru_cache
def _narrow(size):
    return size < 4000


@fooler("caveat", dim=4096)
def matched(dim=64, n=3):
    match dim:
        case 4096 | 8192:
            return linears(dim, n, False)
    return linears(dim, n, True)


@fooler("caveat", dim=50_001)
def matched_with_a_guard(dim=64, n=3):
    match dim, n:
        case int(wide), _ if wide > 50_000:
            return linears(dim, n, False)
    return linears(dim, n, True)


@fooler("caveat", dim=4096)
def member_of_an_enum(dim=64, n=3):
    try:
        return linears(dim, n, Width(dim) is not Width.LARGE)
    except ValueError:
        return linears(dim, n, True)


EARLY = [True] * 150 + [False] * 50
FLAGS = (True,) * 120 + (False,) * 80
LETTERS = "y" * 100 + "n" * 100
BY_BYTE = bytes(1 if i < 200 else 0 for i in range(256))


@fooler("guard", n=151)
def dict_by_layer(dim=16, n=3):
    table = dict(enumerate(EARLY))
    return each(dim, n, lambda i: table[i])


@fooler("guard", n=121)
def zipped_with_layers(dim=16, n=3):
    flags = [flag for flag, _ in zip(FLAGS, range(n), strict=False)]
    return each(dim, n, lambda i: flags[i])


widths(
    # The table contains the size, and the code looks up 4096.
    key_of_a_dict=("caveat", 4096, lambda dim: 4096 not in {dim: 3}),
    past_the_end=("caveat", 4000, lambda dim: not fails(IndexError, lambda: range(4000)[dim])),
    past_the_end_of_a_list=(
        "caveat",
        5000,
        lambda dim: not fails(IndexError, lambda: (EARLY * 25)[dim]),
    ),
    in_a_range=("guard", 4000, lambda dim: dim in range(0, 4000)),
    in_a_dict=("guard", 4096, lambda dim: dim not in TABLE),
    in_a_set=("guard", 5120, lambda dim: dim not in WIDE),
    intersection=("caveat", 5120, lambda dim: not {dim} & WIDE),
    bisected=("caveat", 4000, lambda dim: bisect(LIMITS, dim) < 3),
    one_of_two=("guard", 4001, lambda dim: [True, False][dim > 4000]),
    length_of_a_slice=("caveat", 4000, lambda dim: len(("x" * 5000)[:dim]) < 4000),
    remembered=("guard", 4000, lambda dim: _narrow(dim)),
    counted_in_a_list=("guard", 4096, lambda dim: [4096, 8192].count(dim) == 0),
    counter=("caveat", 4096, lambda dim: not Counter([4096, 8192])[dim]),
    nearest_of_a_table=(
        "caveat",
        3257,
        lambda dim: min(WIDTHS, key=lambda width: abs(width - dim)) < 6000,
    ),
    sorted_with_a_limit=("guard", 1_000_001, lambda dim: sorted([1_000_000, dim])[0] == dim),
    index_of_a_range=("caveat", 4000, lambda dim: range(1_000_000)[dim] < 4000),
    steps=("caveat", 5000, lambda dim: len((EARLY * 25)[::dim]) > 1),
)


layers(
    list_by_layer=("guard", 151, lambda i: EARLY[i]),
    tuple_by_layer=("fitted", 121, FLAGS.__getitem__),
    text_by_layer=("guard", 101, lambda i: LETTERS[i] == "y"),
    bytes_by_layer=("caveat", 201, lambda i: bool(BY_BYTE[i])),
    item_by_layer=("caveat", 151, lambda i: operator.itemgetter(i)(EARLY)),
)


depths(
    slice_of_a_table=("caveat", 151, lambda n: all(EARLY[:n])),
)
