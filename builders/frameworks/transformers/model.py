"""Weights, outputs and gradients of one of Hugging Face's models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from paramproof.builders.arrays import require_allocated, require_arrays
from paramproof.builders.frameworks.transformers import encoder
from paramproof.builders.huggingface import NUMBER
from paramproof.builders.names import NameTable, Storage, storage_of
from paramproof.builders.protocol import Array, DType, Outputs
from paramproof.formulas.layout import Weight


class Family(Protocol):
    """What a file of this package says of the models it makes."""

    NAMES: NameTable
    forward: Callable[..., Outputs]


class HuggingFaceModel:
    """Any of Hugging Face's models of one family, or of those that share its names.

    ERNIE's, for example, bear BERT's.
    """

    def __init__(self, module: PreTrainedModel, family: Family = encoder) -> None:
        self.module = module.eval()
        self.family = family

    def weights(self) -> list[Weight]:
        """Every parameter once, by identity; further names of the same one are aliases.

        Buffers (``position_ids``, ``token_type_ids``) are no parameters and are left out. A
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
            return Outputs(*map(_array, self._forward(*inputs)))

    def gradients(self, *inputs: Array, cotangents: Outputs) -> dict[str, Array]:
        """The gradient of the sum of outputs times ``cotangents``."""
        pairs = zip(self._forward(*inputs), cotangents, strict=True)
        loss = sum((out * torch.as_tensor(by)).sum() for out, by in pairs if by is not None)
        trainable = {k: v for k, v in self.module.named_parameters() if v.requires_grad}
        gradients = torch.autograd.grad(loss, list(trainable.values()), allow_unused=True)
        reached = zip(trainable, gradients, strict=True)
        return {name: gradient.numpy() for name, gradient in reached if gradient is not None}

    def _forward(self, *arrays: Array) -> Outputs:
        self._require_allocated()
        return self.family.forward(self.module, *map(_tensor, arrays))

    def _require_allocated(self) -> None:
        require_allocated(not any(p.is_meta for p in self.module.parameters()))

    def _weight(self, parameter: nn.Parameter, path: str, *others: str) -> Weight:
        parts, layout = self._stored(path)
        further = [self._stored(other).parts or (other,) for other in others]
        # The second name of a tied bias stands for the same canonical tensor: no alias.
        aliases = tuple(alias for names in further for alias in names if alias not in parts)
        shape = tuple(parameter.shape)
        return Weight(path, shape, parameter.requires_grad, parts, layout, aliases)

    def _stored(self, path: str) -> Storage:
        """Within a model with heads the names of the bare one have a prefix, as bert."""
        native = path.removeprefix(f"{self.module.base_model_prefix}.")
        return storage_of(self.family.NAMES, native, NUMBER)


def _array(tensor: Tensor | None) -> Array | None:
    return None if tensor is None else tensor.numpy()


def _tensor(array: Array) -> Tensor:
    """PyTorch takes no array that is read-only or has a negative stride."""
    return torch.as_tensor(array.copy())
