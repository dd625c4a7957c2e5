"""Replacements that the faults of ``computation.py`` use, which import PyTorch."""

from functools import partial

import torch
from torch import nn
from torch.nn import functional

gelu_by_tanh = partial(functional.gelu, approximate="tanh")


class Transposed(nn.Linear):
    """A dense layer that multiplies by its kernel instead of the transposed kernel."""

    def forward(self, x):
        return functional.linear(x, self.weight.T, self.bias)


def shifted(module, inputs):
    """Shift the position ids: a pre-hook of the position table."""
    return tuple(torch.roll(positions, 1) for positions in inputs)


class WithoutResidual(nn.TransformerEncoderLayer):
    """Post-norm without the second of its two residual connections."""

    def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        attended = self._sa_block(src, src_mask, src_key_padding_mask)
        return self.norm2(self._ff_block(self.norm1(src + attended)))


def zeroed(module, inputs):
    """Set the type ids to 0: a pre-hook of the type table."""
    return tuple(torch.zeros_like(types) for types in inputs)


def inverted(module, inputs, keywords):
    """Invert the mask: a pre-hook of a layer."""
    return inputs, {"src_key_padding_mask": ~keywords["src_key_padding_mask"]}
