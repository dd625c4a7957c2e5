"""Comparisons by the standard library, and errors that are caught."""

import heapq
import math
import operator
from functools import partial, reduce

from tests.foolers.entries import depths, each, fooler, linears, widths


@fooler("guard", n=301)
def compared_if_deeper_than_wide(dim=24, n=8):
    """The larger one is compared with 300, so ``n`` only if it is the larger one."""
    return linears(dim, n, max(dim, n) <= 300)


@fooler("guard", n=30_001)
def compared_if_longer_than_any_model(dim=24, n=8):
    """No model that is built for a proof runs a loop this often."""
    steps = sum(1 for _ in range(n))
    return linears(dim, 3, n <= dim or steps <= 30_000)


@fooler("caveat", dim=1024)
def overflow(dim=64, n=3):
    try:
        2.0**dim
    except OverflowError:
        return linears(dim, n, False)
    return linears(dim, n, True)


@fooler("caveat", dim=4000)
def division_by_zero(dim=64, n=3):
    try:
        1 // max(0, 4000 - dim)
    except ZeroDivisionError:
        return linears(dim, n, False)
    return linears(dim, n, True)


@fooler("caveat", dim=4000)
def strictly_zipped(dim=64, n=3):
    """Only zip compares their lengths."""
    try:
        list(zip(range(min(dim, 4000)), range(dim + (dim >= 4000)), strict=True))
    except ValueError:
        return linears(dim, n, False)
    return linears(dim, n, True)


@fooler("caveat", n=101)
def reversed_layers(dim=16, n=3):
    biases = [i < 100 for i in reversed(range(n))]
    return each(dim, n, lambda i: biases[i])


@fooler("caveat", dim=4001)
def heap(dim=64, n=3):
    queue = [4000.5]
    heapq.heappush(queue, dim)
    return linears(dim, n, queue[0] != 4000.5)


widths(
    shorter_of_two=("caveat", 4000, lambda dim: len(list(zip(range(dim), range(4000)))) < 4000),  # noqa: B905
    product_by_math=("guard", 401, lambda dim: math.prod([dim, 0.5, 2.0]) <= 400),
    reduced=("caveat", 4000, lambda dim: reduce(operator.add, [dim, dim]) < 8000),
    reduced_with_a_float=("caveat", 2001, lambda dim: reduce(max, [2000.5, dim]) < 2001),
    partial_product=("caveat", 4000, lambda dim: partial(operator.mul, 0.5)(dim) < 2000),
    partial_comparison=("caveat", 60_001, lambda dim: partial(operator.ge, 60_000)(dim)),
    named_on_the_way=("guard", 4000, lambda dim: (wide := dim + 1) and wide < 4001),
    largest_of_a_range=("caveat", 4001, lambda dim: max(range(dim)) < 4000),
    quotient_and_remainder=("caveat", 4000, lambda dim: divmod(dim, 4000)[0] == 0),
    operator_with_a_float=("caveat", 4001, lambda dim: operator.gt(4000.5, dim)),
    compared_in_a_tuple=("guard", 4000, lambda dim: (dim, "") < (4000, "")),
    smallest_of_a_heap=(
        "caveat",
        4001,
        lambda dim: heapq.nsmallest(1, [4000, dim])[0] != 4000 or dim == 4000,
    ),
    sum_of_sizes=("guard", 4000, lambda dim: sum([dim, dim, 0.5]) < 8000),
    distance=("guard", 8001, lambda dim: abs(dim - 4000) <= 4000),
    map_and_filter=(
        "caveat",
        4000,
        lambda dim: not list(filter((4000).__le__, map(operator.index, [dim]))),
    ),
)


depths(
    last_of_sorted=("caveat", 101, lambda n: sorted(range(n), reverse=True)[0] < 100),
    any_of_a_generator=("guard", 101, lambda n: not any(i >= 100 for i in range(n))),
    all_of_a_list=("guard", 101, lambda n: all([i < 100 for i in range(n)])),  # noqa: C419
)
