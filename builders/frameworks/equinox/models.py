"""Equinox's own layers, which take one token, or one sequence, and here every token.

LLaMA has its own attention, since Equinox's has as many key heads as query heads, and its own
rotation: ``eqx.nn.RotaryPositionalEmbedding`` caches its angles by size and dtype, but not by
theta, so a second model with another theta would get the angles of the first.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import count
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from paramproof.builders import composition
from paramproof.builders.jax_shell import ACTIVATIONS, Activation, JaxModule, rotated
from paramproof.builders.names import ModuleNames
from paramproof.formulas.spec import EncoderDecoderSpec, EncoderSpec, Numerics, Spec

NAMES = ModuleNames(
    transposed=True, projections=("query_proj", "key_proj", "value_proj", "output_proj")
).families()


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
        new = self.drawn
        key = jax.random.fold_in(self._first, next(self._numbers)) if new else self._first
        return {"dtype": self.dtype, "key": key}


class Linear(eqx.nn.Linear):
    def __call__(self, x: jax.Array) -> jax.Array:
        return each(super().__call__, x)


class LayerNorm(eqx.nn.LayerNorm):
    def __call__(self, x: jax.Array) -> jax.Array:
        return each(super().__call__, x)


class RMSNorm(eqx.nn.RMSNorm):
    def __call__(self, x: jax.Array) -> jax.Array:
        return each(super().__call__, x)


class Embedding(eqx.nn.Embedding):
    def __call__(self, ids: jax.Array) -> jax.Array:
        return jax.vmap(super().__call__)(ids)


class Attention(eqx.nn.MultiheadAttention):
    def __call__(self, query: jax.Array, key: jax.Array, *, mask: jax.Array) -> jax.Array:
        return super().__call__(query, key, key, mask)


def each(layer: Callable[[jax.Array], jax.Array], x: jax.Array) -> jax.Array:
    """Run a layer that takes one token on every token of a sequence, or on one that is alone."""
    return layer(x) if x.ndim == 1 else jax.vmap(layer)(x)


class Module(JaxModule, eqx.Module):
    """The base of composed models in Equinox, which run one sequence."""

    @staticmethod
    def attributes(kind: type) -> dict[str, Any]:
        """Return the fields, since an Equinox module has no other attributes."""
        own = (vars(base).get("__annotations__", {}) for base in kind.__mro__)
        return {"__annotations__": {name: of for some in own for name, of in some.items()}}

    def so_far(self, x: jax.Array) -> jax.Array:
        return so_far(x)

    def visible(self, mask: jax.Array, x: jax.Array) -> jax.Array:
        return jnp.broadcast_to(mask, (len(x), len(mask)))


def so_far(x: jax.Array) -> jax.Array:
    """Return a mask, (S, S), that hides from each position of ``x`` (S, H) those after it."""
    return jnp.tril(jnp.ones((len(x), len(x)), bool))


class Parts(composition.Parts):
    """Makes Equinox's layers."""

    module = Module
    activations = ACTIVATIONS

    def __init__(self, spec: Any, numerics: Numerics, *, drawing: Drawing) -> None:
        super().__init__(spec, numerics)
        self.drawing = drawing

    def table(self, rows: int) -> Embedding:
        return Embedding(rows, self.spec.hidden_size, **self.drawing.options())

    def norm(self) -> LayerNorm:
        return LayerNorm(self.spec.hidden_size, self.eps, dtype=self.drawing.dtype)

    def rms_norm(self) -> RMSNorm:
        # Equinox's has a bias by default.
        width = self.spec.hidden_size
        return RMSNorm(width, self.eps, use_bias=False, dtype=self.drawing.dtype)

    def linear(self, inputs: int, outputs: int, bias: bool = True) -> Linear:
        return Linear(inputs, outputs, bias, **self.drawing.options())

    def share(self, model: Any, name: str, layer: Embedding) -> None:
        # ``Shared`` ties them, once the whole model is there.
        setattr(model, name, self.table(self.spec.vocab_size))

    def lm_head(self, words: Embedding, vocab_size: int) -> Linear:
        return self.linear(self.spec.hidden_size, vocab_size, bias=False)

    def mlm_head(self) -> MlmHead:
        return MlmHead(self)

    def attention(self) -> Attention:
        # Its four biases are off by default.
        names = ("query", "key", "value", "output")
        biases = {f"use_{name}_bias": self.attention_bias for name in names}
        heads, width = self.spec.num_attention_heads, self.spec.hidden_size
        return Attention(heads, width, **biases, **self.drawing.options())

    def grouped_attention(self) -> GroupedQueryAttention:
        return GroupedQueryAttention(self)


