"""Sizes in iterators, comparisons of the standard library, and errors that are caught."""

import itertools

from torch import nn

from tests.foolers.entries import each, fooler, linears, widths


def _layers(n):
    return 0 if n == 0 else 1 + _layers(n - 1)


@fooler("guard", n=101)
def recursion(dim=16, n=3):
    return linears(dim, n, _layers(n) <= 100)


def _stack(dim, n, depth=0):
    if n == 0:
        return []
    return [nn.Linear(dim, dim, bias=depth < 100), *_stack(dim, n - 1, depth + 1)]


@fooler("guard", n=101)
def recursion_that_builds(dim=16, n=3):
    return nn.ModuleList(_stack(dim, n))


def _biases():
    for _ in range(100):
        yield True
    while True:
        yield False


@fooler("caveat", n=101)
def generator(dim=16, n=3):
    biases = _biases()
    return each(dim, n, lambda _: next(biases))


@fooler("caveat", n=101)
def endless_count(dim=16, n=3):
    numbers = itertools.count()
    return each(dim, n, lambda _: next(numbers) < 100)


@fooler("caveat", n=101)
def accumulated(dim=16, n=3):
    sums = list(itertools.accumulate([1] * n))
    return each(dim, n, lambda i: sums[i] <= 100)


@fooler("caveat", n=32)
def product_of_ranges(dim=16, n=3):
    return linears(dim, n, len(list(itertools.product(range(n), range(n)))) < 1024)


@fooler("caveat", n=101)
def repeated_iterator(dim=16, n=3):
    return linears(dim, n, sum(itertools.repeat(1, n)) <= 100)


@fooler("caveat", n=101)
def grouped(dim=16, n=3):
    groups = [len(list(group)) for _, group in itertools.groupby([0] * n)]
    return linears(dim, n, groups[0] <= 100)


widths(
    sliced_iterator=(
        "caveat",
        4000,
        lambda dim: len(list(itertools.islice(itertools.count(), dim))) < 4000,
    ),
    chained=("caveat", 4000, lambda dim: len(list(itertools.chain(range(dim), "x"))) <= 4000),
)
