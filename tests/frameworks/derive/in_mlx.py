"""MLX's own encoder, and a norm with statistics."""

from mlx import nn


def encoder(width=12, heads=3, layers=2, inner=20):
    return nn.TransformerEncoder(layers, width, heads, inner)


def large(width=12288, heads=96, layers=96, inner=49152):
    return encoder(width, heads, layers, inner)


def normalised(width=12):
    return nn.Sequential(nn.Linear(width, 2 * width), nn.BatchNorm(2 * width))
