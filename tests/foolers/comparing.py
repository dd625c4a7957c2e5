"""Comparisons by the standard library, and errors that are caught."""

import heapq
import math
import operator
from functools import partial, reduce

from tests.foolers.entries import depths, fails, fooler, linears, states, widths


@fooler("guard", n=301)
def compared_if_deeper_than_wide(dim=24, n=8):
    """The larger one is compared with 300, so ``n`` only if it is the larger one."""
    return linears(dim, n, max(dim, n) <= 300)


@fooler("guard", n=30_001)
def compared_if_longer_than_any_model(dim=24, n=8):
    """No model that is built for a proof runs a loop this often."""
    steps = sum(1 for _ in range(n))
    return linears(dim, 3, n <= dim or steps <= 30_000)


@fooler("caveat", dim=4000)
def strictly_zipped(dim=64, n=3):
    """Only zip compares their lengths."""
    try:
        list(zip(range(min(dim, 4000)), range(dim + (dim >= 4000)), strict=True))
    except ValueError:
        return linears(dim, n, False)
    return linears(dim, n, True)


@fooler("caveat", dim=4001)
def heap(dim=64, n=3):
    queue = [4000.5]
    heapq.heappush(queue, dim)
    return linears(dim, n, queue[0] != 4000.5)


states(
    "caveat",
    reversed_layers=(
        101,
        lambda n: [i < 100 for i in reversed(range(n))],
        lambda biases, i: biases[i],
    ),
)


widths(
    "guard",
    product_by_math=(401, lambda dim: math.prod([dim, 0.5, 2.0]) <= 400),
    named_on_the_way=(4000, lambda dim: (wide := dim + 1) and wide < 4001),
    compared_in_a_tuple=(4000, lambda dim: (dim, "") < (4000, "")),
    sum_of_sizes=(4000, lambda dim: sum([dim, dim, 0.5]) < 8000),
    distance=(8001, lambda dim: abs(dim - 4000) <= 4000),
)
widths(
    "caveat",
    overflow=(1024, lambda dim: not fails(OverflowError, lambda: 2.0**dim)),
    division_by_zero=(
        4000,
        lambda dim: not fails(ZeroDivisionError, lambda: 1 // max(0, 4000 - dim)),
    ),
    shorter_of_two=(4000, lambda dim: len(list(zip(range(dim), range(4000)))) < 4000),  # noqa: B905
    reduced=(4000, lambda dim: reduce(operator.add, [dim, dim]) < 8000),
    reduced_with_a_float=(2001, lambda dim: reduce(max, [2000.5, dim]) < 2001),
    partial_product=(4000, lambda dim: partial(operator.mul, 0.5)(dim) < 2000),
    partial_comparison=(60_001, lambda dim: partial(operator.ge, 60_000)(dim)),
    largest_of_a_range=(4001, lambda dim: max(range(dim)) < 4000),
    quotient_and_remainder=(4000, lambda dim: divmod(dim, 4000)[0] == 0),
    operator_with_a_float=(4001, lambda dim: operator.gt(4000.5, dim)),
    smallest_of_a_heap=(
        4001,
        lambda dim: heapq.nsmallest(1, [4000, dim])[0] != 4000 or dim == 4000,
    ),
    map_and_filter=(4000, lambda dim: not list(filter((4000).__le__, map(operator.index, [dim])))),
)


depths(
    "guard",
    any_of_a_generator=(101, lambda n: not any(i >= 100 for i in range(n))),
    all_of_a_list=(101, lambda n: all([i < 100 for i in range(n)])),  # noqa: C419
)
depths("caveat", last_of_sorted=(101, lambda n: sorted(range(n), reverse=True)[0] < 100))
