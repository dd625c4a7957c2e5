"""The steps of the encoder, each with the magnitudes of the terms that it rounds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from formulas.spec import Numerics
from tests.reference.arithmetic import magnitude
from tests.reference.functions import ACTIVATIONS, softmax

Array = Any


@dataclass(frozen=True)
class Steps:
    """Steps on arrays of shape (B, S, …), with ``weights`` by canonical path."""

    weights: Mapping[str, Array]
    numerics: Numerics
    arithmetic: Any

    def linear(self, path: str, x: Array) -> Array:
        """x·W + b."""
        kernel, bias = self.weights[f"{path}.kernel"], self.weights[f"{path}.bias"]
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
        """The activation that the numerics name; the step is called as it is."""
        name = self.numerics.hidden_act
        return self.arithmetic.rounded(name, ACTIVATIONS[name](x), magnitude(x))

    def tanh(self, x: Array) -> Array:
        """The pooler's activation, whatever the numerics."""
        return self.arithmetic.rounded("tanh", np.tanh(x), magnitude(x))

    def softmax(self, x: Array) -> Array:
        """Shares that sum to 1 along the last axis."""
        finite = np.where(np.isfinite(x.real), x, 0)
        shares = softmax(self.arithmetic.rounded("softmax", x, magnitude(finite)))
        if not np.iscomplexobj(shares):
            return self.arithmetic.rounded("softmax", shares, shares)
        # The derivative of a share p is p · (x' - Σ p·x'), which may all but cancel.
        sizes = abs(finite.imag)
        sizes = sizes + (shares.real * sizes).sum(axis=-1, keepdims=True)
        return self.arithmetic.rounded("softmax", shares, shares.real * (1 + 1j * sizes))

    def product(self, step: str, left: Array, right: Array) -> Array:
        """Matrices multiplied."""
        terms = magnitude(left) @ magnitude(right)
        return self.arithmetic.rounded(step, left @ right, terms)

    def scale(self, head_size: int) -> Array:
        """1 / √K: Vaswani et al. 2017, section 3.2.1, equation 1."""
        scale = np.array(1 / math.sqrt(head_size))
        return self.arithmetic.rounded("scale", scale, scale)

    def add(self, step: str, *summands: Array) -> Array:
        """A sum, in order."""
        return self.arithmetic.rounded(step, sum(summands), sum(map(magnitude, summands)))

    def attention(self, path: str, x: Array, mask: Array, heads: int) -> Array:
        """softmax(Q·Kᵀ / √K)·V in each head, then the output projection.

        Vaswani et al. 2017, section 3.2.1, equation 1, and 3.2.2; ``mask`` is True at the keys
        that may be attended to.
        """

        def split(name: str) -> Array:
            """(B, S, H) to (B, A, S, K): head a has the a-th K columns."""
            projected = self.linear(f"{path}.{name}", x)
            return projected.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)

        query, key, value = split("query"), split("key"), split("value")
        scores = self.product("attention", query, key.transpose(0, 1, 3, 2))
        scores = scores * self.scale(query.shape[-1])
        shares = self.softmax(np.where(mask[:, None, None, :], scores, -np.inf))
        attended = self.product("attention", shares, value).transpose(0, 2, 1, 3).reshape(x.shape)
        return self.linear(f"{path}.output", attended)
