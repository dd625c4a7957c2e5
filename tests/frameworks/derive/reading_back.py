"""Numbers that are read back from tensors of sizes, and decide something or nothing."""

import torch
from torch import nn


def rates(hidden_size=8, num_layers=3):
    chances = [chance.item() for chance in torch.linspace(0, 0.1, num_layers)]
    layers = ((nn.Linear(hidden_size, hidden_size), nn.Dropout(chance)) for chance in chances)
    return nn.ModuleList([layer for pair in layers for layer in pair])


def threshold(hidden_size=8, num_layers=3):
    last = torch.arange(num_layers)[-1].item()
    return nn.ModuleList(
        [nn.Linear(hidden_size, hidden_size, bias=last < 100) for _ in range(num_layers)]
    )
