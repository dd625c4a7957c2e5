"""Measure how far a framework is from the reference for one case, by kind of output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from paramproof.builders.protocol import Builder, BuiltModel, Outputs
from paramproof.weights.transfer import build_with, stored_tensors, to_canonical
from tests.parity.bounds import at_tokens, expected, output_bounds, slope, slope_bound
from tests.parity.cases import Case

Array = Any

FORMATS = ("sequence", "pooled", "mlm", "nsp", "gradient")


@dataclass(frozen=True)
class Difference:
    kind: str
    actual: float
    bound: float

    @property
    def explained(self) -> bool:
        return self.actual <= self.bound

    def __str__(self) -> str:
        return f"{self.kind} differs by {self.actual:.2e}, rounding explains {self.bound:.2e}"


def built(builder: Builder, case: Case) -> BuiltModel:
    return build_with(builder, case.spec, case.weights, case.numerics)


def output_differences(model: BuiltModel, case: Case, framework: str) -> Iterator[Difference]:
    reference, actual = expected(case), outputs(model, case)
    for kind, bound in output_bounds(case, framework).items():
        yield Difference(kind, largest_difference(actual[kind], reference[kind]), bound)


def slope_difference(model: BuiltModel, case: Case, framework: str) -> Difference:
    actual = dotted(gradients(model, case), case.direction)
    bound = slope_bound(case, case.direction, framework)
    return Difference("gradient", abs(actual - slope(case, case.direction)), bound)


def outputs(model: BuiltModel, case: Case) -> dict[str, Array]:
    computed = model.run(*case.inputs)._asdict()
    return at_tokens(case, {kind: x for kind, x in computed.items() if x is not None})


def gradients(model: BuiltModel, case: Case) -> dict[str, Array]:
    """Return the framework's gradients by canonical path; unused tensors may be absent."""
    cotangents = Outputs(**dict.fromkeys(Outputs._fields) | case.cotangents)
    native = model.gradients(*case.inputs, cotangents=cotangents)
    return by_tensor(case.spec, model, native)


def by_tensor(spec: Any, model: BuiltModel, native: Mapping[str, Array]) -> dict[str, Array]:
    """Return gradients by canonical path: a framework may keep several tensors in one array."""
    tensors, found = stored_tensors(spec), dict[str, Array]()
    for weight in model.weights():
        if weight.trainable and weight.path in native:
            found |= to_canonical(weight, native[weight.path], tensors, spec.head_size)
    return found


def dotted(gradient: Mapping[str, Array], direction: Mapping[str, Array]) -> float:
    return float(np.sum([np.sum(g.astype("float64") * direction[k]) for k, g in gradient.items()]))


def largest_difference(actual: Array, expected: Array) -> float:
    return float(np.max(np.abs(actual - expected)))
