"""Constructors that make other tensors far from their own sizes. They need PyTorch."""

from bisect import bisect

from torch import nn

from tests.frameworks.derive.deriving import derives

LIMITS = [100, 1000, 4000, 10**6]


def linears(hidden_size, layers, bias):
    return nn.ModuleList([nn.Linear(hidden_size, hidden_size, bias=bias) for _ in range(layers)])


@derives(
    "L·(H² + H)",
    where="H < 1000000",
    irrelevant=["H < 100"],
    at=[{"hidden_size": 999_999}],
    beyond=[{"hidden_size": 1_000_000}],
)
def bisected(hidden_size=64, layers=3):
    """Compare the middle limit first; the other guards lie beyond it."""
    return linears(hidden_size, layers, bisect(LIMITS, hidden_size) < 4)


@derives(
    "V·H",
    where="V ≤ 900000",
    irrelevant=["V ≤ 25000"],
    at=[{"vocab_size": 900_000}],
    beyond=[{"vocab_size": 900_001}],
)
def one_limit_beyond_another(vocab_size=100, hidden_size=64):
    model = nn.ModuleList([nn.Embedding(vocab_size, hidden_size)])
    if vocab_size > 25_000 and vocab_size > 900_000:
        model.append(nn.Linear(hidden_size, hidden_size))
    return model


@derives(
    "L·(H² + H)",
    fixed="H",
    reasons=[
        "H did not vary",
        "H became a plain int",
        "H did not vary once the formula had failed: not as",
    ],
    beyond=[{"hidden_size": 1601}],
)
def wide(hidden_size=64, layers=3):
    """The shape of what was made decides, in a way that no tracer follows."""
    model = linears(hidden_size, layers, True)
    if len(bytes(model[0].weight.shape[0])) > 64 * 25:
        model.append(nn.LayerNorm(8))
    return model


@derives(
    "L·(H² + H)",
    fixed="L",
    reasons=[
        "L did not vary",
        "a number that sizes decide was compared",
        "L did not vary once the formula had failed: not as",
    ],
    beyond=[{"layers": 101}],
)
def many_layers(hidden_size=8, layers=3):
    """How many layers there are decides."""
    model = linears(hidden_size, layers, True)
    if len([module for module in model.modules() if isinstance(module, nn.Linear)]) > 100:
        model.append(nn.LayerNorm(8))
    return model


@derives("L·(H² + H)", reasons=["H became a plain int"])
def limited(hidden_size=64, layers=3):
    """A validator refuses what is too wide, in a way that no tracer follows."""
    model = linears(hidden_size, layers, True)
    if len(bytes(model[0].weight.shape[0])) > 5000:
        raise ValueError("hidden_size must be 5000 or less")
    return model
