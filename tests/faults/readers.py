"""Misreadings of a model, for the faults of ``storage.py``; they import PyTorch."""

from dataclasses import replace

from paramproof.builders.frameworks.torch import TorchModel
from paramproof.formulas import Weight


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
