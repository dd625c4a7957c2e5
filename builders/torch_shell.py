"""The parameters of a PyTorch module: listed, read, written, and with their gradients.

PyTorch's own layers and Hugging Face's models differ in the names of their parameters, and in how
a forward pass is called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import torch
from torch import Tensor, nn

from paramproof.builders.arrays import raise_if_any
from paramproof.builders.protocol import Array, DType, Outputs
from paramproof.builders.shell import Model, each_once
from paramproof.formulas.layout import Weight

HALF = (torch.bfloat16, torch.float16)
"""Types that are read, and written, as float32."""


class TorchParameters(Model):
    """A built model: ``module`` in evaluation mode."""

    write_allocates = False

    def __init__(self, module: nn.Module) -> None:
        self.module = module.eval()

    def stored(self) -> list[Weight]:
        """Return every parameter once, by identity, with its other names as aliases.

        Buffers (such as ``position_ids``) are not parameters, and are left out. A frozen parameter
        (``requires_grad`` False) is listed as not trainable.
        """
        named = self.module.named_parameters(remove_duplicate=False)
        return [
            Weight(path, tuple(own.shape), own.requires_grad, aliases=others)
            for own, path, others in each_once(named)
        ]

    def arrays(self) -> dict[str, Tensor]:
        return dict(self.module.named_parameters())

    @property
    def dtype(self) -> DType:
        """The dtype of the first parameter, or float32 if that is half precision."""
        kind = next(self.module.parameters()).dtype
        name = str(torch.float32 if kind in HALF else kind).removeprefix("torch.")
        return cast("DType", name)

    @property
    def allocated(self) -> bool:
        return not any(parameter.is_meta for parameter in self.module.parameters())

    def assign(self, arrays: Mapping[str, Array]) -> None:
        """Copy ``arrays`` into the parameters, which keep their storage and so their ties.

        Raises ``ValueError`` where a parameter in half precision would round them.
        """
        parameters = self.arrays()
        rounded = {k: self._rounded(arrays[k], v.dtype) for k, v in parameters.items()}
        raise_if_any([(name, what) for name, what in rounded.items() if what])
        with torch.no_grad():
            for name, parameter in parameters.items():
                parameter.copy_(self.tensor(arrays[name]))

    def run(self, *inputs: Array) -> Outputs:
        with torch.no_grad():
            return super().run(*inputs)

    def outputs(self, *inputs: Tensor) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.module(*inputs)
        return found

    def gradient(self, loss: Callable[[Any], Any], *inputs: Any) -> dict[str, Tensor]:
        trainable = {k: v for k, v in self.module.named_parameters() if v.requires_grad}
        total = loss(self.outputs(*inputs))
        gradients = torch.autograd.grad(total, list(trainable.values()), allow_unused=True)
        reached = zip(trainable, gradients, strict=True)
        return {name: gradient for name, gradient in reached if gradient is not None}

    def tensor(self, array: Array) -> Tensor:
        """Copy an array, since PyTorch refuses read-only arrays and negative strides."""
        return torch.as_tensor(array.copy())

    def array(self, tensor: Tensor) -> Array:
        """Copy a tensor. NumPy does not have bfloat16, so half precision is float32."""
        values = tensor.detach()
        return (values.float() if values.dtype in HALF else values).numpy().copy()

    def _rounded(self, array: Array, dtype: torch.dtype) -> str:
        """Return how ``dtype`` would round the values of ``array``, "" if it would not."""
        if dtype not in HALF:
            return ""
        values = self.tensor(array)
        lost = int((values.to(dtype).to(values.dtype) != values).sum())
        name = str(dtype).removeprefix("torch.")
        return f"would be rounded in {name}, {lost:,} of {values.numel():,} values" if lost else ""
