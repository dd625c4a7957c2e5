"""List the parameters and buffers of a PyTorch module."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from paramproof.formulas.derivation import Role
from paramproof.tracing.tensor_groups import ObservedTensor


def observed_tensors(module: Any) -> Iterator[ObservedTensor]:
    """Yield every parameter, with further names as aliases, then every buffer.

    Raises ``ValueError`` for a parameter without a shape.
    """
    found: dict[int, tuple[Any, Role, list[str]]] = {}
    for name, parameter in module.named_parameters(remove_duplicate=False):
        if type(parameter).__name__ == "UninitializedParameter":
            raise ValueError(f"{name} has no shape yet: the module is lazy")
        role: Role = "trainable" if parameter.requires_grad else "frozen"
        found.setdefault(id(parameter), (parameter, role, []))[2].append(name)
    for name, buffer in module.named_buffers(remove_duplicate=False):
        found.setdefault(id(buffer), (buffer, "buffer", []))[2].append(name)
    for tensor, role, (path, *aliases) in found.values():
        yield ObservedTensor(path, tuple(tensor.shape), role, tuple(aliases))
