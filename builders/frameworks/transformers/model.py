"""Weights, outputs and gradients of one of Hugging Face's models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from paramproof.builders.arrays import raise_if_any, require_allocated, require_arrays
from paramproof.builders.frameworks.transformers import encoder, gpt, llama
from paramproof.builders.names import NameTable, Storage, storage_of
from paramproof.builders.protocol import Array, DType, Outputs
from paramproof.formulas.layout import Weight

HALF = (torch.bfloat16, torch.float16)
"""Types that are read, and written, as float32."""


class Family(Protocol):
    """A file of this package: the names and the forward pass of its models."""

    NAMES: NameTable
    forward: Callable[..., Outputs]


FAMILIES: tuple[Family, ...] = (encoder, gpt, llama)


class HuggingFaceModel:
    """Any of Hugging Face's models of one family, or of those that share its names.

    ERNIE's, for example, bear BERT's, and Mistral's LLaMA's. Unless it is given, the family is
    the one to whose names most of the weights' belong.
    """

    def __init__(self, module: PreTrainedModel, family: Family | None = None) -> None:
        self.module = module.eval()
        self.family = family or max(FAMILIES, key=self._known)

    def weights(self) -> list[Weight]:
        """Return every parameter once, by identity, with its other names as aliases.

        Buffers (``position_ids``, ``token_type_ids``) are not parameters, and are left out. A
        frozen parameter (``requires_grad`` False) is listed as not trainable.
        """
        names: dict[int, list[str]] = {}
        parameters: dict[int, nn.Parameter] = {}
        for name, parameter in self.module.named_parameters(remove_duplicate=False):
            names.setdefault(id(parameter), []).append(name)
            parameters[id(parameter)] = parameter
        return [self._weight(parameters[key], *paths) for key, paths in names.items()]

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
        return Outputs(*(None if tensor is None else _array(tensor) for tensor in outputs))

    def gradients(self, *inputs: Array, cotangents: Outputs) -> dict[str, Array]:
        """Return the gradient of the sum of outputs times ``cotangents``."""
        pairs = zip(self._forward(*inputs), cotangents, strict=True)
        loss = sum((out * torch.as_tensor(by)).sum() for out, by in pairs if by is not None)
        trainable = {k: v for k, v in self.module.named_parameters() if v.requires_grad}
        gradients = torch.autograd.grad(loss, list(trainable.values()), allow_unused=True)
        reached = zip(trainable, gradients, strict=True)
        return {name: _array(gradient) for name, gradient in reached if gradient is not None}

    def _forward(self, *arrays: Array) -> Outputs:
        self._require_allocated()
        return self.family.forward(self.module, *map(_tensor, arrays))

    def _require_allocated(self) -> None:
        require_allocated(not any(p.is_meta for p in self.module.parameters()))

    def _weight(self, parameter: nn.Parameter, path: str, *others: str) -> Weight:
        parts, layout = self._stored(path)
        further = [self._stored(other).parts or (other,) for other in others]
        # The second name of a tied bias has the same canonical tensor, and is not an alias.
        aliases = tuple(alias for names in further for alias in names if alias not in parts)
        shape = tuple(parameter.shape)
        return Weight(path, shape, parameter.requires_grad, parts, layout, aliases)

    def _known(self, family: Family) -> int:
        """Return how many of the weights have a name of ``family``."""
        paths = [path for path, _ in self.module.named_parameters()]
        return sum(bool(self._stored(path, family).parts) for path in paths)

    def _stored(self, path: str, family: Family | None = None) -> Storage:
        """Return what ``path`` stores, without a prefix such as bert. in a model with heads."""
        native = path.removeprefix(f"{self.module.base_model_prefix}.")
        return storage_of((family or self.family).NAMES, native)


def _array(tensor: Tensor) -> Array:
    """Return a tensor as an array. NumPy does not have bfloat16, so half precision is float32."""
    return (tensor.float() if tensor.dtype in HALF else tensor).numpy()


def _tensor(array: Array) -> Tensor:
    """Copy an array, since PyTorch refuses read-only arrays and negative strides."""
    return torch.as_tensor(array.copy())


def _rounded(array: Array, dtype: torch.dtype) -> str:
    """Return how ``dtype`` would round the values of ``array``, "" if it would not."""
    if dtype not in HALF:
        return ""
    values = _tensor(array)
    lost = int((values.to(dtype).to(values.dtype) != values).sum())
    name = str(dtype).removeprefix("torch.")
    return f"would be rounded in {name}, {lost:,} of {values.numel():,} values" if lost else ""
