"""What real libraries do with sizes besides building layers: lengths, buffers, initial values."""

import math

import torch
from torch import nn

from tests.foolers.entries import harmless, linears


@harmless(n=120)
def ids_of_layers(dim=64, n=3):
    model = nn.Module()
    model.layers = linears(dim, n, True)
    model.ids = torch.arange(n, device="cpu").tolist()
    return model


@harmless(dim=(90, 5000))
def four_times_as_wide(dim=64, n=3):
    return nn.ModuleList([nn.Linear(dim, int(dim * 4.0)) for _ in range(n)])


@harmless(n=120, d=100)
def kinds_of_layers(dim=64, d=2, n=5):
    kinds = ["dense"] * d + ["sparse"] * (n - d)
    return nn.ModuleList(
        [nn.Linear(dim, dim) if kinds[i] == "dense" else nn.LayerNorm(dim) for i in range(n)]
    )


class _Initialized(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(dim, dim))
        self.bias = nn.Parameter(torch.empty(dim))
        std = 1.0 / math.sqrt(dim)
        nn.init.normal_(self.weight, std=std)
        nn.init.trunc_normal_(self.bias, std=std, a=-2 * std, b=2 * std)
        self.bias.data.uniform_(-std, std)


@harmless(dim=5000)
def initialized(dim=64, n=3):
    return nn.ModuleList([_Initialized(dim) for _ in range(n)])


@harmless(n=120)
def initialized_by_depth(dim=64, n=3):
    layers = linears(dim, n, True)
    for name, parameter in layers.named_parameters():
        if name.endswith("weight"):
            nn.init.normal_(parameter, mean=0.0, std=0.02 / math.sqrt(2 * n))
    return layers


@harmless(length=5000)
def positions(dim=64, length=128):
    model = nn.Module()
    model.table = nn.Embedding(length, dim)
    model.register_buffer("ids", torch.arange(length).expand((1, -1)), persistent=False)
    return model


@harmless(dim=5000)
def rotary(dim=64, n=3):
    model = nn.Module()
    steps = torch.arange(0, dim, 2).float() / dim
    model.register_buffer("inv_freq", 1.0 / (10_000.0**steps), persistent=False)
    model.layers = linears(dim, n, True)
    return model


@harmless(length=500)
def causal_mask(dim=64, length=32):
    model = nn.Module()
    mask = torch.full((length, length), float("-inf")).triu(1)
    model.register_buffer("mask", mask.view(1, 1, length, length))
    model.layer = nn.Linear(dim, dim)
    return model


@harmless(dim=(90, 100, 5000))
def made_divisible(dim=64, n=3):
    """Round to a multiple of 8, but never by more than a tenth."""
    wide = max(8, int(dim + 4) // 8 * 8)
    if wide < 0.9 * dim:
        wide += 8
    return nn.ModuleList([nn.Linear(dim, wide) for _ in range(n)])


@harmless(dim=5000)
def reduced_for_excitation(dim=64, n=3):
    return nn.ModuleList([nn.Conv2d(dim, max(dim // 16, 8), 1) for _ in range(n)])


@harmless(dim=5000)
def config_as_a_dict(dim=64, n=3):
    config = {"hidden_size": dim, "num_layers": n, "std": dim**-0.5}
    model = linears(config["hidden_size"], config["num_layers"], True)
    model.config = dict(config)
    return model


@harmless(dim=5000)
def checked_arguments(dim=64, n=3):
    if not isinstance(dim, int) or dim <= 0:
        raise TypeError(f"`dim` must be a positive int, and is {dim!r}")
    return linears(dim, n, True)


@harmless(dim=5000)
def embedded_with_a_scale(dim=64, vocab=100):
    model = nn.Module()
    model.embedding = nn.Embedding(vocab, dim, padding_idx=0)
    model.head = nn.Linear(dim, vocab, bias=False)
    model.head.weight = model.embedding.weight
    model.scale = math.sqrt(dim)
    model.register_buffer("embed_scale", torch.tensor(dim**0.5), persistent=False)
    return model


@harmless(image=512, patch=8)
def patches(dim=64, image=224, patch=16):
    grid = image // patch
    model = nn.Module()
    model.projection = nn.Conv2d(3, dim, kernel_size=patch, stride=patch)
    model.positions = nn.Parameter(torch.zeros(1, grid * grid + 1, dim))
    nn.init.trunc_normal_(model.positions, std=0.02)
    return model
