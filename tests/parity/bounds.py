"""Bounds on the distance of a framework from the reference, from its floating-point arithmetic.

The reference runs several times with a random rounding error at each step, of the unit
roundoff that the framework has at that step (``tests.reference.arithmetic``). The scatter of its
results is the effect of rounding at this depth and width, with these weights: a norm of nearly
equal numbers amplifies errors a thousandfold without any fault of a framework.

A framework makes errors of the same kind but not the same errors: it sums in another order
and rounds within a step as well. Hence a factor. In units of the scatter (root mean square)
a single normal error exceeds 6 once in 10**9; a step may round a few more
times than once, whose squares add up, so twice that is allowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.parity.cases import Case
from tests.reference.arithmetic import UNIT_ROUNDOFF, MonteCarlo
from tests.reference.models import derivative, forward
from tests.selection import registered

Array = Any

SAMPLES = 8
FACTOR = 12


def arithmetic(framework: str, dtype: str, seed: int) -> MonteCarlo:
    """Return the arithmetic of a framework, or of exact steps if "", with errors from ``seed``."""
    steps = registered(framework).float32_steps if framework else ()
    single = dict.fromkeys(steps, UNIT_ROUNDOFF["float32"])
    return MonteCarlo(UNIT_ROUNDOFF[dtype], np.random.default_rng(seed), single)


def expected(case: Case, rounding: MonteCarlo | None = None) -> dict[str, Array]:
    given = (case.spec, case.numerics, doubled(case.weights), *case.inputs)
    return at_tokens(case, forward(*given, arithmetic=rounding))


def slope(case: Case, direction: Mapping[str, Array], rounding: MonteCarlo | None = None) -> Array:
    weights, direction = doubled(case.weights), doubled(direction)
    given = (case.spec, case.numerics, weights, direction, *case.inputs)
    slopes = derivative(*given, arithmetic=rounding)
    return np.sum([np.sum(slopes[kind] * by) for kind, by in case.cotangents.items()])


def output_bounds(case: Case, framework: str) -> dict[str, float]:
    samples = [expected(case, rounding) for rounding in _roundings(case, framework)]
    return {
        kind: _bound([s[kind] for s in samples], right) for kind, right in expected(case).items()
    }


def slope_bound(case: Case, direction: Mapping[str, Array], framework: str) -> float:
    samples = [slope(case, direction, rounding) for rounding in _roundings(case, framework)]
    return _bound(samples, slope(case, direction))


def at_tokens(case: Case, outputs: dict[str, Array]) -> dict[str, Array]:
    mask = case.mask
    return {kind: x[mask] if x.ndim == 3 else x for kind, x in outputs.items()}


def doubled(weights: Mapping[str, Array]) -> dict[str, Array]:
    return {path: weight.astype("float64") for path, weight in weights.items()}


def _roundings(case: Case, framework: str) -> list[MonteCarlo]:
    return [arithmetic(framework, case.dtype, seed) for seed in range(SAMPLES)]


def _bound(samples: list[Array], right: Array) -> float:
    errors = [np.max(np.abs(sample - right)) for sample in samples]
    return FACTOR * float(np.sqrt(np.mean(np.square(errors))))
