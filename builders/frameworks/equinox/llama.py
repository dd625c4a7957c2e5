"""LLaMA, with its own attention, since Equinox's has as many key heads as query heads.

It also has its own rotation: ``eqx.nn.RotaryPositionalEmbedding`` caches its angles by size and
dtype, but not by theta, so a second model with another theta would get the angles of the first.
"""

from __future__ import annotations

import math

import equinox as eqx
import jax
import jax.numpy as jnp

from paramproof.builders.frameworks.equinox.layers import (
    ACTIVATIONS,
    Activation,
    Drawing,
    each,
    so_far,
)
from paramproof.builders.frameworks.equinox.names import names
from paramproof.formulas.spec import LlamaSpec, Numerics

NAMES = {
    **names.table("word_embeddings", "embeddings.word_embeddings"),
    **names.attention("layers.*.attention", "layers.*.attention"),
    **names.norm("layers.*.attention_norm", "layers.*.attention_norm"),
    **names.dense("layers.*.gate", "layers.*.feed_forward.gate"),
    **names.dense("layers.*.up", "layers.*.feed_forward.up"),
    **names.dense("layers.*.down", "layers.*.feed_forward.down"),
    **names.norm("layers.*.feed_forward_norm", "layers.*.feed_forward_norm"),
    **names.norm("final_norm", "final_norm"),
    **names.decoder("lm_head", "lm_head"),
}


class Parts:
    """Constructors of Equinox's own layers, without a bias anywhere."""

    def __init__(self, spec: LlamaSpec, numerics: Numerics, drawing: Drawing) -> None:
        self.spec = spec
        self.numerics = numerics
        self._drawing = drawing

    def linear(self, inputs: int, outputs: int) -> eqx.nn.Linear:
        """Make a Linear with a weight (outputs, inputs)."""
        return eqx.nn.Linear(inputs, outputs, use_bias=False, **self._drawing.options())

    def norm(self) -> eqx.nn.RMSNorm:
        """Make a norm of (H), without the bias that Equinox's has by default."""
        size, eps = self.spec.hidden_size, self.numerics.layer_norm_eps
        return eqx.nn.RMSNorm(size, eps, use_bias=False, dtype=self._drawing.dtype)

    def table(self) -> eqx.nn.Embedding:
        """Make the token table, (V, H)."""
        size = self.spec.hidden_size
        return eqx.nn.Embedding(self.spec.vocab_size, size, **self._drawing.options())


class GroupedQueryAttention(eqx.Module):
    """Causal attention in which A / G query heads share the key and the value of one head.

    Source: Ainslie et al. 2023, arXiv:2305.13245, section 2.2.
    """

    query_proj: eqx.nn.Linear
    key_proj: eqx.nn.Linear
    value_proj: eqx.nn.Linear
    output_proj: eqx.nn.Linear
    head_dim: int = eqx.field(static=True)
    rope_theta: float = eqx.field(static=True)

    def __init__(self, parts: Parts) -> None:
        spec = parts.spec
        hidden, queries = spec.hidden_size, spec.num_attention_heads * spec.head_dim
        keys = spec.num_key_value_heads * spec.head_dim
        self.query_proj = parts.linear(hidden, queries)
        self.key_proj = parts.linear(hidden, keys)
        self.value_proj = parts.linear(hidden, keys)
        self.output_proj = parts.linear(queries, hidden)
        self.head_dim = spec.head_dim
        self.rope_theta = parts.numerics.rope_theta

    def __call__(self, x: jax.Array) -> jax.Array:
        projections = (self.query_proj, self.key_proj, self.value_proj)
        query, key, value = (
            each(project)(x).reshape(len(x), -1, self.head_dim) for project in projections
        )
        query, key = rotated(query, self.rope_theta), rotated(key, self.rope_theta)
        # Not jax.nn.dot_product_attention, which takes the softmax in float32, in float64 too.
        query = query.reshape(*key.shape[:2], -1, self.head_dim)
        scores = jnp.einsum("sgnk,tgk->gnst", query, key) / math.sqrt(self.head_dim)
        shares = jax.nn.softmax(jnp.where(so_far(x), scores, -jnp.inf))
        attended = jnp.einsum("gnst,tgk->sgnk", shares, value)
        return each(self.output_proj)(attended.reshape(len(x), -1))


class LlamaLayer(eqx.Module):
    """Attention and gated feed-forward network, each of the normalised input, and added to it."""

    attention: GroupedQueryAttention
    attention_norm: eqx.nn.RMSNorm
    gate: eqx.nn.Linear
    up: eqx.nn.Linear
    down: eqx.nn.Linear
    feed_forward_norm: eqx.nn.RMSNorm
    activation: Activation = eqx.field(static=True)

    def __init__(self, parts: Parts) -> None:
        hidden, inner = parts.spec.hidden_size, parts.spec.intermediate_size
        self.attention = GroupedQueryAttention(parts)
        self.attention_norm = parts.norm()
        self.gate = parts.linear(hidden, inner)
        self.up = parts.linear(hidden, inner)
        self.down = parts.linear(inner, hidden)
        self.feed_forward_norm = parts.norm()
        self.activation = ACTIVATIONS[parts.numerics.hidden_act]

    def feed_forward(self, x: jax.Array) -> jax.Array:
        """Return the output for one token, (H)."""
        return self.down(self.activation(self.gate(x)) * self.up(x))

    def __call__(self, x: jax.Array) -> jax.Array:
        x = x + self.attention(each(self.attention_norm)(x))
        return x + each(self.feed_forward)(each(self.feed_forward_norm)(x))


class Llama(eqx.Module):
    """Touvron et al. 2023, section 2.2: RMSNorm first, gated feed-forward, no bias."""

    names = NAMES

    word_embeddings: eqx.nn.Embedding
    layers: list[LlamaLayer]
    final_norm: eqx.nn.RMSNorm
    lm_head: eqx.nn.Linear

    def __init__(self, spec: LlamaSpec, numerics: Numerics, drawing: Drawing) -> None:
        parts = Parts(spec, numerics, drawing)
        self.word_embeddings = parts.table()
        self.layers = [LlamaLayer(parts) for _ in range(spec.num_hidden_layers)]
        self.final_norm = parts.norm()
        self.lm_head = parts.linear(spec.hidden_size, spec.vocab_size)

    @staticmethod
    def ties(spec: LlamaSpec) -> dict[str, str]:
        return {"lm_head.weight": "word_embeddings.weight"} if spec.tie_word_embeddings else {}

    def __call__(self, ids: jax.Array) -> dict[str, jax.Array]:
        x = each(self.word_embeddings)(ids)
        for layer in self.layers:
            x = layer(x)
        x = each(self.final_norm)(x)
        return {"sequence": x, "lm": jax.nn.softmax(each(self.lm_head)(x))}


def rotated(x: jax.Array, theta: float) -> jax.Array:
    """Return ``x`` (S, heads, K) turned by its position p, the rotary embedding.

    Features i and i + K/2 are a pair, turned by the angle p·theta^(−2i/K). It is as in Hugging
    Face's LLaMA; the paper pairs neighbours, 2i and 2i + 1, which is the same up to the order
    of a head's features.

    Source: Su et al. 2021, arXiv:2104.09864, section 3.2.2.
    """
    half = x.shape[-1] // 2
    rates = theta ** (-jnp.arange(half, dtype=x.dtype) / half)
    angles = jnp.arange(len(x), dtype=x.dtype)[:, None, None] * rates
    first, second = jnp.split(x, 2, axis=-1)
    cos, sin = jnp.cos(angles), jnp.sin(angles)
    return jnp.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)
