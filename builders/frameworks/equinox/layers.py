"""The layers that several models have in common, and helpers that run them on every token."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from paramproof.formulas.spec import EncoderDecoderSpec, EncoderSpec, GPTSpec, Numerics

each = jax.vmap
"""Run what takes one token on every token of a sequence."""

Activation = Callable[[jax.Array], jax.Array]
ACTIVATIONS: dict[str, Activation] = {
    "gelu": partial(jax.nn.gelu, approximate=False),
    "gelu_new": partial(jax.nn.gelu, approximate=True),
    "relu": jax.nn.relu,
    "silu": jax.nn.silu,
}


class Drawing:
    """The ``dtype`` of initial values, and the random keys from which Equinox draws them.

    The layers have no option for another initialiser, so an abstract model traces the drawing. It
    uses one key for all layers, since each new key would be one more traced operation.
    """

    def __init__(self, dtype: Any, drawn: bool) -> None:
        self.dtype = dtype
        self.drawn = drawn
        self._first = jax.random.key(0)
        self._numbers = count()

    def options(self) -> dict[str, Any]:
        """Return the dtype and a new key, the arguments of a layer with random values."""
        if not self.drawn:
            return {"dtype": self.dtype, "key": self._first}
        return {
            "dtype": self.dtype,
            "key": jax.random.fold_in(self._first, next(self._numbers)),
        }


class Parts:
    """Constructors of Equinox's own layers, with all that is the same throughout a model."""

    def __init__(
        self,
        spec: EncoderSpec | EncoderDecoderSpec | GPTSpec,
        numerics: Numerics,
        drawing: Drawing,
        attention_bias: bool = True,
    ) -> None:
        self.activation = ACTIVATIONS[numerics.hidden_act]
        self.hidden_size = spec.hidden_size
        self.intermediate_size = spec.intermediate_size
        self._heads = spec.num_attention_heads
        self._eps = numerics.layer_norm_eps
        self._attention_bias = attention_bias
        self._drawing = drawing

    def attention(self) -> eqx.nn.MultiheadAttention:
        """Make an attention with its four biases, which are off by default."""
        names = ("query", "key", "value", "output")
        biases = {f"use_{name}_bias": self._attention_bias for name in names}
        options = self._drawing.options()
        return eqx.nn.MultiheadAttention(self._heads, self.hidden_size, **biases, **options)

    def linear(self, inputs: int, outputs: int, use_bias: bool = True) -> eqx.nn.Linear:
        """Make a Linear with a weight (outputs, inputs) and a bias."""
        return eqx.nn.Linear(inputs, outputs, use_bias, **self._drawing.options())

    def norm(self) -> eqx.nn.LayerNorm:
        """Make a norm of (H)."""
        return eqx.nn.LayerNorm(self.hidden_size, self._eps, dtype=self._drawing.dtype)

    def table(self, rows: int) -> eqx.nn.Embedding:
        """Make a table of (rows, H)."""
        return eqx.nn.Embedding(rows, self.hidden_size, **self._drawing.options())


class Sublayers(eqx.Module):
    """Self-attention and a feed-forward network, each with a norm; a subclass orders them."""

    attention: eqx.nn.MultiheadAttention
    attention_norm: eqx.nn.LayerNorm
    intermediate: eqx.nn.Linear
    output: eqx.nn.Linear
    feed_forward_norm: eqx.nn.LayerNorm
    activation: Activation = eqx.field(static=True)

    def __init__(self, parts: Parts) -> None:
        hidden, inner = parts.hidden_size, parts.intermediate_size
        self.attention = parts.attention()
        self.attention_norm = parts.norm()
        self.intermediate = parts.linear(hidden, inner)
        self.output = parts.linear(inner, hidden)
        self.feed_forward_norm = parts.norm()
        self.activation = parts.activation

    def feed_forward(self, x: jax.Array) -> jax.Array:
        """Return the output for one token, (H)."""
        return self.output(self.activation(self.intermediate(x)))


class Layer(Sublayers):
    """Each sublayer's output is added to its input, and the sum is normalised."""

    def __call__(self, x: jax.Array, mask: jax.Array) -> jax.Array:
        x = each(self.attention_norm)(x + self.attention(x, x, x, mask))
        return each(self.feed_forward_norm)(x + each(self.feed_forward)(x))


def so_far(x: jax.Array) -> jax.Array:
    """Return a mask, (S, S), that hides from each position of ``x`` (S, H) those after it."""
    return jnp.tril(jnp.ones((len(x), len(x)), bool))


def visible(mask: jax.Array, queries: int) -> jax.Array:
    """Return a mask, (queries, S), that shows every query the tokens, where ``mask`` is True."""
    return jnp.broadcast_to(mask, (queries, len(mask)))
