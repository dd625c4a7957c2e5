"""Constructors: code that builds a model from sizes.

``function`` makes one of a function that returns a model, and ``model_class`` of a class of
transformers, whose sizes are the fields of its configuration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from paramproof.formulas.derivation import Role
from paramproof.tracing.tensor_groups import ObservedTensor


@dataclass(frozen=True, slots=True)
class Constructor:
    """A way to build a model from sizes and to list its tensors.

    - ``sizes`` are the constructor's own sizes by name.
    - ``make`` builds a model from sizes, and allocates nothing.
    - ``read`` lists the tensors of a model.
    - ``modules`` are the packages whose code builds the model.
    - ``function`` is what ``make`` calls, if its code can be followed with every size unknown.
    """

    name: str
    sizes: Mapping[str, int]
    make: Callable[[Mapping[str, int]], Any]
    read: Callable[[Any], Iterable[ObservedTensor]]
    modules: tuple[str, ...]
    versions: Mapping[str, str] = field(default_factory=dict)
    function: Callable[..., Any] | None = None


def require_sizes(sizes: Mapping[str, int]) -> Mapping[str, int]:
    """Return ``sizes``. Raises ``ValueError``, with one line, if one is below 1."""
    for name, value in sizes.items():
        if value < 1:
            raise ValueError(f"{name}={value} is not a size: it must be 1 or more")
    return sizes


def torch_tensors(module: Any) -> Iterator[ObservedTensor]:
    """Yield every parameter of a PyTorch module, with further names as aliases, and every buffer.

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
