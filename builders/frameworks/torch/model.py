"""Weights, outputs and gradients of a PyTorch module, whichever model it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from paramproof.builders.arrays import raise_if_any, require_allocated, require_arrays
from paramproof.builders.names import NameTable, storage_of
from paramproof.builders.protocol import Array, DType, Outputs
from paramproof.formulas.layout import Weight

HALF = (torch.bfloat16, torch.float16)
"""Types that are read, and written, as float32."""


class TorchModel:
    """Any module of this package, or of its like: ``names`` says what a parameter holds."""

    def __init__(self, module: nn.Module) -> None:
        self.module = module.eval()
        self.names: NameTable = module.names

    def weights(self) -> list[Weight]:
        """Return every parameter once, by identity, with its other names as aliases.

        Buffers are not parameters, and are left out. A frozen parameter (``requires_grad``
        False) is listed as not trainable.
        """
        names: dict[int, list[str]] = {}
        parameters: dict[int, nn.Parameter] = {}
        for name, parameter in self.module.named_parameters(remove_duplicate=False):
            names.setdefault(id(parameter), []).append(name)
            parameters[id(parameter)] = parameter
        return [self.weight(parameters[key], *paths) for key, paths in names.items()]

    def weight(self, parameter: nn.Parameter, path: str, *others: str) -> Weight:
        """Return ``parameter`` as a weight with a path and its other paths."""
        parts, layout = storage_of(self.names, path)
        further = (storage_of(self.names, other).parts or (other,) for other in others)
        aliases = tuple(alias for parts in further for alias in parts)
        shape = tuple(parameter.shape)
        return Weight(path, shape, parameter.requires_grad, parts, layout, aliases)

    @property
    def dtype(self) -> DType:
        """The dtype of the first parameter, or float32 if that is half precision."""
        kind = next(self.module.parameters()).dtype
        name: Any = str(torch.float32 if kind in HALF else kind).removeprefix("torch.")
        return name

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
            outputs = self._forward(*inputs)
        return Outputs(**{k: None if v is None else _array(v) for k, v in outputs.items()})

    def gradients(self, *inputs: Array, cotangents: Outputs) -> dict[str, Array]:
        """Return the gradient of the sum of outputs times ``cotangents``."""
        outputs = self._forward(*inputs)
        wanted = {k: torch.as_tensor(v) for k, v in cotangents._asdict().items() if v is not None}
        loss = sum((outputs[name] * cotangent).sum() for name, cotangent in wanted.items())
        trainable = {k: v for k, v in self.module.named_parameters() if v.requires_grad}
        gradients = torch.autograd.grad(loss, list(trainable.values()), allow_unused=True)
        reached = zip(trainable, gradients, strict=True)
        return {name: _array(gradient) for name, gradient in reached if gradient is not None}

    def _forward(self, *arrays: Array) -> dict[str, Any]:
        self._require_allocated()
        return self.module(*map(_tensor, arrays))

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
