"""Constructors whose tensors are made, held or shared in unusual ways. They need PyTorch."""

import torch
from torch import nn


def lazy(hidden_size=8):
    return nn.Sequential(nn.LazyLinear(hidden_size))


def frozen(vocab_size=31, hidden_size=8):
    table = nn.Embedding(vocab_size, hidden_size)
    table.weight.requires_grad_(False)
    return nn.Sequential(table, nn.Linear(hidden_size, hidden_size))


def tied(vocab_size=31, hidden_size=8):
    model = nn.ModuleDict({"embedding": nn.Embedding(vocab_size, hidden_size)})
    model["head"] = nn.Linear(hidden_size, vocab_size, bias=False)
    model["head"].weight = model["embedding"].weight
    return model


def buffers(hidden_size=8, positions=12):
    model = nn.BatchNorm1d(hidden_size)
    model.register_buffer("position_ids", torch.arange(positions).expand((1, -1)))
    return model


def strange_buffer(hidden_size=8):
    model = nn.Linear(hidden_size, hidden_size)
    model.register_buffer("bits", torch.zeros(int(f"{hidden_size}").bit_length(), 3))
    return model


def by_arithmetic(hidden_size=8):
    model = nn.Module()
    model.scale = nn.Parameter(0.1 * torch.ones(hidden_size))
    model.shift = nn.Parameter(torch.log(torch.arange(1, hidden_size + 1).float()))
    return model


def broadcast(hidden_size=8, channels=5):
    return nn.ParameterList([torch.ones(channels)[:, None] * torch.ones(hidden_size)])


def weight_norm(hidden_size=8, channels=5):
    return torch.nn.utils.parametrizations.weight_norm(nn.Linear(hidden_size, channels))


def sliced(hidden_size=8):
    return nn.ParameterList([torch.empty(hidden_size, hidden_size)[: hidden_size // 2]])


def concatenated(hidden_size=8, heads=3):
    both = torch.cat([torch.empty(hidden_size, heads), torch.empty(hidden_size, hidden_size)], 1)
    return nn.ParameterList([both])


def joined_by_a_slice(hidden_size=8):
    whole = torch.empty(hidden_size, hidden_size)
    return nn.ParameterList([torch.cat([whole, whole[:1]])])


def old_constructors(hidden_size=8, channels=5):
    lengths = torch.Tensor(hidden_size).uniform_(), torch.FloatTensor(1, channels, hidden_size)
    return nn.ParameterList([*lengths, torch.Tensor([0.5, 2.0])])


def drawn(hidden_size=8):
    column = torch.normal(0.0, 0.1, size=(hidden_size,)).unsqueeze(-1)
    return nn.ParameterList([column, torch.ones(hidden_size).unsqueeze(0)])


def numbers(hidden_size=8, layers=3):
    """Compute numbers as parameters, as a learned activation does, and not by a factory."""
    slope = [torch.log(torch.tensor(0.8)).unsqueeze(0) for _ in range(layers)]
    return nn.ParameterList([torch.empty(hidden_size), *slope])


def reshaped(hidden_size=8, heads=3):
    return nn.ParameterList([torch.empty(hidden_size, heads).reshape(-1)])


def transposed(hidden_size=8, heads=3):
    return nn.ParameterList([torch.empty(hidden_size, heads).t()])


def encoder(hidden_size=12, heads=3, feed_forward=20, layers=4):
    layer = nn.TransformerEncoderLayer(hidden_size, heads, feed_forward)
    return nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)


def attention(hidden_size=12, heads=3, key_size=7):
    return nn.MultiheadAttention(hidden_size, heads, kdim=key_size)


def lstm(hidden_size=12, input_size=7, layers=4):
    return nn.LSTM(input_size, hidden_size, layers, bidirectional=True)


def grouped(channels=12, groups=3, kernel=5):
    return nn.Conv2d(channels, 2 * channels, kernel, groups=groups)
