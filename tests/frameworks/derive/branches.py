"""Constructors that make other tensors where something is so. They need PyTorch."""

import json
import math
import os
import random

from torch import nn

LIMITS = {"large": 25_000}


def large_vocabulary(vocab_size=100, hidden_size=8):
    model = nn.ModuleList([nn.Embedding(vocab_size, hidden_size)])
    if vocab_size > LIMITS["large"]:
        model.append(nn.Linear(hidden_size, hidden_size))
    return model


def both_large(vocab_size=100, hidden_size=8):
    """Neither decides alone."""
    model = nn.ModuleList([nn.Embedding(vocab_size, hidden_size)])
    large, wide = vocab_size > 25_000, hidden_size > 300
    if large and wide:
        model.append(nn.Linear(hidden_size, hidden_size))
    return model


def one_after_the_other(vocab_size=100, hidden_size=8):
    """The second is not asked before the first is so."""
    model = nn.ModuleList([nn.Embedding(vocab_size, hidden_size)])
    if vocab_size > 25_000 and hidden_size > 300:
        model.append(nn.Linear(hidden_size, hidden_size))
    return model


def too_wide(hidden_size=8):
    if hidden_size > 20:
        raise ValueError("too\n\x1b[31mwide")
    return nn.Linear(hidden_size, hidden_size)


def odd_where_large(vocab_size=100, hidden_size=30):
    """Refuse large odd sizes. The comparison with the number of tokens changes nothing."""
    if hidden_size > 20 and hidden_size % 2:
        raise ValueError("odd")
    kind = nn.Embedding if vocab_size > 50 else lambda *sizes: nn.Embedding(*sizes)
    return kind(vocab_size, hidden_size)


def moves_nothing(vocab_size=100, hidden_size=8):
    kind = nn.Embedding if vocab_size > 25_000 else lambda *sizes: nn.Embedding(*sizes)
    return kind(vocab_size, hidden_size)


def by_float(hidden_size=8, dropout=10):
    return nn.Linear(hidden_size, hidden_size, bias=dropout / 100 < 0.5)


def by_ratio(hidden_size=8, intermediate_size=24):
    gated = intermediate_size / hidden_size > 2.6
    return nn.Linear(hidden_size, intermediate_size * (2 if gated else 1))


def by_truth_of_a_ratio(hidden_size=12):
    return nn.Linear(hidden_size, hidden_size, bias=bool((hidden_size - 5) / 2))


def by_a_decimal(hidden_size=12):
    """29 of 100 are less than 29 here."""
    return nn.Linear(hidden_size, hidden_size, bias=hidden_size * 0.29 < 2900)


def by_a_negative_floor(hidden_size=12):
    return nn.Linear(hidden_size, hidden_size, bias=(hidden_size - 5) // 2 >= 0)


def by_environment(hidden_size=8):
    return nn.Linear(hidden_size, hidden_size, bias="WITHOUT_BIAS" not in os.environ)


def by_chance(hidden_size=8):
    return nn.Linear(hidden_size, random.randint(3, 1000))


def by_number_of_calls(hidden_size=8, state=[0]):  # noqa: B006
    state[0] += 1
    return nn.Linear(hidden_size, hidden_size + state[0])


def frozen_when_large(hidden_size=8):
    model = nn.Linear(hidden_size, hidden_size)
    model.bias.requires_grad_(hidden_size < 1000)
    return model


def projected(vocab_size=31, hidden_size=8, embedding_size=8):
    """No projection where both are as wide."""
    model = nn.ModuleDict({"embedding": nn.Embedding(vocab_size, embedding_size)})
    if embedding_size != hidden_size:
        model["projection"] = nn.Linear(embedding_size, hidden_size)
    return model


def by_remainder(hidden_size=12, heads=4):
    return nn.Linear(hidden_size, hidden_size, bias=(hidden_size / heads) % 1 == 0)


def by_bits(hidden_size=12):
    return nn.Linear(hidden_size, hidden_size, bias=hidden_size & (hidden_size - 1) != 0)


def by_bits_of_text(hidden_size=12):
    """Lose the size: nothing connects a plain number with the size it came from."""
    width = json.loads(json.dumps(hidden_size))
    return nn.Linear(hidden_size, hidden_size, bias=width & (width - 1) != 0)


def by_a_root(hidden_size=12):
    return nn.Linear(hidden_size, hidden_size, bias=math.sqrt(hidden_size) < 100)


def halves(hidden_size=16):
    """Halves until it is small: a branch at every round."""
    model = nn.Sequential()
    while hidden_size > 3:
        model.append(nn.Linear(hidden_size, hidden_size // 2))
        hidden_size = hidden_size // 2
    return model
