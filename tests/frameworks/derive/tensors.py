"""Constructors whose tensors are made, held or shared in unusual ways. They need PyTorch."""

import torch
from torch import nn

from tests.frameworks.derive.deriving import OTHERS, derives

FITTED = ["the shape is fitted in 1 of 1 tensor groups", "a parameter of an unknown shape: 0"]


@derives("H² + H")
def frozen(vocab_size=31, hidden_size=8):
    table = nn.Embedding(vocab_size, hidden_size)
    table.weight.requires_grad_(False)
    return nn.Sequential(table, nn.Linear(hidden_size, hidden_size))


@derives("V·H")
def tied(vocab_size=31, hidden_size=8):
    model = nn.ModuleDict({"embedding": nn.Embedding(vocab_size, hidden_size)})
    model["head"] = nn.Linear(hidden_size, vocab_size, bias=False)
    model["head"].weight = model["embedding"].weight
    return model


@derives("2·H")
def buffers(hidden_size=8, positions=12):
    model = nn.BatchNorm1d(hidden_size)
    model.register_buffer("position_ids", torch.arange(positions).expand((1, -1)))
    return model


@derives("H² + H")
def strange_buffer(hidden_size=8):
    model = nn.Linear(hidden_size, hidden_size)
    model.register_buffer("bits", torch.zeros(int(f"{hidden_size}").bit_length(), 3))
    return model


@derives("ch·(H + 2)")
def weight_norm(hidden_size=8, channels=5):
    return torch.nn.utils.parametrizations.weight_norm(nn.Linear(hidden_size, channels))


@derives("H² + H", reasons=[*FITTED, *["a call was not followed ("] * 2])
def joined_by_a_slice(hidden_size=8):
    whole = torch.empty(hidden_size, hidden_size)
    return nn.ParameterList([nn.Parameter(torch.cat([whole, whole[:1]]))])


@derives("H·ch + H + 2")
def old_constructors(hidden_size=8, channels=5):
    lengths = torch.Tensor(hidden_size).uniform_(), torch.FloatTensor(1, channels, hidden_size)
    return nn.ParameterList([nn.Parameter(one) for one in (*lengths, torch.Tensor([0.5, 2.0]))])


@derives("2·H")
def drawn(hidden_size=8):
    column = torch.normal(0.0, 0.1, size=(hidden_size,)).unsqueeze(-1)
    return nn.ParameterList(
        [nn.Parameter(one) for one in (column, torch.ones(hidden_size).unsqueeze(0))]
    )


@derives("L + H")
def numbers(hidden_size=8, layers=3):
    slope = [nn.Parameter(torch.log(torch.tensor(0.8)).unsqueeze(0)) for _ in range(layers)]
    return nn.ParameterList([nn.Parameter(torch.empty(hidden_size)), *slope])


@derives("H·A")
def reshaped(hidden_size=8, heads=3):
    return nn.ParameterList([nn.Parameter(torch.empty(hidden_size, heads).reshape(-1))])


@derives("2·H·A")
def transposed(hidden_size=8, heads=3):
    both = torch.empty(hidden_size, heads).t(), torch.empty(heads, hidden_size).T
    return nn.ParameterList([nn.Parameter(one) for one in both])


@derives(
    "L·(4·H² + 2·H·ff + 9·H + ff)",
    where={"A divides H": "AssertionError: embed_dim must be divisible"},
)
def encoder(hidden_size=12, heads=3, feed_forward=20, layers=4):
    layer = nn.TransformerEncoderLayer(hidden_size, heads, feed_forward)
    return nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)


@derives(
    "3·H² + H·ks + 4·H",
    where={"ks ≠ H": OTHERS, "A divides H": "AssertionError: embed_dim must be divisible"},
)
def attention(hidden_size=12, heads=3, key_size=7):
    return nn.MultiheadAttention(hidden_size, heads, kdim=key_size)


@derives(
    "2·ch²·ke²/gr + 2·ch", where={"gr divides ch": "ValueError: in_channels must be divisible"}
)
def grouped(channels=12, groups=3, kernel=5):
    return nn.Conv2d(channels, 2 * channels, kernel, groups=groups)
