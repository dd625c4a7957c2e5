"""Sizes that are copied, hashed, and inspected for their type."""

import copy
import numbers
import pickle
import typing
from functools import singledispatch

from tests.foolers.entries import fooler, linears

Wide = typing.NewType("Wide", int)


@fooler("guard", dim=4000)
def deep_copy(dim=64, n=3):
    return linears(dim, n, copy.deepcopy({"dim": dim})["dim"] < 4000)


@fooler("guard", dim=4000)
def pickled(dim=64, n=3):
    return linears(dim, n, pickle.loads(pickle.dumps(dim)) < 4000)


@fooler("refused", dim=65_536)
def length_of_a_pickle(dim=64, n=3):
    return linears(dim, n, len(pickle.dumps(int(dim), 2)) < 8)


@fooler("caveat", dim=4000)
def hashed(dim=64, n=3):
    return linears(dim, n, hash(dim) < 4000)


@fooler("refused", dim=257)
def identity(dim=64, n=3):
    """Python keeps a single object for each int up to 256."""
    one, other = int(str(dim)), int(str(dim))
    return linears(dim, n, id(one) == id(other))


@fooler("guard", dim=4000)
def exact_type(dim=64, n=3):
    return linears(dim, n, type(dim) is not int or dim < 4000)


@fooler("guard", dim=4000)
def kind_of_number(dim=64, n=3):
    return linears(dim, n, not isinstance(dim, numbers.Integral) or float(dim) < 4000)


@fooler("guard", dim=4000)
def new_type(dim=64, n=3):
    return linears(dim, n, float(Wide(dim)) < 4000)


@singledispatch
def _narrow(size):
    return True


@_narrow.register
def _(size: int):
    return size**1.0 < 4000


@fooler("guard", dim=4000)
def dispatched(dim=64, n=3):
    return linears(dim, n, _narrow(dim))


class Own(int):
    """A class derived from int is constructed from the digits."""


@fooler("caveat", dim=4000)
def int_of_ones_own(dim=64, n=3):
    return linears(dim, n, Own(dim) < 4000)
