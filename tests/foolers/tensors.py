"""Sizes that pass through tensors of PyTorch and come back."""

import torch
from torch import nn

from tests.foolers.entries import each, fooler, linears


@fooler("caveat", dim=4000)
def item_of_a_tensor(dim=64, n=3):
    return linears(dim, n, torch.tensor(dim, device="cpu").item() < 4000)


@fooler("caveat", dim=4000)
def truth_of_a_tensor(dim=64, n=3):
    return linears(dim, n, bool(torch.tensor([dim, 1], device="cpu")[0] < 4000))


@fooler("guard", dim=4000)
def numel_of_arange(dim=64, n=3):
    return linears(dim, n, torch.arange(dim).numel() < 4000)


@fooler("caveat", dim=4000)
def last_of_arange(dim=64, n=3):
    return linears(dim, n, int(torch.arange(dim, device="cpu")[-1]) < 3999)


@fooler("guard", dim=4000)
def length_of_a_tensor(dim=64, n=3):
    return linears(dim, n, len(torch.empty(dim)) < 4000)


@fooler("guard", dim=50_001)
def shape_of_a_weight(dim=64, n=3):
    return linears(dim, n, nn.Linear(dim, 1).weight.shape[1] <= 50_000)


@fooler("guard", dim=1001)
def numel_of_a_weight(dim=64, n=3):
    return linears(dim, n, nn.Linear(dim, dim).weight.numel() <= 1_000_000)


@fooler("caveat", dim=4000)
def stride(dim=64, n=3):
    return linears(dim, n, torch.empty(2, dim).stride(0) < 4000)


@fooler("caveat", dim=4000)
def stride_of_a_view(dim=64, n=3):
    return linears(dim, n, torch.empty(3, dim).t().stride()[1] < 4000)


@fooler("guard", dim=4000)
def torch_size(dim=64, n=3):
    return linears(dim, n, torch.Size([dim, 2]).numel() < 8000)


@fooler("guard", dim=4000)
def shape_as_a_tuple(dim=64, n=3):
    return linears(dim, n, tuple(torch.empty(dim, 1).shape) < (4000, 1))


@fooler("caveat", dim=4000)
def bytes_of_storage(dim=64, n=3):
    return linears(dim, n, torch.empty(dim).untyped_storage().nbytes() < 16_000)


@fooler("caveat", dim=4000)
def sum_of_ones(dim=64, n=3):
    return linears(dim, n, torch.ones(dim, device="cpu").sum().item() < 4000)


@fooler("caveat", dim=3001)
def number_of_chunks(dim=64, n=3):
    return linears(dim, n, len(torch.empty(dim).split(1000)) <= 3)


@fooler("guard", dim=4000)
def tensors_of_a_loop(dim=64, n=3):
    """Iterating over a tensor gives as many rows as it has."""
    return linears(dim, n, sum(1 for _ in torch.empty(dim, 1)) < 4000)


@fooler("caveat", dim=5001)
def clamped(dim=64, n=3):
    return linears(dim, n, int(torch.tensor(dim, device="cpu").clamp(max=5000)) == dim)


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


@fooler("guard", dim=4000)
def attribute_of_a_layer(dim=64, n=3):
    return linears(dim, n, nn.Linear(dim, 1).in_features < 4000)


@fooler("caveat", dim=32_768)
def short_integers(dim=64, n=3):
    return linears(dim, n, torch.tensor(dim, device="cpu").to(torch.int16).item() > 0)


@fooler("caveat", dim=4097)
def root_of_a_tensor(dim=64, n=3):
    return linears(dim, n, float(torch.tensor(float(dim), device="cpu").rsqrt()) >= 1 / 64)


@fooler("caveat", dim=4000)
def buffer_that_is_read(dim=64, n=3):
    model = nn.Module()
    model.register_buffer("positions", torch.arange(dim, device="cpu"), persistent=False)
    model.layers = linears(dim, n, int(model.positions.max()) < 3999)
    return model
