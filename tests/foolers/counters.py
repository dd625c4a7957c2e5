"""Numbers that count what a loop builds: no size equals them, but its length determines them."""

from itertools import takewhile

from torch import nn

from tests.foolers.entries import each, fooler, linears

SEEN = 0


@fooler("guard", n=101)
def counter_of_a_loop(dim=16, n=3):
    layers, made = nn.ModuleList(), 0
    for _ in range(n):
        layers.append(nn.Linear(dim, dim, bias=made < 100))
        made += 1  # noqa: SIM113
    return layers


@fooler("caveat", n=401)
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


@fooler("caveat", n=101)
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


@fooler("caveat", n=101)
def broken_loop(dim=16, n=3):
    layers = nn.ModuleList()
    for _ in range(n):
        if sum(1 for _ in layers) == 100:
            break
        layers.append(nn.Linear(dim, dim))
    return layers


@fooler("guard", n=101)
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
