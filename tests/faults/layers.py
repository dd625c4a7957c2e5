"""Layers and readings that faults put in place of the right ones; they import PyTorch."""

from dataclasses import replace
from functools import partial

import torch
from torch import nn
from torch.nn import functional

from paramproof.builders.frameworks.torch import TorchModel
from paramproof.formulas import Weight

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


class ByName(TorchModel):
    """Lists the tensor of every name, shared or not."""

    def stored(self):
        named = self.module.named_parameters(remove_duplicate=False)
        return [Weight(path, tuple(own.shape), own.requires_grad) for path, own in named]


class WithBuffers(TorchModel):
    """Lists buffers with the parameters, as a ``state_dict()`` does."""

    def weights(self):
        buffers = self.module.named_buffers()
        return [
            *super().weights(),
            *(Weight(path, tuple(buffer.shape), True, ()) for path, buffer in buffers),
        ]


class AllTrainable(TorchModel):
    """Takes every parameter for trainable."""

    def weights(self):
        return [replace(weight, trainable=True) for weight in super().weights()]