class MlmHead(Module):
    """Scores for every token, by a decoder that ``Shared`` may tie to the token table."""

    dense: Linear
    norm: LayerNorm
    decoder: Linear
    activation: Activation

    def __init__(self, own: Parts) -> None:
        hidden = own.spec.hidden_size
        self.dense = own.linear(hidden, hidden)
        self.norm = own.norm()
        self.decoder = own.linear(hidden, own.spec.vocab_size)
        self.activation = own.activation

    def run(self, x: jax.Array, words: Embedding) -> jax.Array:
        return self.decoder(self.norm(self.activation(self.dense(x))))


class GroupedQueryAttention(eqx.Module):
    """Causal attention in which A / G query heads share the key and the value of one head.

    Source: Ainslie et al. 2023, arXiv:2305.13245, section 2.2.
    """

    query_proj: Linear
    key_proj: Linear
    value_proj: Linear
    output_proj: Linear
    head_dim: int = eqx.field(static=True)
    rope_theta: float = eqx.field(static=True)

    def __init__(self, own: Parts) -> None:
        spec = own.spec
        hidden, queries = spec.hidden_size, spec.num_attention_heads * spec.head_dim
        keys = spec.num_key_value_heads * spec.head_dim
        self.query_proj = own.linear(hidden, queries, bias=False)
        self.key_proj = own.linear(hidden, keys, bias=False)
        self.value_proj = own.linear(hidden, keys, bias=False)
        self.output_proj = own.linear(queries, hidden, bias=False)
        self.head_dim = spec.head_dim
        self.rope_theta = own.theta

    def __call__(self, x: jax.Array) -> jax.Array:
        projections = (self.query_proj, self.key_proj, self.value_proj)
        query, key, value = (
            project(x).reshape(len(x), -1, self.head_dim) for project in projections
        )
        query, key = rotated(query, self.rope_theta), rotated(key, self.rope_theta)
        # Not jax.nn.dot_product_attention, which takes the softmax in float32, in float64 too.
        query = query.reshape(*key.shape[:2], -1, self.head_dim)
        scores = jnp.einsum("sgnk,tgk->gnst", query, key) / math.sqrt(self.head_dim)
        shares = jax.nn.softmax(jnp.where(so_far(x), scores, -jnp.inf))
        attended = jnp.einsum("gnst,tgk->sgnk", shares, value)
        return self.output_proj(attended.reshape(len(x), -1))


MODULES = composition.families(Parts, NAMES)


def ties(spec: Spec) -> dict[str, str]:
    """Return what ``eqx.nn.Shared`` ties: places of the tree, with the place of the array."""
    if isinstance(spec, EncoderSpec):
        tied = spec.mlm_head and spec.tie_word_embeddings
        return {"mlm_head.decoder.weight": "word_embeddings.weight"} if tied else {}
    shares = isinstance(spec, EncoderDecoderSpec) and spec.share_embeddings
    source, target = "source_words.weight", "target_words.weight"
    words = "word_embeddings.weight"
    if isinstance(spec, EncoderDecoderSpec):
        words = source if shares else target
    return ({target: source} if shares else {}) | (
        {"lm_head.weight": words} if spec.tie_word_embeddings else {}
    )
