"""How often something is done, and numbers, iterators and containers that count it."""

import itertools
from collections import deque
from itertools import takewhile

from torch import nn

from tests.foolers.entries import depths, each, fooler, linears, states, widths


@fooler("caveat", dim=4000)
def counted_by_while(dim=64, n=3):
    i = 0
    while i < dim:
        i += 1
    return linears(dim, n, i < 4000)


@fooler("caveat", dim=4000)
def counted_down(dim=64, n=3):
    left, steps = dim, 0
    while left > 0:
        left, steps = left - 1, steps + 1
    return linears(dim, n, steps < 4000)


@fooler("caveat", dim=4096)
def halved(dim=64, n=3):
    left, steps = dim, 0
    while left > 1:
        left, steps = left // 2, steps + 1
    return linears(dim, n, steps < 12)


@fooler("caveat", dim=4097)
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


SEEN = 0


@fooler("guard", n=101)
def counter_of_a_loop(dim=16, n=3):
    layers, made = nn.ModuleList(), 0
    for _ in range(n):
        layers.append(nn.Linear(dim, dim, bias=made < 100))
        made += 1  # noqa: SIM113
    return layers


@fooler("guard", n=401)
def counter_assigned_anew(dim=16, n=3):
    layers, made = nn.ModuleList(), 0
    for _ in range(n):
        made = made + 1
        if made <= 400:
            layers.append(nn.Linear(dim, dim))
    return layers


@fooler("caveat", n=101)
def number_that_doubles(dim=16, n=3):
    layers, scale = nn.ModuleList(), 1
    for _ in range(n):
        layers.append(nn.Linear(dim, dim, bias=scale < 2**100))
        scale *= 2
    return layers


@fooler("caveat", n=101)
def float_that_decays(dim=16, n=3):
    layers, rate = nn.ModuleList(), 1.0
    for _ in range(n):
        layers.append(nn.Linear(dim, dim, bias=rate > 0.5**100))
        rate /= 2
    return layers


@fooler("caveat", n=101)
def flag_that_tires(dim=16, n=3):
    """Only a number that is not a size counts, and a flag ends it."""
    layers, left, alive = nn.ModuleList(), 100, True
    for _ in range(n):
        layers.append(nn.Linear(dim, dim, bias=alive))
        left -= 1
        alive = alive and left > 0
    return layers


class _CountingModule(nn.Module):
    def __init__(self, dim, n):
        super().__init__()
        self.n = 0
        self.layers = nn.ModuleList()
        for _ in range(n):
            self.grow(dim)

    def grow(self, dim):
        self.layers.append(nn.Linear(dim, dim, bias=self.n < 100))
        self.n += 1


@fooler("guard", n=101)
def counter_of_an_object(dim=16, n=3):
    return _CountingModule(dim, n)


class _NumberedModule(nn.Linear):
    made = 0

    def __init__(self, dim):
        super().__init__(dim, dim, bias=_NumberedModule.made < 100)
        _NumberedModule.made += 1


@fooler("caveat", n=101)
def counter_of_a_class(dim=16, n=3):
    _NumberedModule.made = 0
    return nn.ModuleList([_NumberedModule(dim) for _ in range(n)])


@fooler("caveat", n=101)
def counter_of_a_closure(dim=16, n=3):
    made = 0

    def biased(_):
        nonlocal made
        made += 1
        return made <= 100

    return each(dim, n, biased)


@fooler("caveat", n=101)
def global_counter(dim=16, n=3):
    global SEEN
    SEEN = 0
    return each(dim, n, _counted)


def _counted(_):
    global SEEN
    SEEN += 1
    return SEEN <= 100


@fooler("caveat", n=101)
def counter_in_a_default(dim=16, n=3):
    def biased(_, made=[]):  # noqa: B006
        made.append(None)
        return len(made) <= 100

    return each(dim, n, biased)


