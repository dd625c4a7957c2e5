"""Sizes that pass through NumPy."""

import numpy as np
from torch import nn

from tests.foolers.entries import each, fooler, linears, widths


@fooler("caveat", dim=4000)
def element_of_an_array(dim=64, n=3):
    return linears(dim, n, np.array([dim, n])[0] < 4000)


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
def vector_of_comparisons(dim=64, n=3):
    wide, limit = np.array([dim, n]), np.array([4000, 10**6])
    return linears(dim, n, bool((wide < limit).all()))


@fooler("guard", in_lengths=True, dim=(1201, 3000))
def widths_by_numpy(dim=64, n=3):
    width = int(np.minimum(dim, 1200))
    return nn.ModuleList([nn.Linear(dim, width) for _ in range(n)])


widths(
    root_by_numpy=("caveat", 4096, lambda dim: np.sqrt(dim) < 64),
    size_of_an_array=("caveat", 4000, lambda dim: np.arange(dim).size < 4000),
    clipped=("caveat", 4001, lambda dim: np.clip(dim, 1, 4000) == dim),
    chosen_by_where=("guard", 50_001, lambda dim: bool(np.where(dim > np.int64(50_000), 0, 1))),
    integer_of_numpy=("caveat", 4000, lambda dim: np.int64(dim) < 4000),
    integer_of_numpy_on_the_left=("guard", 4000, lambda dim: np.int64(4000) > dim),
    too_short_an_integer=("caveat", 32_768, lambda dim: np.array([dim]).astype(np.int16)[0] > 0),
    short_float=("caveat", 16_777_217, lambda dim: int(np.float32(dim)) == dim),
    bytes_of_an_array=("caveat", 4000, lambda dim: np.zeros(dim, dtype=np.int8).nbytes < 4000),
    shape_of_an_array=("caveat", 4000, lambda dim: np.empty((dim, 0)).shape[0] < 4000),
    length_of_an_array=("caveat", 4000, lambda dim: len(np.empty((dim, 0))) < 4000),
    maximum_by_numpy=("guard", 4001, lambda dim: np.maximum(dim, 4000) <= 4000),
    searched=("caveat", 4000, lambda dim: np.searchsorted([100, 3999], dim) < 2),
    among_numbers=("caveat", 4096, lambda dim: not np.isin(dim, [4096, 8192])),
    sum_by_numpy=("caveat", 4000, lambda dim: np.sum([dim, dim]) < 8000),
    divided_by_numpy=("guard", 2, lambda dim: np.log(10_000.0) / (dim // 2 - 1) < 100),
)
