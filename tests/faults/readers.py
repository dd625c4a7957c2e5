"""Classes that the faults of ``storage.py`` put in place, which need PyTorch at hand."""

from dataclasses import replace

import torch
from torch import nn
from torch.nn import functional

from builders.frameworks.torch import TorchModel
from formulas import Weight


class ByName(TorchModel):
    """Lists what every name stands for, shared or not."""

    def weights(self):
        named = self.module.named_parameters(remove_duplicate=False)
        return [self.weight(parameter, path) for path, parameter in named]


class WithBuffers(TorchModel):
    """Lists buffers beside the parameters, as a ``state_dict()`` does."""

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


class Transposed(nn.Linear):
    """A dense layer that multiplies by its kernel instead of the transposed one."""

    def forward(self, x):
        return functional.linear(x, self.weight.T, self.bias)


def shifted(module, inputs):
    """A pre-hook of the position table."""
    return tuple(torch.roll(positions, 1) for positions in inputs)


class WithoutResidual(nn.TransformerEncoderLayer):
    """Post-norm, with the second of its two residual connections cut."""

    def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        attended = self._sa_block(src, src_mask, src_key_padding_mask)
        return self.norm2(self._ff_block(self.norm1(src + attended)))