@fooler("caveat", n=101)
def taken_while(dim=16, n=3):
    layers = linears(dim, n, False)
    for i, layer in takewhile(lambda pair: pair[0] < 100, enumerate(layers)):
        layer.norm = nn.LayerNorm(dim + 0 * i)
    return layers


@fooler("guard", n=101)
def not_followed_in_late_layers(dim=16, n=3):
    layers = nn.ModuleList()
    for i in range(n):
        if i < 100:
            layers.append(nn.Linear(dim, dim))
        else:
            layers.append(nn.Linear(dim, dim, bias=id(i) < 0))
    return layers


@fooler("guard", n=101)
def not_followed_if_deep(dim=16, n=3):
    return linears(dim, n, True if n < 101 else id(n) < 0)


@fooler("guard", n=31, dim=4000)
def not_followed_if_deep_and_wide(dim=16, n=3):
    """Where it is not followed, it makes the same at small sizes."""
    return linears(dim, n, True if n < 31 else hash(dim) < 4000)


@fooler("caveat", n=101)
def broken_loop(dim=16, n=3):
    layers = nn.ModuleList()
    for _ in range(n):
        if sum(1 for _ in layers) == 100:
            break
        layers.append(nn.Linear(dim, dim))
    return layers


@fooler("caveat", n=101)
def loop_that_ends(dim=16, n=3):
    """A loop without a break runs its else branch."""
    made = 0
    for _ in range(n):
        made += 1  # noqa: SIM113
        if made > 100:
            break
    else:
        return linears(dim, n, True)
    return linears(dim, n, False)


def _layers(n):
    return 0 if n == 0 else 1 + _layers(n - 1)


def _stack(dim, n, depth=0):
    if n == 0:
        return []
    return [nn.Linear(dim, dim, bias=depth < 100), *_stack(dim, n - 1, depth + 1)]


@fooler("caveat", n=101)
def recursion_that_builds(dim=16, n=3):
    return nn.ModuleList(_stack(dim, n))


def _biases():
    for _ in range(100):
        yield True
    while True:
        yield False


@fooler("caveat", n=101)
def emptied_iterator(dim=16, n=3):
    budget = iter([True] * 100)
    return each(dim, n, lambda _: next(budget, False))


@fooler("caveat", n=101)
def grouped(dim=16, n=3):
    groups = [len(list(group)) for _, group in itertools.groupby([0] * n)]
    return linears(dim, n, groups[0] <= 100)


states(
    "caveat",
    # A budget of a hundred biases is used up.
    popped_from_a_list=(
        101,
        lambda n: [True] * 100,
        lambda budget, i: budget.pop() if budget else False,
    ),
    generator=(101, lambda n: _biases(), lambda biases, i: next(biases)),
    endless_count=(101, lambda n: itertools.count(), lambda numbers, i: next(numbers) < 100),
    accumulated=(
        101,
        lambda n: list(itertools.accumulate([1] * n)),
        lambda sums, i: sums[i] <= 100,
    ),
)


widths(
    "guard",
    length_of_a_comprehension=(4000, lambda dim: len([0 for _ in range(dim)]) < 4000),
    repeated_list=(4000, lambda dim: len([0] * dim) < 4000),
    chained=(4000, lambda dim: len(list(itertools.chain(range(dim), "x"))) <= 4000),
)
widths(
    "caveat",
    sum_of_ones_by_hand=(4000, lambda dim: sum(1 for _ in range(dim)) < 4000),
    sliced_iterator=(4000, lambda dim: len(list(itertools.islice(itertools.count(), dim))) < 4000),
)


depths("guard", recursion=(101, lambda n: _layers(n) <= 100))
depths(
    "caveat",
    length_of_a_set=(101, lambda n: len({i for i in range(n)}) <= 100),  # noqa: C416
    product_of_ranges=(32, lambda n: len(list(itertools.product(range(n), range(n)))) < 1024),
    repeated_iterator=(101, lambda n: sum(itertools.repeat(1, n)) <= 100),
)
