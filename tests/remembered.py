"""Abstract models that are built once: their weights are remembered by spec.

For tests that look at shapes alone and come back to the same specs, as the laws do. What is
built is the framework's own; what is remembered is the list of its weights, and no model.
"""

from collections import OrderedDict
from typing import Any

from paramproof.builders.protocol import Builder, Model
from paramproof.formulas import Spec, Weight

MAX_SPECS = 1024
"""A list of weights has some kilobytes."""


class Listed:
    """The weights of a model that was built and let go."""

    def __init__(self, weights: tuple[Weight, ...]) -> None:
        self.listed = weights

    def weights(self) -> tuple[Weight, ...]:
        return self.listed


class Remembering:
    """A builder that builds no abstract model twice while it remembers its weights."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.supports = builder.supports
        self.known: OrderedDict[Spec, tuple[Weight, ...]] = OrderedDict()

    def build(self, spec: Spec, *numerics: Any, **how: Any) -> Model | Listed:
        if numerics or how:
            return self.builder.build(spec, *numerics, **how)
        if spec not in self.known:
            self.known[spec] = tuple(self.builder.build(spec).weights())
            if len(self.known) > MAX_SPECS:
                self.known.popitem(last=False)
        self.known.move_to_end(spec)
        return Listed(self.known[spec])
