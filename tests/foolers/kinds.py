"""Sizes that are copied, hashed, and inspected for their type."""

import copy
import numbers
import pickle
import typing
from functools import singledispatch

from tests.foolers.entries import fooler, linears, widths

Wide = typing.NewType("Wide", int)


@fooler("refused", dim=257)
def identity(dim=64, n=3):
    """Python keeps a single object for each int up to 256."""
    one, other = int(str(dim)), int(str(dim))
    return linears(dim, n, id(one) == id(other))


@singledispatch
def _narrow(size):
    return True


@_narrow.register
def _(size: int):
    return size**1.0 < 4000


class Own(int):
    """A class derived from int is constructed from the digits."""


widths(
    deep_copy=("guard", 4000, lambda dim: copy.deepcopy({"dim": dim})["dim"] < 4000),
    pickled=("guard", 4000, lambda dim: pickle.loads(pickle.dumps(dim)) < 4000),
    length_of_a_pickle=("refused", 65_536, lambda dim: len(pickle.dumps(int(dim), 2)) < 8),
    hashed=("caveat", 4000, lambda dim: hash(dim) < 4000),
    exact_type=("guard", 4000, lambda dim: type(dim) is not int or dim < 4000),
    kind_of_number=(
        "guard",
        4000,
        lambda dim: not isinstance(dim, numbers.Integral) or float(dim) < 4000,
    ),
    new_type=("guard", 4000, lambda dim: float(Wide(dim)) < 4000),
    dispatched=("guard", 4000, lambda dim: _narrow(dim)),
    int_of_ones_own=("caveat", 4000, lambda dim: Own(dim) < 4000),
)
