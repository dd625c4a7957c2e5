"""Layers that are named by a number and by text, beside single layers that are named so too."""

from torch import nn


def encoder(hidden_size=8, num_layers=3):
    layers = {f"encoder_layer_{i}": nn.Linear(hidden_size, hidden_size) for i in range(num_layers)}
    return nn.ModuleDict({"layers": nn.ModuleDict(layers), "norm1": nn.LayerNorm(hidden_size)})


def stages(hidden_size=8, num_stages=2, depth=3):
    """Three layers in each of two stages, which all have two convolutions."""
    return nn.ModuleDict(
        {
            f"stage{s + 1}": nn.ModuleDict(
                {
                    f"block_{i}": nn.ModuleDict(
                        {f"fc{n}": nn.Linear(hidden_size, hidden_size) for n in (1, 2)}
                    )
                    for i in range(depth)
                }
            )
            for s in range(num_stages)
        }
    )
