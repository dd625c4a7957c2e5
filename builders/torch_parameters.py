"""The parameters of a PyTorch module: listed, read, written, and with their gradients.

PyTorch's own layers and Hugging Face's models differ in the names of their parameters, and in how
a forward pass is called.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import cast

import torch
from torch import Tensor, nn

from paramproof.builders.arrays import raise_if_any, require_allocated, require_arrays
from paramproof.builders.protocol import Array, DType, Outputs
from paramproof.formulas.layout import Weight

HALF = (torch.bfloat16, torch.float16)
"""Types that are read, and written, as float32."""


class TorchParameters(ABC):
    """A built model: ``module`` in evaluation mode."""

    def __init__(self, module: nn.Module) -> None:
        self.module = module.eval()

    @abstractmethod
    def weight(self, parameter: nn.Parameter, path: str, *others: str) -> Weight:
        """Return ``parameter`` as a weight with a path and its other paths."""

    @abstractmethod
    def forward(self, *inputs: Tensor) -> Outputs:
        """Return the outputs of a forward pass, as tensors."""

    def weights(self) -> list[Weight]:
        """Return every parameter once, by identity, with its other names as aliases.

        Buffers (such as ``position_ids``) are not parameters, and are left out. A frozen parameter
        (``requires_grad`` False) is listed as not trainable.
        """
        names: dict[int, list[str]] = {}
        parameters: dict[int, nn.Parameter] = {}
        for name, parameter in self.module.named_parameters(remove_duplicate=False):
            names.setdefault(id(parameter), []).append(name)
            parameters[id(parameter)] = parameter
        return [self.weight(parameters[key], *paths) for key, paths in names.items()]

    @property
    def dtype(self) -> DType:
        """The dtype of the first parameter, or float32 if that is half precision."""
        kind = next(self.module.parameters()).dtype
        name = str(torch.float32 if kind in HALF else kind).removeprefix("torch.")
        return cast("DType", name)

    def read(self) -> dict[str, Array]:
        """Return a copy of every parameter, in float32 if it is in half precision."""
        self._require_allocated()
        return {k: _array(v.detach()).copy() for k, v in self.module.named_parameters()}

    def write(self, arrays: Mapping[str, Array]) -> None:
        """Copy ``arrays`` into the parameters, which keep their storage and so their ties.

        Raises ``ValueError`` where a parameter in half precision would round them.
        """
        self._require_allocated()
        require_arrays({w.path: w.shape for w in self.weights()}, self.dtype, arrays)
        parameters = dict(self.module.named_parameters())
        rounded = {k: _rounded(arrays[k], v.dtype) for k, v in parameters.items()}
        raise_if_any([(name, what) for name, what in rounded.items() if what])
        with torch.no_grad():
            for name, parameter in parameters.items():
                parameter.copy_(_tensor(arrays[name]))

    def run(self, *inputs: Array) -> Outputs:
        """Run a forward pass in evaluation mode."""
        with torch.no_grad():
            outputs = self._outputs(*inputs)
        return Outputs(*(None if tensor is None else _array(tensor) for tensor in outputs))

    def gradients(self, *inputs: Array, cotangents: Outputs) -> dict[str, Array]:
        """Return the gradient of the sum of outputs times ``cotangents``."""
        pairs = zip(self._outputs(*inputs), cotangents, strict=True)
        loss = sum((out * torch.as_tensor(by)).sum() for out, by in pairs if by is not None)
        trainable = {k: v for k, v in self.module.named_parameters() if v.requires_grad}
        gradients = torch.autograd.grad(loss, list(trainable.values()), allow_unused=True)
        reached = zip(trainable, gradients, strict=True)
        return {name: _array(gradient) for name, gradient in reached if gradient is not None}

    def _outputs(self, *arrays: Array) -> Outputs:
        self._require_allocated()
        return self.forward(*map(_tensor, arrays))

    def _require_allocated(self) -> None:
        require_allocated(not any(p.is_meta for p in self.module.parameters()))


def _tensor(array: Array) -> Tensor:
    """Copy an array, since PyTorch refuses read-only arrays and negative strides."""
    return torch.as_tensor(array.copy())


def _array(tensor: Tensor) -> Array:
    """Return a tensor as an array. NumPy does not have bfloat16, so half precision is float32."""
    return (tensor.float() if tensor.dtype in HALF else tensor).numpy()


def _rounded(array: Array, dtype: torch.dtype) -> str:
    """Return how ``dtype`` would round the values of ``array``, "" if it would not."""
    if dtype not in HALF:
        return ""
    values = _tensor(array)
    lost = int((values.to(dtype).to(values.dtype) != values).sum())
    name = str(dtype).removeprefix("torch.")
    return f"would be rounded in {name}, {lost:,} of {values.numel():,} values" if lost else ""
