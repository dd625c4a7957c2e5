"""What real libraries do with sizes besides building layers: the formula stays proved."""

import logging
import math
import warnings

import torch
from torch import nn

from tests.foolers.entries import harmless, linears

logger = logging.getLogger(__name__)
logger.addHandler(logging.NullHandler())


@harmless(n=120)
def list_of_names(dim=64, n=3):
    model = nn.Module()
    model.layers = linears(dim, n, True)
    model.names = [f"blocks.{i}" for i in range(n)]
    return model


@harmless(n=120)
def named_modules(dim=64, n=3):
    model = nn.Sequential()
    for i in range(n):
        model.add_module(f"layer{i}", nn.Linear(dim, dim))
    return model


@harmless(n=120)
def dict_of_modules(dim=64, n=3):
    return nn.ModuleDict({str(i): nn.Linear(dim, dim) for i in range(n)})


@harmless(n=120)
def attributes_by_number(dim=64, n=3):
    model = nn.Module()
    for i in range(n):
        setattr(model, f"norm{i}", nn.LayerNorm(dim))
    return model


@harmless(dim=5000)
def prints(dim=64, n=3):
    print(f"{dim} wide, {n} deep", "%d" % dim, end="")  # noqa: UP031
    return linears(dim, n, True)


@harmless(dim=5000)
def logs(dim=64, n=3):
    logger.info("%d wide", dim)
    logger.debug(f"{dim} wide, {n} deep")
    return linears(dim, n, True)


@harmless(dim=5000)
def warns(dim=64, n=3):
    if dim % 2:
        warnings.warn(f"a width of {dim} is odd", stacklevel=2)
    return linears(dim, n, True)


@harmless(dim=5000)
def raises(dim=64, heads=4):
    if dim % heads:
        raise ValueError(f"{dim} is no multiple of {heads} (got `dim`={dim}).")
    return nn.MultiheadAttention(dim, heads)


@harmless(dim=5000)
def asserts(dim=64, heads=4):
    assert dim % heads == 0, f"{dim} must be divisible by {heads}"
    return nn.Linear(dim, dim // heads * 3)


class _Shown(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim
        self.scale = dim**-0.5
        self.weight = nn.Parameter(torch.ones(dim) * self.scale)

    def __repr__(self):
        return f"Shown({self.dim}, scale={self.scale:.3f})"

    def extra_repr(self):
        return f"dim={self.dim}"


@harmless(dim=5000)
def shows(dim=64, n=3):
    return nn.ModuleList([_Shown(dim) for _ in range(n)])


class _Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.head_dim = heads, dim // heads
        self.scale = self.head_dim**-0.5
        self.scaling = 1.0 / math.sqrt(self.head_dim)
        self.qkv = nn.Linear(dim, 3 * self.head_dim * heads)
        self.out = nn.Linear(self.head_dim * heads, dim)


@harmless(dim=(66, 5000))
def attention(dim=64, heads=4):
    return _Attention(dim, heads)


class _DropPath(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.rate = rate


class _Block(nn.Module):
    def __init__(self, dim, rate):
        super().__init__()
        self.linear = nn.Linear(dim, int(dim * 4.0))
        self.drop_path = _DropPath(rate) if rate > 0.0 else nn.Identity()
        self.dropout = nn.Dropout(rate)


@harmless(n=120)
def stochastic_depth(dim=64, n=3):
    rates = [x.item() for x in torch.linspace(0, 0.1, n, device="cpu")]
    return nn.ModuleList([_Block(dim, rates[i]) for i in range(n)])


@harmless(n=120)
def stochastic_depth_in_a_list(dim=64, n=3):
    rates = torch.linspace(0, 0.1, n, device="cpu").tolist()
    return nn.ModuleList([_Block(dim, rate) for rate in rates])


@harmless(first=40, second=70)
def stochastic_depth_in_stages(dim=64, first=2, second=3):
    depths = [first, second]
    rates = [0.1 * i / max(1, sum(depths) - 1) for i in range(sum(depths))]
    model = nn.ModuleList()
    for stage, depth in enumerate(depths):
        before = sum(depths[:stage])
        own = rates[before : before + depth]
        model.append(nn.Sequential(*(_Block(dim * 2**stage, own[i]) for i in range(depth))))
    return model


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
