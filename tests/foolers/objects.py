"""Sizes kept in objects, copied, hashed, and inspected for their type."""

import copy
import numbers
import pickle
import typing
from collections import namedtuple
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property, singledispatch, total_ordering

from tests.foolers.entries import fooler, linears, widths

Sizes = namedtuple("Sizes", ["dim", "n"])


@dataclass
class Config:
    dim: int
    wide: bool = field(init=False)

    def __post_init__(self):
        self.wide = float(self.dim) >= 4000


@dataclass(order=True, frozen=True)
class Ordered:
    dim: float


class Indexed:
    def __init__(self, size):
        self.size = size

    def __index__(self):
        return self.size

    def __len__(self):
        return self.size

    def __float__(self):
        return self.size / 1


@total_ordering
class Compared:
    def __init__(self, size):
        self.size = float(size)

    def __eq__(self, other):
        return self.size == other.size

    def __lt__(self, other):
        return self.size < other.size

    __hash__ = None


class Lazy:
    __slots__ = ("dim",)

    def __init__(self, dim):
        self.dim = dim

    @property
    def wide(self):
        return len(str(self.dim)) > 4


class Cached:
    def __init__(self, dim):
        self.dim = dim

    @cached_property
    def root(self):
        return self.dim**0.5


class _Limited:
    """A descriptor that limits the value it is given."""

    def __set_name__(self, owner, name):
        self.name = f"_{name}"

    def __set__(self, owner, value):
        setattr(owner, self.name, min(4000.0, value))

    def __get__(self, owner, kind=None):
        return getattr(owner, self.name)


class Limited:
    dim = _Limited()


@fooler("caveat", dim=4001)
def descriptor(dim=64, n=3):
    limited = Limited()
    limited.dim = dim
    return linears(dim, n, limited.dim == dim)


@fooler("guard", dim=4000)
def closure(dim=64, n=3):
    def scaled():
        return 0.25 * dim

    return linears(dim, n, scaled() < 1000)


class Kind(Enum):
    NARROW = "narrow"
    WIDE = "wide"

    @classmethod
    def _missing_(cls, value):
        return cls.WIDE if float(value) >= 4000 else cls.NARROW


Wide = typing.NewType("Wide", int)


@fooler("caveat", dim=257)
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
    "guard",
    deep_copy=(4000, lambda dim: copy.deepcopy({"dim": dim})["dim"] < 4000),
    exact_type=(4000, lambda dim: type(dim) is not int or dim < 4000),
    kind_of_number=(4000, lambda dim: not isinstance(dim, numbers.Integral) or float(dim) < 4000),
)
widths(
    "caveat",
    kept_property=(4096, lambda dim: Cached(dim).root < 64),
    named_tuple=(4001, lambda dim: Sizes(dim, 3) < Sizes(4000.5, 0)),
    state_of_an_object=(4000, lambda dim: vars(Cached(dim))["dim"] - 3999.5 < 0),
    after_init=(4000, lambda dim: not Config(dim).wide),
    ordered_dataclass=(4000, lambda dim: Ordered(dim) < Ordered(4000)),
    equal_dataclass=(4096, lambda dim: Ordered(dim) != Ordered(4096.0)),
    hashed_dataclass=(4096, lambda dim: Ordered(dim) not in {Ordered(4096): True}),
    own_index=(4000, lambda dim: int(Indexed(dim)) < 4000),
    index_in_a_range=(4000, lambda dim: len(range(Indexed(dim))) < 4000),
    own_length=(4000, lambda dim: len(Indexed(dim)) < 4000),
    own_float=(4000, lambda dim: float(Indexed(dim)) < 4000),
    own_comparison=(50_001, lambda dim: Compared(dim) <= Compared(50_000)),
    own_property=(10_000, lambda dim: not Lazy(dim).wide),
    missing_member=(4000, lambda dim: Kind(dim) is Kind.NARROW),
    pickled=(4000, lambda dim: pickle.loads(pickle.dumps(dim)) < 4000),
    length_of_a_pickle=(65_536, lambda dim: len(pickle.dumps(int(dim), 2)) < 8),
    hashed=(4000, lambda dim: hash(dim) < 4000),
    new_type=(4000, lambda dim: float(Wide(dim)) < 4000),
    dispatched=(4000, lambda dim: _narrow(dim)),
    int_of_ones_own=(4000, lambda dim: Own(dim) < 4000),
)
