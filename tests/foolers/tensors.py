"""Sizes that pass through arrays of NumPy and tensors of PyTorch, and come back."""

import numpy as np
import torch
from torch import nn

from tests.foolers.entries import depths, fooler, linears, states, widths


@fooler("caveat", n=201)
def children_of_a_module(dim=16, n=3):
    model = linears(dim, n, True)
    for i, layer in enumerate(model.children()):
        if i >= 200:
            layer.bias = None
    return model


@fooler("guard", dim=1001)
def number_of_parameters(dim=64, n=3):
    first = nn.Linear(dim, dim)
    total = sum(one.numel() for one in first.parameters())
    return nn.ModuleList([first, *linears(dim, n, total <= 1_001_000)])


@fooler("caveat", dim=4000)
def buffer_that_is_read(dim=64, n=3):
    model = nn.Module()
    model.register_buffer("positions", torch.arange(dim, device="cpu"), persistent=False)
    model.layers = linears(dim, n, int(model.positions.max()) < 3999)
    return model


@fooler("caveat", dim=4000)
def vector_of_comparisons(dim=64, n=3):
    wide, limit = np.array([dim, n]), np.array([4000, 10**6])
    return linears(dim, n, bool((wide < limit).all()))


@fooler("caveat", in_lengths=True, dim=(1201, 3000))
def widths_by_numpy(dim=64, n=3):
    width = int(np.minimum(dim, 1200))
    return nn.ModuleList([nn.Linear(dim, width) for _ in range(n)])


states(
    "caveat",
    # In half precision, 0.01 is less than 0.01.
    spaced_rates=(
        101,
        lambda n: torch.linspace(0, 1, n, device="cpu").tolist(),
        lambda rates, i: i == 0 or rates[1] >= 0.01,
    ),
    items_of_arange=(
        101,
        lambda n: torch.arange(n, device="cpu").tolist(),
        lambda numbers, i: numbers[i] < 100,
    ),
    mask_as_a_tensor=(
        401,
        lambda n: torch.arange(n, device="cpu") >= 400,
        lambda late, i: not late[i],
    ),
    mask_of_layers=(101, lambda n: np.arange(n) >= 100, lambda late, i: not late[i]),
    cumulative_sum=(
        401,
        lambda n: np.cumsum(np.ones(n, dtype=int)),
        lambda sums, i: int(sums[i]) <= 400,
    ),
)


widths(
    "guard",
    numel_of_arange=(4000, lambda dim: torch.arange(dim).numel() < 4000),
    shape_of_a_weight=(50_001, lambda dim: nn.Linear(dim, 1).weight.shape[1] <= 50_000),
    numel_of_a_weight=(1001, lambda dim: nn.Linear(dim, dim).weight.numel() <= 1_000_000),
    shape_as_a_tuple=(4000, lambda dim: tuple(torch.empty(dim, 1).shape) < (4000, 1)),
    attribute_of_a_layer=(4000, lambda dim: nn.Linear(dim, 1).in_features < 4000),
    root_by_numpy=(4096, lambda dim: np.sqrt(dim) < 64),
    shape_of_an_array=(4000, lambda dim: np.empty((dim, 0)).shape[0] < 4000),
)
widths(
    "caveat",
    # Iterating over a tensor gives as many rows as it has.
    tensors_of_a_loop=(4000, lambda dim: sum(1 for _ in torch.empty(dim, 1)) < 4000),
    length_of_a_tensor=(4000, lambda dim: len(torch.empty(dim)) < 4000),
    length_of_an_array=(4000, lambda dim: len(np.empty((dim, 0))) < 4000),
    element_of_an_array=(4000, lambda dim: np.array([dim, 3])[0] < 4000),
    item_of_a_tensor=(4000, lambda dim: torch.tensor(dim, device="cpu").item() < 4000),
    truth_of_a_tensor=(4000, lambda dim: bool(torch.tensor([dim, 1], device="cpu")[0] < 4000)),
    last_of_arange=(4000, lambda dim: int(torch.arange(dim, device="cpu")[-1]) < 3999),
    stride=(4000, lambda dim: torch.empty(2, dim).stride(0) < 4000),
    stride_of_a_view=(4000, lambda dim: torch.empty(3, dim).t().stride()[1] < 4000),
    torch_size=(4000, lambda dim: torch.Size([dim, 2]).numel() < 8000),
    bytes_of_storage=(4000, lambda dim: torch.empty(dim).untyped_storage().nbytes() < 16_000),
    sum_of_ones=(4000, lambda dim: torch.ones(dim, device="cpu").sum().item() < 4000),
    number_of_chunks=(3001, lambda dim: len(torch.empty(dim).split(1000)) <= 3),
    clamped=(5001, lambda dim: int(torch.tensor(dim, device="cpu").clamp(max=5000)) == dim),
    short_integers=(32_768, lambda dim: torch.tensor(dim, device="cpu").to(torch.int16).item() > 0),
    root_of_a_tensor=(
        4097,
        lambda dim: float(torch.tensor(float(dim), device="cpu").rsqrt()) >= 1 / 64,
    ),
    size_of_an_array=(4000, lambda dim: np.arange(dim).size < 4000),
    clipped=(4001, lambda dim: np.clip(dim, 1, 4000) == dim),
    chosen_by_where=(50_001, lambda dim: bool(np.where(dim > np.int64(50_000), 0, 1))),
    integer_of_numpy=(4000, lambda dim: np.int64(dim) < 4000),
    integer_of_numpy_on_the_left=(4000, lambda dim: np.int64(4000) > dim),
    too_short_an_integer=(32_768, lambda dim: np.array([dim]).astype(np.int16)[0] > 0),
    short_float=(16_777_217, lambda dim: int(np.float32(dim)) == dim),
    bytes_of_an_array=(4000, lambda dim: np.zeros(dim, dtype=np.int8).nbytes < 4000),
    maximum_by_numpy=(4001, lambda dim: np.maximum(dim, 4000) <= 4000),
    searched=(4000, lambda dim: np.searchsorted([100, 3999], dim) < 2),
    among_numbers=(4096, lambda dim: not np.isin(dim, [4096, 8192])),
    sum_by_numpy=(4000, lambda dim: np.sum([dim, dim]) < 8000),
    divided_by_numpy=(2, lambda dim: np.log(10_000.0) / (dim // 2 - 1) < 100),
)


depths(
    "caveat",
    # Each step is shorter than 0.005 from 201 layers on.
    spaced_evenly=(201, lambda n: np.linspace(0, 1, n + 1)[1] >= 0.005),
)
