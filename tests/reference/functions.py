"""Functions of the papers that NumPy lacks, for real arrays and for complex steps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = Any


def erf(x: Array) -> Array:
    """Return the error function; for a complex step, use its derivative 2/√π · exp(-x²).

    The imaginary part of a complex step is so small that its square vanishes beside 1, so the
    first term of the Taylor series suffices.
    """
    values = np.frompyfunc(math.erf, 1, 1)(x.real).astype(float)
    if not np.iscomplexobj(x):
        return values
    return values + 1j * (x.imag * 2 / math.sqrt(math.pi) * np.exp(-(x.real**2)))


def gelu(x: Array) -> Array:
    """x · Φ(x), Φ the normal distribution: Hendrycks & Gimpel 2016, arXiv:1606.08415, section 2."""
    return x * (1 + erf(x / math.sqrt(2))) / 2


def gelu_new(x: Array) -> Array:
    """The same paper's approximation by tanh, ``gelu_new`` in a ``config.json``."""
    return x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2


def relu(x: Array) -> Array:
    """max(0, x): Vaswani et al. 2017, arXiv:1706.03762, section 3.3, equation 2."""
    return np.where(x.real > 0, x, 0)


def silu(x: Array) -> Array:
    """x / (1 + e⁻ˣ): the same paper, section 2; LLaMA's gate, Shazeer 2020, arXiv:2002.05202."""
    return x / (1 + np.exp(-x))


ACTIVATIONS = {"gelu": gelu, "gelu_new": gelu_new, "relu": relu, "silu": silu}


def softmax(x: Array) -> Array:
    """exp(x) over its sum, along the last axis; a score of -inf has no share."""
    powers = np.exp(x - x.real.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)
