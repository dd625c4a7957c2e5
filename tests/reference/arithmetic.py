"""The arithmetic of the reference: exact, or with a rounding error drawn at random at each step.

Running a computation several times with random rounding errors shows how far its results can be
off in real arithmetic of the same unit roundoff, whatever the depth, the width and the condition
of the problem: Monte Carlo arithmetic, Parker 1997, "Monte Carlo Arithmetic: exploiting
randomness in floating-point arithmetic", UCLA CSD-970002, section 4.

A sum's error grows with the sum of the magnitudes of its terms and not with its own magnitude
(Higham 2002, "Accuracy and Stability of Numerical Algorithms", section 3.1), so a step says what
magnitudes went into it. Terms are counted as in the formulas that cancel most of those in use,
such as the mean of squares less the square of the mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = Any

UNIT_ROUNDOFF = {"float32": 2.0**-24, "float64": 2.0**-53}


class Exact:
    def rounded(self, step: str, value: Array, terms: Array) -> Array:
        return value


@dataclass(frozen=True)
class MonteCarlo:
    """Add to each result an error of up to a unit roundoff of the magnitudes of its terms.

    ``units`` has the unit roundoff of each step that does not use ``unit``: a framework may
    take a step in float32 although its weights are float64.
    """

    unit: float
    random: np.random.Generator
    units: Mapping[str, float] = field(default_factory=dict)

    def rounded(self, step: str, value: Array, terms: Array) -> Array:
        unit = self.units.get(step, self.unit)
        error = terms.real * self.random.uniform(-unit, unit, terms.shape)
        if np.iscomplexobj(terms):
            error = error + 1j * (terms.imag * self.random.uniform(-unit, unit, terms.shape))
        return value + error


def magnitude(x: Array) -> Array:
    """Return the absolute value of the real part and, separately, of the imaginary part.

    Products and sums of magnitudes then have the magnitudes of the terms, of the value and of
    its derivative: an imaginary part belongs to a complex step, whose square vanishes.
    """
    return abs(x.real) + 1j * abs(x.imag) if np.iscomplexobj(x) else abs(x)
