"""Constructors: code that builds a model from sizes.

``function`` makes one of a function that returns a model, and ``transformers_class`` of a class of
transformers, whose sizes are the fields of its configuration. A list in a configuration with a kind
for each layer has sizes as well: how many layers are of each kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from random import Random
from typing import Any

from paramproof.formulas.expression import Expression, expression, letter
from paramproof.tracing.instrumented.lengths import record_length
from paramproof.tracing.symbolic.symint import SymInt, plain_int
from paramproof.tracing.tensor_groups import ObservedTensor


@dataclass(frozen=True, slots=True)
class Constructor:
    """A way to build a model from sizes and to list its tensors.

    - ``sizes`` are the constructor's own sizes by name.
    - ``make`` builds a model from sizes, plain or symbolic, and allocates nothing.
    - ``read`` lists the tensors of a model; shapes are symbolic if ``tracing`` recorded them.
    - ``tracing`` records the shapes of a trace, None if the formula is read from programs.
    - ``modules`` are the packages whose code builds the model.
    - ``is_followed`` is false for code that takes only real ints, such as JAX's and Keras's: what
      it does with sizes cannot be observed.
    """

    name: str
    sizes: Mapping[str, int]
    make: Callable[[Mapping[str, int]], Any]
    read: Callable[[Any, Any], Iterable[ObservedTensor]]
    tracing: Callable[[], Any] | None
    modules: tuple[str, ...]
    versions: Mapping[str, str] = field(default_factory=dict)
    is_followed: bool = True


def require_sizes(sizes: Mapping[str, int]) -> Mapping[str, int]:
    """Return ``sizes``. Raises ``ValueError``, with one line, if one is below 1."""
    for name, value in sizes.items():
        if value < 1:
            raise ValueError(f"{name}={value} is not a size: it must be 1 or more")
    return sizes


@dataclass(frozen=True)
class LayerKinds:
    """A list at ``path`` in a config, with one entry for each of ``depth`` layers.

    The counts of ``kinds`` are sizes; all other layers are of the kind ``rest``. If no size gives
    the length of the list, ``depth`` is "" and no layer is of another kind. With ``last``, the last
    layer is of that kind. Different counts give different orders, so that a formula that holds for
    many models does not depend on the order.
    """

    path: str
    depth: str
    kinds: tuple[str, ...]
    rest: str
    last: str = ""

    @property
    def sizes(self) -> dict[str, int]:
        """The count of each kind by the name of its size, ``layer_types[full_attention]``."""
        return {f"{self.path}[{kind}]": 2 for kind in self.kinds}

    @property
    def numbers(self) -> list[Expression]:
        """The number of layers of each combination of kinds, smaller combinations first."""
        each = [letter(name) for name in self.sizes]
        if self.depth:
            each.append(letter(self.depth) - sum(each, expression(0)))
        chosen = (some for n in range(1, len(each) + 1) for some in combinations(each, n))
        return [sum(some, expression(0)) for some in chosen]

    def drawn(self, chosen: Mapping[str, Any]) -> list[str]:
        """Return a list with the ``chosen`` number of layers of each kind, in a random order.

        Raises ``ValueError`` if they are more than there are layers.
        """
        numbers = {kind: chosen[f"{self.path}[{kind}]"] for kind in self.kinds}
        counted = sum(numbers.values())
        depth = chosen[self.depth] if self.depth else counted
        counts = {kind: plain_int(number) for kind, number in numbers.items()}
        if self.depth:
            if counted >= depth:
                raise ValueError(f"{self.path} has more layers than {self.depth}")
            counts[self.rest] = plain_int(depth) - sum(counts.values())
        names = [kind for kind, number in counts.items() for _ in range(number)]
        Random(str(counts)).shuffle(names)
        if self.last in names:
            names.append(names.pop(names.index(self.last)))
        return record_length(names, depth.expression) if isinstance(depth, SymInt) else names
