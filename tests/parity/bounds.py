"""How far a framework may be from the reference, from the arithmetic that it computes in.

The reference is run several times with a random rounding error at each step, of the unit
roundoff that the step is taken in (``tests.reference.arithmetic``). How far its results scatter
is how far rounding leads astray at this depth and width, with these weights: a norm of nearly
equal numbers amplifies errors a thousandfold, and that is no fault of a framework.

A framework's own errors are some numbers of the same kind, not the same numbers: it sums in
another order and rounds within a step as well. Hence a factor. In units of the scatter (root of
the mean square) a single normal error exceeds 6 once in 10**9; a step may round some more
times than once, of which the squares add, so twice that is allowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.parity.cases import Case
from tests.reference.arithmetic import UNIT_ROUNDOFF, MonteCarlo
from tests.reference.derivative import derivative
from tests.reference.families import forward

Array = Any

SAMPLES = 8
FACTOR = 12

FLOAT32_STEPS: dict[str, tuple[str, ...]] = {
    "flax-nnx": ("softmax",),
    "keras-bert": ("gelu",),
    "keras-jax": ("layer_norm", "rms_norm", "softmax", "tanh"),
    "keras-tensorflow": ("gelu", "gelu_new", "scale"),
    # Its matmul gives float32 and its attention is computed in it; the projections of that are
    # einsum, which is not.
    "keras-torch": (
        *("attention", "scale", "softmax"),
        *("decoder", "layer_norm", "linear", "rms_norm"),
    ),
    "transformers": ("positions", "rms_norm"),
}
"""Steps that a framework takes in float32, or with constants of float32, in float64 too."""


def arithmetic(framework: str, dtype: str, seed: int) -> MonteCarlo:
    """The arithmetic of a framework, with errors drawn from ``seed``."""
    single = dict.fromkeys(FLOAT32_STEPS.get(framework, ()), UNIT_ROUNDOFF["float32"])
    return MonteCarlo(UNIT_ROUNDOFF[dtype], np.random.default_rng(seed), single)


def expected(case: Case) -> dict[str, Array]:
    """The outputs of the reference, at tokens."""
    return at_tokens(case, forward(case.spec, case.numerics, doubled(case.weights), *case.inputs))


def slope(case: Case, direction: Mapping[str, Array], rounding: MonteCarlo | None = None) -> Array:
    """The reference's derivative of the outputs times the cotangents along ``direction``."""
    weights, direction = doubled(case.weights), doubled(direction)
    slopes = derivative(case.spec, case.numerics, weights, direction, *case.inputs, rounding)
    return np.sum([np.sum(slopes[kind] * by) for kind, by in case.cotangents.items()])


def output_bounds(case: Case, framework: str) -> dict[str, float]:
    """For each kind of output, how far it may be from ``expected``."""

    def run(rounding: MonteCarlo) -> dict[str, Array]:
        weights = doubled(case.weights)
        outputs = forward(case.spec, case.numerics, weights, *case.inputs, rounding)
        return at_tokens(case, outputs)

    samples = [run(rounding) for rounding in _roundings(case, framework)]
    return {
        kind: _bound([s[kind] for s in samples], right) for kind, right in expected(case).items()
    }


def slope_bound(case: Case, direction: Mapping[str, Array], framework: str) -> float:
    """How far a framework's gradient along ``direction`` may be from ``slope``."""
    samples = [slope(case, direction, rounding) for rounding in _roundings(case, framework)]
    return _bound(samples, slope(case, direction))


def at_tokens(case: Case, outputs: dict[str, Array]) -> dict[str, Array]:
    """``outputs`` without what they are at padding."""
    mask = case.mask
    return {kind: x[mask] if x.ndim == 3 else x for kind, x in outputs.items()}


def doubled(weights: Mapping[str, Array]) -> dict[str, Array]:
    """The same values in float64."""
    return {path: weight.astype("float64") for path, weight in weights.items()}


def _roundings(case: Case, framework: str) -> list[MonteCarlo]:
    return [arithmetic(framework, case.dtype, seed) for seed in range(SAMPLES)]


def _bound(samples: list[Array], right: Array) -> float:
    errors = [np.max(np.abs(sample - right)) for sample in samples]
    return FACTOR * float(np.sqrt(np.mean(np.square(errors))))
