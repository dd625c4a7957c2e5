"""Sizes, and numbers of layers, that are looked up: in ranges, dicts, lists and sets."""

import functools
import operator
from bisect import bisect
from collections import Counter, defaultdict
from enum import IntEnum

from tests.foolers.entries import depths, fails, fooler, layers, linears, states, widths

TABLE = {4096: False, 8192: False}
WIDE = frozenset({4096, 5120, 8192})
LIMITS = [100, 1000, 4000]
WIDTHS = (64, 128, 512, 6000)


class Width(IntEnum):
    LARGE = 4096
    HUGE = 12_288


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
WRAPPED = [False] + [True] * 14_999
LETTERS = "y" * 100 + "n" * 100
BY_BYTE = bytes(1 if i < 200 else 0 for i in range(256))


states(
    "guard",
    dict_by_layer=(151, lambda n: dict(enumerate(EARLY)), lambda table, i: table[i]),
    zipped_with_layers=(
        121,
        lambda n: [flag for flag, _ in zip(FLAGS, range(n), strict=False)],
        lambda flags, i: flags[i],
    ),
)


widths(
    "guard",
    # An index below 0 counts from the end; at 5000 it is 0.
    index_that_wraps=(5000, lambda dim: WRAPPED[dim - 5000]),
    equal_in_a_set=(5000, lambda dim: len({dim, 5000}) == 2),
    got_from_a_dict=((4096, 8192), lambda dim: TABLE.get(dim, True)),
    in_a_range=(4000, lambda dim: dim in range(0, 4000)),
    in_a_dict=(4096, lambda dim: dim not in TABLE),
    in_a_set=(5120, lambda dim: dim not in WIDE),
    one_of_two=(4001, lambda dim: [True, False][dim > 4000]),
    remembered=(4000, lambda dim: _narrow(dim)),
    sorted_with_a_limit=(1_000_001, lambda dim: sorted([1_000_000, dim])[0] == dim),
)
widths(
    "caveat",
    counted_in_a_list=(4096, lambda dim: [4096, 8192].count(dim) == 0),
    missing_from_a_dict=(4096, lambda dim: fails(KeyError, lambda: TABLE[dim])),
    default_of_a_dict=(8192, lambda dim: defaultdict(lambda: True, TABLE)[dim]),
    # The table contains the size, and the code looks up 4096.
    key_of_a_dict=(4096, lambda dim: 4096 not in {dim: 3}),
    past_the_end=(4000, lambda dim: not fails(IndexError, lambda: range(4000)[dim])),
    past_the_end_of_a_list=(5000, lambda dim: not fails(IndexError, lambda: (EARLY * 25)[dim])),
    intersection=(5120, lambda dim: not {dim} & WIDE),
    bisected=(4000, lambda dim: bisect(LIMITS, dim) < 3),
    length_of_a_slice=(4000, lambda dim: len(("x" * 5000)[:dim]) < 4000),
    counter=(4096, lambda dim: not Counter([4096, 8192])[dim]),
    nearest_of_a_table=(3257, lambda dim: min(WIDTHS, key=lambda width: abs(width - dim)) < 6000),
    index_of_a_range=(4000, lambda dim: range(1_000_000)[dim] < 4000),
    steps=(5000, lambda dim: len((EARLY * 25)[::dim]) > 1),
)


layers(
    "guard",
    list_by_layer=(151, lambda i: EARLY[i]),
    wrapped_by_layer=(201, lambda i: WRAPPED[i - 200]),
    text_by_layer=(101, lambda i: LETTERS[i] == "y"),
)
layers(
    "caveat",
    bytes_by_layer=(201, lambda i: bool(BY_BYTE[i])),
    item_by_layer=(151, lambda i: operator.itemgetter(i)(EARLY)),
)
layers("fitted", tuple_by_layer=(121, FLAGS.__getitem__))


depths("caveat", slice_of_a_table=(151, lambda n: all(EARLY[:n])))
