"""Stacks of linear layers, which most of the constructors here return."""

from torch import nn


def linears(dim, n, bias):
    """Return ``n`` square layers; all of them have a bias, or none."""
    return nn.ModuleList([nn.Linear(dim, dim, bias=bias) for _ in range(n)])


def each(dim, n, biased):
    """Return ``n`` square layers; ``biased`` says of a layer's number whether it has a bias."""
    return nn.ModuleList([nn.Linear(dim, dim, bias=biased(i)) for i in range(n)])
