"""Layers, some of which are made of wide or deep models only."""

import torch
from torch import nn

from .sizes import TABLE, levels


class Gate(nn.Module):
    def __init__(self, dim, depth):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(dim, dim) for _ in range(depth)])
        if int(dim) >= 4096:
            self.proj = nn.Linear(dim, dim)


class Stack(nn.Module):
    def __init__(self, dim, depth):
        super().__init__()
        self.blocks = nn.ModuleList()
        for i in range(depth):
            block = nn.ModuleDict({"linear": nn.Linear(dim, dim)})
            if i >= 100:
                block["norm"] = nn.LayerNorm(dim)
            self.blocks.append(block)


class Tower(nn.Module):
    """Each option is one way of deciding about the biases."""

    def __init__(self, dim, depth, by):
        super().__init__()
        self.dim, self.made = dim, 0
        self.layers = nn.ModuleList(
            [nn.Linear(dim, dim, bias=getattr(self, by)(i)) for i in range(depth)]
        )

    def root(self, _):
        return self.dim**0.5 < 70

    def levels(self, _):
        return levels(self.dim) < 13

    def counter(self, _):
        self.made += 1
        return self.made <= 100

    def table(self, i):
        return TABLE[int(i)]

    def name(self, i):
        return f"layer{i}" != "layer150"

    def tensor(self, _):
        return torch.tensor(self.dim, device="cpu").item() < 4000
