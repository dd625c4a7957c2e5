"""Constructors: code that builds a model from sizes.

``function`` makes one of a function that returns a model, and ``model_class`` of a class of
transformers, whose sizes are the fields of its configuration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

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
