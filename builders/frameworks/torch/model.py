"""Weights, outputs and gradients of a PyTorch module, whichever model it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from paramproof.builders.arrays import require_allocated, require_arrays
from paramproof.builders.frameworks.torch.names import NUMBER
from paramproof.builders.names import NameTable, storage_of
from paramproof.builders.protocol import Array, DType, Outputs
from paramproof.formulas.layout import Weight


class TorchModel:
    """Any module of this package, or of its like: ``names`` says what a parameter holds."""

    def __init__(self, module: nn.Module) -> None:
        self.module = module.eval()
        self.names: NameTable = module.names

    def weights(self) -> list[Weight]:
        """Every parameter once, by identity; further names of the same one are aliases.

        Buffers are no parameters and are left out. A frozen parameter (``requires_grad``
        False) is listed as not trainable.
        """
        names: dict[int, list[str]] = {}
        parameters: dict[int, nn.Parameter] = {}
        for name, parameter in self.module.named_parameters(remove_duplicate=False):
            names.setdefault(id(parameter), []).append(name)
            parameters[id(parameter)] = parameter
        return [self.weight(parameters[key], *paths) for key, paths in names.items()]

    def weight(self, parameter: nn.Parameter, path: str, *others: str) -> Weight:
        """The weight that ``parameter`` is, under a path and further ones."""
        parts, layout = storage_of(self.names, path, NUMBER)
        further = (storage_of(self.names, other, NUMBER).parts or (other,) for other in others)
        aliases = tuple(alias for parts in further for alias in parts)
        shape = tuple(parameter.shape)
        return Weight(path, shape, parameter.requires_grad, parts, layout, aliases)

    @property
    def dtype(self) -> DType:
        """That of the first parameter."""
        kind: Any = str(next(self.module.parameters()).dtype).removeprefix("torch.")
        return kind

    def read(self) -> dict[str, Array]:
        """A copy of every parameter."""
        self._require_allocated()
        return {k: v.detach().numpy().copy() for k, v in self.module.named_parameters()}

    def write(self, arrays: Mapping[str, Array]) -> None:
        """Copy ``arrays`` into the parameters, which keep their storage and so their ties."""
        self._require_allocated()
        require_arrays({w.path: w.shape for w in self.weights()}, self.dtype, arrays)
        with torch.no_grad():
            for name, parameter in self.module.named_parameters():
                parameter.copy_(_tensor(arrays[name]))

    def run(self, *inputs: Array) -> Outputs:
        """A forward pass, evaluating."""
        with torch.no_grad():
            outputs = self._forward(*inputs)
        return Outputs(**{k: None if v is None else v.numpy() for k, v in outputs.items()})

    def gradients(self, *inputs: Array, cotangents: Outputs) -> dict[str, Array]:
        """The gradient of the sum of outputs times ``cotangents``."""
        outputs = self._forward(*inputs)
        wanted = {k: torch.as_tensor(v) for k, v in cotangents._asdict().items() if v is not None}
        loss = sum((outputs[name] * cotangent).sum() for name, cotangent in wanted.items())
        trainable = {k: v for k, v in self.module.named_parameters() if v.requires_grad}
        gradients = torch.autograd.grad(loss, list(trainable.values()), allow_unused=True)
        reached = zip(trainable, gradients, strict=True)
        return {name: gradient.numpy() for name, gradient in reached if gradient is not None}

    def _forward(self, *arrays: Array) -> dict[str, Any]:
        self._require_allocated()
        return self.module(*map(_tensor, arrays))

    def _require_allocated(self) -> None:
        require_allocated(not any(p.is_meta for p in self.module.parameters()))


def _tensor(array: Array) -> Tensor:
    """PyTorch takes no array that is read-only or has a negative stride."""
    return torch.as_tensor(array.copy())
