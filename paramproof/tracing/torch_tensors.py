"""List the parameters and buffers of a PyTorch module."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import nn

from paramproof.formulas.derivation import Role
from paramproof.tracing.tensor_groups import ObservedTensor


def observed_tensors(module: nn.Module) -> Iterator[ObservedTensor]:
    """Yield every parameter, with further names as aliases, then every buffer.

    Raises ``ValueError`` for a parameter without a shape.
    """
    names: dict[int, list[str]] = {}
    parameters: dict[int, torch.Tensor] = {}
    roles: dict[int, Role] = {}
    for name, parameter in module.named_parameters(remove_duplicate=False):
        if type(parameter).__name__ == "UninitializedParameter":
            raise ValueError(f"{name} has no shape yet: the module is lazy")
        names.setdefault(id(parameter), []).append(name)
        parameters[id(parameter)] = parameter
        roles[id(parameter)] = "trainable" if parameter.requires_grad else "frozen"
    for name, buffer in module.named_buffers(remove_duplicate=False):
        names.setdefault(id(buffer), []).append(name)
        parameters[id(buffer)] = buffer
        roles[id(buffer)] = "buffer"
    for key, tensor in parameters.items():
        path, *aliases = names[key]
        yield ObservedTensor(path, tuple(tensor.shape), roles[key], tuple(aliases))
