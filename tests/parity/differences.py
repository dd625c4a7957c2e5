"""How far a framework is from the reference, kind by kind, for one case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from paramproof.builders.protocol import Builder, Model, Outputs
from paramproof.weights.canonical import stored_tensors, to_canonical
from paramproof.weights.transfer import build_with
from tests.parity.bounds import at_tokens, expected, output_bounds, slope, slope_bound
from tests.parity.cases import Case

Array = Any

FORMATS = ("sequence", "pooled", "mlm", "nsp", "gradient")


@dataclass(frozen=True)
class Difference:
    """The largest difference of one kind, and what rounding explains."""

    kind: str
    found: float
    bound: float

    @property
    def explained(self) -> bool:
        """Whether rounding explains it; NaN is explained by nothing."""
        return self.found <= self.bound

    def __str__(self) -> str:
        """With the kind, as a failure shows it."""
        return f"{self.kind} differs by {self.found:.2e}, rounding explains {self.bound:.2e}"


def built(builder: Builder, case: Case) -> Model:
    """The framework's model of ``case``, with its weights."""
    return build_with(builder, case.spec, case.weights, case.numerics)


def output_differences(model: Model, case: Case, framework: str) -> Iterator[Difference]:
    """One for each kind of output that the case has."""
    right, found = expected(case), outputs(model, case)
    for kind, bound in output_bounds(case, framework).items():
        yield Difference(kind, farthest(found[kind], right[kind]), bound)


def slope_difference(model: Model, case: Case, framework: str) -> Difference:
    """Of the gradient along the case's direction in the space of all weights."""
    found = dotted(gradients(model, case), case.direction)
    bound = slope_bound(case, case.direction, framework)
    return Difference("gradient", abs(found - slope(case, case.direction)), bound)


def outputs(model: Model, case: Case) -> dict[str, Array]:
    """What the framework computes, at tokens."""
    computed = model.run(*case.inputs)._asdict()
    return at_tokens(case, {kind: x for kind, x in computed.items() if x is not None})


def gradients(model: Model, case: Case) -> dict[str, Array]:
    """The framework's gradient by canonical path; what no output depends on may be absent."""
    cotangents = Outputs(**dict.fromkeys(Outputs._fields) | case.cotangents)
    native = model.gradients(*case.inputs, cotangents=cotangents)
    found: dict[str, Array] = {}
    for weight in model.weights():
        if weight.path in native:
            tensors, array = stored_tensors(case.spec), native[weight.path]
            found |= to_canonical(weight, array, tensors, case.spec.head_size)
    return found


def dotted(gradient: Mapping[str, Array], direction: Mapping[str, Array]) -> float:
    """The gradient along ``direction``, summed in float64."""
    return float(np.sum([np.sum(g.astype("float64") * direction[k]) for k, g in gradient.items()]))


def farthest(found: Array, right: Array) -> float:
    """The largest difference; NaN where there is one."""
    return float(np.max(np.abs(found - right)))
