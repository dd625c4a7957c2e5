"""Constructors that make other tensors far from their own sizes. They need PyTorch."""

from bisect import bisect

from torch import nn

LIMITS = [100, 1000, 4000, 10**6]


def linears(hidden_size, layers, bias):
    return nn.ModuleList([nn.Linear(hidden_size, hidden_size, bias=bias) for _ in range(layers)])


def bisected(hidden_size=64, layers=3):
    """Compare the middle limit first; the other guards lie beyond it."""
    return linears(hidden_size, layers, bisect(LIMITS, hidden_size) < 4)


def one_limit_beyond_another(vocab_size=100, hidden_size=64):
    model = nn.ModuleList([nn.Embedding(vocab_size, hidden_size)])
    if vocab_size > 25_000 and vocab_size > 900_000:
        model.append(nn.Linear(hidden_size, hidden_size))
    return model


def wide(hidden_size=64, layers=3):
    """The shape of what was made decides, in a way that no tracer follows."""
    model = linears(hidden_size, layers, True)
    if len(bytes(model[0].weight.shape[0])) > 64 * 25:
        model.append(nn.LayerNorm(8))
    return model


def many_layers(hidden_size=8, layers=3):
    """How many layers there are decides."""
    model = linears(hidden_size, layers, True)
    if len([module for module in model.modules() if isinstance(module, nn.Linear)]) > 100:
        model.append(nn.LayerNorm(8))
    return model


def limited(hidden_size=64, layers=3):
    """A validator refuses what is too wide, in a way that no tracer follows."""
    model = linears(hidden_size, layers, True)
    if len(bytes(model[0].weight.shape[0])) > 5000:
        raise ValueError("hidden_size must be 5000 or less")
    return model
