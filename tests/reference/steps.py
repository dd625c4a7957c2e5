"""The functions of the papers, and the steps of a model with the magnitudes that they round.

Functions take real arrays and complex steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from paramproof.formulas.spec import Numerics
from tests.reference.arithmetic import magnitude

Array = Any
Rotate = Callable[[Array], Array]


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


@dataclass(frozen=True)
class Steps:
    weights: Mapping[str, Array]
    numerics: Numerics
    arithmetic: Any

    def linear(self, path: str, x: Array) -> Array:
        kernel, bias = self.weights[f"{path}.kernel"], self.weights.get(f"{path}.bias", 0.0)
        terms = magnitude(x) @ magnitude(kernel) + magnitude(bias)
        return self.arithmetic.rounded("linear", x @ kernel + bias, terms)

    def layer_norm(self, path: str, x: Array) -> Array:
        """g · (x - μ) / √(σ² + ε) + b: Ba et al. 2016, arXiv:1607.06450, section 3, equation 4.

        The paper has no ε; Devlin's code adds it to the variance.
        """
        scale, bias = self.weights[f"{path}.scale"], self.weights[f"{path}.bias"]
        rounded = self.arithmetic.rounded
        mean = x.mean(axis=-1, keepdims=True)
        centred = rounded("layer_norm", x - mean, magnitude(x) + magnitude(mean))
        squares = (magnitude(x) ** 2).mean(axis=-1, keepdims=True)
        variance = rounded("layer_norm", (centred**2).mean(axis=-1, keepdims=True), squares)
        # A rounded variance may fall below 0; no formula in use lets it.
        variance = np.where(variance.real > 0, variance, 0)
        inverse = 1 / np.sqrt(variance + self.numerics.layer_norm_eps)
        terms = magnitude(centred) * magnitude(inverse) * magnitude(scale) + magnitude(bias)
        return rounded("layer_norm", centred * inverse * scale + bias, terms)

    def activation(self, x: Array) -> Array:
        name = self.numerics.hidden_act
        return self.arithmetic.rounded(name, ACTIVATIONS[name](x), magnitude(x))

    def tanh(self, x: Array) -> Array:
        """Apply the pooler's activation, whatever the numerics."""
        return self.arithmetic.rounded("tanh", np.tanh(x), magnitude(x))

    def softmax(self, x: Array) -> Array:
        """Return shares that sum to 1 along the last axis."""
        finite = np.where(np.isfinite(x.real), x, 0)
        shares = softmax(self.arithmetic.rounded("softmax", x, magnitude(finite)))
        if not np.iscomplexobj(shares):
            return self.arithmetic.rounded("softmax", shares, shares)
        # The derivative of a share p is p · (x' - Σ p·x'), which may nearly cancel.
        sizes = abs(finite.imag)
        sizes = sizes + (shares.real * sizes).sum(axis=-1, keepdims=True)
        return self.arithmetic.rounded("softmax", shares, shares.real * (1 + 1j * sizes))

    def product(self, step: str, left: Array, right: Array) -> Array:
        terms = magnitude(left) @ magnitude(right)
        return self.arithmetic.rounded(step, left @ right, terms)

    def scale(self, head_size: int) -> Array:
        """1 / √K: Vaswani et al. 2017, section 3.2.1, equation 1."""
        scale = np.array(1 / math.sqrt(head_size))
        return self.arithmetic.rounded("scale", scale, scale)

    def add(self, step: str, *summands: Array) -> Array:
        return self.arithmetic.rounded(step, sum(summands), sum(map(magnitude, summands)))

    def rms_norm(self, path: str, x: Array) -> Array:
        """g · x / √(mean of x² + ε): Zhang & Sennrich 2019, arXiv:1910.07467, equation 4.

        The paper has no ε; LLaMA's code adds it to the mean square.
        """
        scale, rounded = self.weights[f"{path}.scale"], self.arithmetic.rounded
        squares = (magnitude(x) ** 2).mean(axis=-1, keepdims=True)
        mean_square = rounded("rms_norm", (x**2).mean(axis=-1, keepdims=True), squares)
        mean_square = np.where(mean_square.real > 0, mean_square, 0)
        inverse = 1 / np.sqrt(mean_square + self.numerics.layer_norm_eps)
        terms = magnitude(x) * magnitude(inverse) * magnitude(scale)
        return rounded("rms_norm", x * inverse * scale, terms)

    def feed_forward(self, path: str, x: Array) -> Array:
        """max(0, x·W₁ + b₁)·W₂ + b₂, or another activation: Vaswani et al. 2017, section 3.3."""
        inner = self.activation(self.linear(f"{path}.intermediate", x))
        return self.linear(f"{path}.output", inner)

    def attention(
        self,
        path: str,
        x: Array,
        visible: Array,
        heads: int,
        *,
        memory: Array | None = None,
        key_value_heads: int | None = None,
        rotate: Rotate = lambda x: x,
    ) -> Array:
        """Return softmax(Q·Kᵀ / √K)·V in each head, then the output projection.

        Vaswani et al. 2017, section 3.2.1, equation 1, and 3.2.2; ``visible`` is True at the
        keys that may be attended to, (B or 1, 1, S or 1, T). Keys and values come from ``memory``,
        or from ``x``. With fewer ``key_value_heads``, queries share them in equal groups (Ainslie
        et al. 2023, arXiv:2305.13245, section 2.2). ``rotate`` is applied to queries and keys.
        """

        def split(name: str, x: Array, heads: int) -> Array:
            # (B, S, A·K) to (B, A, S, K): head a has the a-th K columns.
            projected = self.linear(f"{path}.{name}", x)
            return projected.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)

        memory = x if memory is None else memory
        groups = key_value_heads or heads
        query = rotate(split("query", x, heads))
        key, value = rotate(split("key", memory, groups)), split("value", memory, groups)
        key, value = (np.repeat(each, heads // groups, axis=1) for each in (key, value))
        scores = self.product("attention", query, key.transpose(0, 1, 3, 2))
        scores = scores * self.scale(query.shape[-1])
        shares = self.softmax(np.where(visible, scores, -np.inf))
        attended = self.product("attention", shares, value).transpose(0, 2, 1, 3)
        return self.linear(f"{path}.output", attended.reshape(*x.shape[:2], -1))
