"""Sizes that pass through tensors of PyTorch and come back."""

import torch
from torch import nn

from tests.foolers.entries import each, fooler, linears, widths


@fooler("caveat", n=101)
def spaced_rates(dim=16, n=3):
    """In half precision, 0.01 is less than 0.01."""
    rates = torch.linspace(0, 1, n, device="cpu").tolist()
    return each(dim, n, lambda i: i == 0 or rates[1] >= 0.01)


@fooler("caveat", n=101)
def items_of_arange(dim=16, n=3):
    numbers = torch.arange(n, device="cpu").tolist()
    return each(dim, n, lambda i: numbers[i] < 100)


@fooler("caveat", n=401)
def mask_as_a_tensor(dim=16, n=3):
    late = torch.arange(n, device="cpu") >= 400
    return each(dim, n, lambda i: not late[i])


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


widths(
    item_of_a_tensor=("caveat", 4000, lambda dim: torch.tensor(dim, device="cpu").item() < 4000),
    truth_of_a_tensor=(
        "caveat",
        4000,
        lambda dim: bool(torch.tensor([dim, 1], device="cpu")[0] < 4000),
    ),
    numel_of_arange=("guard", 4000, lambda dim: torch.arange(dim).numel() < 4000),
    last_of_arange=("caveat", 4000, lambda dim: int(torch.arange(dim, device="cpu")[-1]) < 3999),
    length_of_a_tensor=("guard", 4000, lambda dim: len(torch.empty(dim)) < 4000),
    shape_of_a_weight=("guard", 50_001, lambda dim: nn.Linear(dim, 1).weight.shape[1] <= 50_000),
    numel_of_a_weight=("guard", 1001, lambda dim: nn.Linear(dim, dim).weight.numel() <= 1_000_000),
    stride=("caveat", 4000, lambda dim: torch.empty(2, dim).stride(0) < 4000),
    stride_of_a_view=("caveat", 4000, lambda dim: torch.empty(3, dim).t().stride()[1] < 4000),
    torch_size=("guard", 4000, lambda dim: torch.Size([dim, 2]).numel() < 8000),
    shape_as_a_tuple=("guard", 4000, lambda dim: tuple(torch.empty(dim, 1).shape) < (4000, 1)),
    bytes_of_storage=(
        "caveat",
        4000,
        lambda dim: torch.empty(dim).untyped_storage().nbytes() < 16_000,
    ),
    sum_of_ones=("caveat", 4000, lambda dim: torch.ones(dim, device="cpu").sum().item() < 4000),
    number_of_chunks=("caveat", 3001, lambda dim: len(torch.empty(dim).split(1000)) <= 3),
    # Iterating over a tensor gives as many rows as it has.
    tensors_of_a_loop=("guard", 4000, lambda dim: sum(1 for _ in torch.empty(dim, 1)) < 4000),
    clamped=(
        "caveat",
        5001,
        lambda dim: int(torch.tensor(dim, device="cpu").clamp(max=5000)) == dim,
    ),
    attribute_of_a_layer=("guard", 4000, lambda dim: nn.Linear(dim, 1).in_features < 4000),
    short_integers=(
        "caveat",
        32_768,
        lambda dim: torch.tensor(dim, device="cpu").to(torch.int16).item() > 0,
    ),
    root_of_a_tensor=(
        "caveat",
        4097,
        lambda dim: float(torch.tensor(float(dim), device="cpu").rsqrt()) >= 1 / 64,
    ),
)
