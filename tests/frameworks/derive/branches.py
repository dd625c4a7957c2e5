"""Constructors that make other tensors where something is so. They need PyTorch."""

import os
import random

from torch import nn

from tests.frameworks.derive.deriving import derives

LIMITS = {"large": 25_000}


@derives("V·H", where="V ≤ 25000", beyond=[{"vocab_size": 25_001}])
@derives("H² + V·H + H", where="V > 25000", sizes=(("vocab_size", 30_000),))
def large_vocabulary(vocab_size=100, hidden_size=8):
    model = nn.ModuleList([nn.Embedding(vocab_size, hidden_size)])
    if vocab_size > LIMITS["large"]:
        model.append(nn.Linear(hidden_size, hidden_size))
    return model


@derives("H² + H", where={"H ≤ 20": "ValueError: too \\x1b[31mwide"})
def too_wide(hidden_size=8):
    if hidden_size > 20:
        raise ValueError("too\n\x1b[31mwide")
    return nn.Linear(hidden_size, hidden_size)


@derives("V·H", where={"2 divides H": "ValueError: odd"}, irrelevant=["V > 50"])
def odd_where_large(vocab_size=100, hidden_size=30):
    """Refuse large odd sizes: an even one is refused nowhere, whether it is large or not."""
    if hidden_size > 20 and hidden_size % 2:
        raise ValueError("odd")
    kind = nn.Embedding if vocab_size > 50 else lambda *sizes: nn.Embedding(*sizes)
    return kind(vocab_size, hidden_size)


@derives("V·H", irrelevant=["V ≤ 25000"])
def moves_nothing(vocab_size=100, hidden_size=8):
    kind = nn.Embedding if vocab_size > 25_000 else lambda *sizes: nn.Embedding(*sizes)
    return kind(vocab_size, hidden_size)


@derives(
    "2·F·(H + 1)",
    where="minus((F ÷ H), 2.6) > 0",
    beyond=[{"hidden_size": 10, "intermediate_size": 26}],
)
def by_ratio(hidden_size=8, intermediate_size=24):
    gated = intermediate_size / hidden_size > 2.6
    return nn.Linear(hidden_size, intermediate_size * (2 if gated else 1))


@derives("H² + H", where="H − 5 ≠ 0", beyond=[{"hidden_size": 5}])
def by_truth_of_a_ratio(hidden_size=12):
    return nn.Linear(hidden_size, hidden_size, bias=bool((hidden_size - 5) / 2))


@derives("H² + H")
def by_environment(hidden_size=8):
    return nn.Linear(hidden_size, hidden_size, bias="WITHOUT_BIAS" not in os.environ)


def by_chance(hidden_size=8):
    return nn.Linear(hidden_size, random.randint(3, 1000))


def by_number_of_calls(hidden_size=8, state=[0]):  # noqa: B006
    state[0] += 1
    return nn.Linear(hidden_size, hidden_size + state[0])


@derives("H² + H", where="H < 1000", beyond=[{"hidden_size": 1000}])
def frozen_when_large(hidden_size=8):
    model = nn.Linear(hidden_size, hidden_size)
    model.bias.requires_grad_(hidden_size < 1000)
    return model


@derives("V·e", where="e = H", beyond=[{"embedding_size": 9}])
@derives("H·e + V·e + H", where="e ≠ H", sizes=(("hidden_size", 9),))
def projected(vocab_size=31, hidden_size=8, embedding_size=8):
    model = nn.ModuleDict({"embedding": nn.Embedding(vocab_size, embedding_size)})
    if embedding_size != hidden_size:
        model["projection"] = nn.Linear(embedding_size, hidden_size)
    return model
