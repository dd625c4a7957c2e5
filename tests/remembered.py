"""A cache of abstract models: each spec is built once, and its list of weights is kept.

For tests that look only at shapes and build the same specs repeatedly, as the laws do. The
framework builds the model; the cache keeps its weights, and not the model itself.
"""

from functools import lru_cache
from typing import Any

from paramproof.builders.protocol import Builder, BuiltModel
from paramproof.formulas import Spec, Weight

MAX_SPECS = 1024
"""A list of weights takes some kilobytes."""


class Listed:
    def __init__(self, weights: tuple[Weight, ...]) -> None:
        self.listed = weights

    def weights(self) -> tuple[Weight, ...]:
        return self.listed


class Remembering:
    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.supports = builder.supports
        self.listed = lru_cache(MAX_SPECS)(self.build_listed)

    def build(self, spec: Spec, *numerics: Any, **how: Any) -> BuiltModel | Listed:
        if numerics or how:
            return self.builder.build(spec, *numerics, **how)
        return self.listed(spec)

    def build_listed(self, spec: Spec) -> Listed:
        return Listed(tuple(self.builder.build(spec).weights()))
