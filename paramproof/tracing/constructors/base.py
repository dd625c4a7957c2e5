"""A constructor: code that builds a model from sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from paramproof.formulas.expression import Expression
from paramproof.tracing.tensor_groups import ObservedTensor


@dataclass(frozen=True, slots=True)
class Constructor:
    """A way to build a model from sizes and to list its tensors.

    - ``sizes`` are the constructor's own sizes by name.
    - ``make`` builds a model from sizes, plain or symbolic, and allocates nothing.
    - ``read`` lists the tensors of a model; shapes are symbolic if ``tracing`` recorded them.
    - ``modules`` are the packages whose code builds the model.
    - ``read_fields`` returns the sizes that a trace has read, None if reads were not watched.
    - ``is_followed`` is false for code that takes only real ints, such as JAX's and Keras's: what
      it does with sizes cannot be observed.
    - ``numbers`` are expressions for the number of layers of one or several kinds.
    """

    name: str
    sizes: Mapping[str, int]
    make: Callable[[Mapping[str, int]], Any]
    read: Callable[[Any, Any], Iterable[ObservedTensor]]
    tracing: Callable[[], Any]
    modules: tuple[str, ...]
    versions: Mapping[str, str] = field(default_factory=dict)
    read_fields: Callable[[], frozenset[str] | None] = lambda: None
    is_followed: bool = True
    numbers: tuple[Expression, ...] = ()


def require_sizes(sizes: Mapping[str, int]) -> Mapping[str, int]:
    """Return ``sizes``. Raises ``ValueError``, with one line, if one is below 1."""
    for name, value in sizes.items():
        if value < 1:
            raise ValueError(f"{name}={value} is not a size: it must be 1 or more")
    return sizes
