"""What a formula can be derived of: something that makes a model from sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from paramproof.formulas.expression import Expression
from paramproof.tracing.tensor_groups import ObservedTensor

LOOPS_OF = ("torch.nn", "keras_bert", "keras_transformer")
"""Packages that make layers in loops of their own, whatever code of the user's calls them.

The packages of PyTorch modules besides PyTorch are found by making a model: ``packages_of``.
"""


@dataclass(frozen=True, slots=True)
class Constructor:
    """A way to make a model from sizes, and to read what it has.

    ``sizes`` are those it starts from, by name. ``make`` takes such a mapping, of sizes that
    remember or of plain ints, and allocates nothing. ``read`` lists the tensors of what was made,
    with their shapes in letters where the tracing saw them. ``modules`` are the packages whose
    code makes the model. ``read_fields`` are the sizes that a model has read while it was made,
    None where nobody watched. Code that ``is_followed`` takes sizes that are no ``int``; of other
    code, as JAX's and Keras's, it is not seen what becomes of a size. ``numbers`` are
    those of layers of one kind or several, where sizes say how many there are of each.
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
