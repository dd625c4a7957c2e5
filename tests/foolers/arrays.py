"""Sizes that pass through NumPy."""

import numpy as np
from torch import nn

from tests.foolers.entries import each, fooler, linears


@fooler("caveat", dim=4096)
def root_by_numpy(dim=64, n=3):
    return linears(dim, n, np.sqrt(dim) < 64)


@fooler("caveat", dim=4000)
def element_of_an_array(dim=64, n=3):
    return linears(dim, n, np.array([dim, n])[0] < 4000)


@fooler("caveat", dim=4000)
def size_of_an_array(dim=64, n=3):
    return linears(dim, n, np.arange(dim).size < 4000)


@fooler("caveat", dim=4001)
def clipped(dim=64, n=3):
    return linears(dim, n, np.clip(dim, 1, 4000) == dim)


@fooler("guard", dim=50_001)
def chosen_by_where(dim=64, n=3):
    return linears(dim, n, bool(np.where(dim > np.int64(50_000), 0, 1)))


@fooler("caveat", dim=4000)
def integer_of_numpy(dim=64, n=3):
    return linears(dim, n, np.int64(dim) < 4000)


@fooler("guard", dim=4000)
def integer_of_numpy_on_the_left(dim=64, n=3):
    return linears(dim, n, np.int64(4000) > dim)


@fooler("caveat", dim=32_768)
def too_short_an_integer(dim=64, n=3):
    return linears(dim, n, np.array([dim]).astype(np.int16)[0] > 0)


@fooler("caveat", dim=16_777_217)
def short_float(dim=64, n=3):
    return linears(dim, n, int(np.float32(dim)) == dim)


@fooler("caveat", dim=4000)
def bytes_of_an_array(dim=64, n=3):
    return linears(dim, n, np.zeros(dim, dtype=np.int8).nbytes < 4000)


@fooler("caveat", dim=4000)
def shape_of_an_array(dim=64, n=3):
    return linears(dim, n, np.empty((dim, 0)).shape[0] < 4000)


@fooler("caveat", dim=4000)
def length_of_an_array(dim=64, n=3):
    return linears(dim, n, len(np.empty((dim, 0))) < 4000)


@fooler("guard", dim=4001)
def maximum_by_numpy(dim=64, n=3):
    return linears(dim, n, np.maximum(dim, 4000) <= 4000)


@fooler("caveat", dim=4000)
def searched(dim=64, n=3):
    return linears(dim, n, np.searchsorted([100, 3999], dim) < 2)


@fooler("caveat", dim=4096)
def among_numbers(dim=64, n=3):
    return linears(dim, n, not np.isin(dim, [4096, 8192]))


@fooler("caveat", n=201)
def spaced_evenly(dim=16, n=3):
    """Each step is shorter than 0.005 from 201 layers on."""
    rates = np.linspace(0, 1, n + 1)
    return linears(dim, n, rates[1] >= 0.005)


@fooler("caveat", n=101)
def mask_of_layers(dim=16, n=3):
    late = np.arange(n) >= 100
    return each(dim, n, lambda i: not late[i])


@fooler("caveat", n=401)
def cumulative_sum(dim=16, n=3):
    before = np.cumsum(np.ones(n, dtype=int))
    return each(dim, n, lambda i: int(before[i]) <= 400)


@fooler("caveat", dim=4000)
def sum_by_numpy(dim=64, n=3):
    return linears(dim, n, np.sum([dim, dim]) < 8000)


@fooler("caveat", dim=4000)
def vector_of_comparisons(dim=64, n=3):
    wide, limit = np.array([dim, n]), np.array([4000, 10**6])
    return linears(dim, n, bool((wide < limit).all()))


@fooler("guard", in_lengths=True, dim=(1201, 3000))
def widths_by_numpy(dim=64, n=3):
    width = int(np.minimum(dim, 1200))
    return nn.ModuleList([nn.Linear(dim, width) for _ in range(n)])


@fooler("guard", dim=2)
def divided_by_numpy(dim=64, n=3):
    return linears(dim, n, np.log(10_000.0) / (dim // 2 - 1) < 100)
