"""Sizes that determine how often something is done, and numbers that count it."""

from collections import deque

from torch import nn

from tests.foolers.entries import each, fooler, linears, widths


@fooler("guard", dim=4000)
def counted_by_while(dim=64, n=3):
    i = 0
    while i < dim:
        i += 1
    return linears(dim, n, i < 4000)


@fooler("guard", dim=4000)
def counted_down(dim=64, n=3):
    left, steps = dim, 0
    while left > 0:
        left, steps = left - 1, steps + 1
    return linears(dim, n, steps < 4000)


@fooler("guard", dim=4096)
def halved(dim=64, n=3):
    left, steps = dim, 0
    while left > 1:
        left, steps = left // 2, steps + 1
    return linears(dim, n, steps < 12)


@fooler("guard", dim=4097)
def doubled(dim=64, n=3):
    power = 1
    while power < dim:
        power *= 2
    return linears(dim, n, power < 8192)


@fooler("caveat", n=101)
def length_of_a_list(dim=16, n=3):
    layers = []
    for _ in range(n):
        layers.append(nn.Linear(dim, dim, bias=len(layers) < 100))
    return nn.ModuleList(layers)


@fooler("caveat", n=101)
def length_of_a_module_list(dim=16, n=3):
    layers = nn.ModuleList()
    for _ in range(n):
        layers.append(nn.Linear(dim, dim, bias=len(layers) < 100))
    return layers


@fooler("guard", n=201)
def length_of_a_full_module_list(dim=16, n=3):
    layers = linears(dim, n, True)
    if len(layers) > 200:
        layers.append(nn.LayerNorm(dim))
    return layers


@fooler("caveat", n=101)
def length_of_a_module_dict(dim=16, n=3):
    layers = nn.ModuleDict()
    for i in range(n):
        layers[str(i)] = nn.Linear(dim, dim, bias=len(layers) < 100)
    return layers


@fooler("caveat", n=101)
def length_of_a_dict(dim=16, n=3):
    known = {}
    for i in range(n):
        known[i] = i
    return linears(dim, n, len(known) < 101)


@fooler("caveat", n=101)
def length_of_a_set(dim=16, n=3):
    return linears(dim, n, len({i for i in range(n)}) <= 100)  # noqa: C416


@fooler("caveat", n=101)
def popped_from_a_list(dim=16, n=3):
    """The loop uses up a budget of a hundred biases."""
    budget = [True] * 100
    return each(dim, n, lambda _: budget.pop() if budget else False)


@fooler("caveat", n=101)
def emptied_iterator(dim=16, n=3):
    budget = iter([True] * 100)
    return each(dim, n, lambda _: next(budget, False))


@fooler("caveat", n=101)
def longest_deque(dim=16, n=3):
    last = deque(maxlen=100)
    layers = []
    for i in range(n):
        last.append(i)
        layers.append(nn.Linear(dim, dim, bias=last[0] == 0))
    return nn.ModuleList(layers)


@fooler("caveat", n=101)
def text_that_grows(dim=16, n=3):
    marks, layers = "", nn.ModuleList()
    for _ in range(n):
        marks += "x"
        layers.append(nn.Linear(dim, dim, bias=len(marks) <= 100))
    return layers


widths(
    length_of_a_comprehension=("guard", 4000, lambda dim: len([0 for _ in range(dim)]) < 4000),
    sum_of_ones_by_hand=("guard", 4000, lambda dim: sum(1 for _ in range(dim)) < 4000),
    repeated_list=("guard", 4000, lambda dim: len([0] * dim) < 4000),
)
