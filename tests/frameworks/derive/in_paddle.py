"""Paddle's own encoder, and a norm with statistics."""

from paramproof.builders import load

load("paddle")  # This suppresses Paddle's warning that ccache is missing.
from paddle import nn  # noqa: E402


def encoder(width=12, heads=3, layers=2, inner=20):
    return nn.TransformerEncoder(nn.TransformerEncoderLayer(width, heads, inner), layers)


def large(width=12288, heads=96, layers=4, inner=49152):
    return encoder(width, heads, layers, inner)


def normalised(width=12):
    return nn.Sequential(nn.Linear(width, 2 * width), nn.BatchNorm1D(2 * width))
