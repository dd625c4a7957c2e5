"""Sizes that are copied and hashed, and asked what they are."""

import copy
import numbers
import pickle
import typing
from functools import singledispatch

from tests.foolers.blocks import linears
from tests.foolers.registering import fooler

Wide = typing.NewType("Wide", int)


@fooler(dim=4000)
def deep_copy(dim=64, n=3):
    return linears(dim, n, copy.deepcopy({"dim": dim})["dim"] < 4000)


@fooler(dim=4000)
def pickled(dim=64, n=3):
    return linears(dim, n, pickle.loads(pickle.dumps(dim)) < 4000)


@fooler(dim=65_536)
def length_of_a_pickle(dim=64, n=3):
    return linears(dim, n, len(pickle.dumps(int(dim), 2)) < 8)


@fooler(dim=4000)
def hashed(dim=64, n=3):
    return linears(dim, n, hash(dim) < 4000)


@fooler(dim=257)
def identity(dim=64, n=3):
    """Python keeps one object of each int up to 256."""
    one, other = int(str(dim)), int(str(dim))
    return linears(dim, n, id(one) == id(other))


@fooler(dim=4000)
def exact_type(dim=64, n=3):
    return linears(dim, n, type(dim) is not int or dim < 4000)


@fooler(dim=4000)
def kind_of_number(dim=64, n=3):
    return linears(dim, n, not isinstance(dim, numbers.Integral) or float(dim) < 4000)


@fooler(dim=4000)
def new_type(dim=64, n=3):
    return linears(dim, n, float(Wide(dim)) < 4000)


@singledispatch
def _narrow(size):
    return True


@_narrow.register
def _(size: int):
    return size**1.0 < 4000


@fooler(dim=4000)
def dispatched(dim=64, n=3):
    return linears(dim, n, _narrow(dim))


class Own(int):
    """An int of one's own is made of the digits."""


@fooler(dim=4000)
def int_of_ones_own(dim=64, n=3):
    return linears(dim, n, Own(dim) < 4000)
