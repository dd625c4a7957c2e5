"""LLaMA: nnx's attention groups queries itself, and takes rotary positions as a function."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from paramproof.builders.frameworks.flax_nnx.layers import ACTIVATIONS, so_far, stacked, through
from paramproof.builders.frameworks.flax_nnx.names import names
from paramproof.builders.jax_tracing import Values
from paramproof.formulas.spec import LlamaSpec, Numerics

NAMES = {
    **names.table("word_embeddings", "embeddings.word_embeddings"),
    **names.attention("layers.attention", "layers.*.attention"),
    **names.norm("layers.attention_norm", "layers.*.attention_norm"),
    **names.dense("layers.gate", "layers.*.feed_forward.gate"),
    **names.dense("layers.up", "layers.*.feed_forward.up"),
    **names.dense("layers.down", "layers.*.feed_forward.down"),
    **names.norm("layers.feed_forward_norm", "layers.*.feed_forward_norm"),
    **names.norm("final_norm", "final_norm"),
    **names.decoder("lm_head", "lm_head"),
}


class Llama(nnx.Module):
    """Touvron et al. 2023, section 2.2: RMSNorm first, gated feed-forward, no bias."""

    names = NAMES

    def __init__(self, spec: LlamaSpec, numerics: Numerics, values: Values, rngs: nnx.Rngs) -> None:
        hidden, vocab_size = spec.hidden_size, spec.vocab_size
        make = partial(LlamaLayer, spec, numerics, values)
        head = partial(nnx.Linear, hidden, vocab_size, use_bias=False, **values.dense)
        self.word_embeddings = nnx.Embed(vocab_size, hidden, **values.table, rngs=rngs)
        self.layers = stacked(spec.num_hidden_layers, make, rngs)
        self.final_norm = nnx.RMSNorm(
            hidden, epsilon=numerics.layer_norm_eps, **values.norm, rngs=rngs
        )
        self.lm_head = None if spec.tie_word_embeddings else head(rngs=rngs)

    def __call__(self, ids: jax.Array) -> dict[str, jax.Array]:
        x = self.final_norm(through(self.layers, self.word_embeddings(ids)))
        logits = self.lm_head(x) if self.lm_head is not None else self.word_embeddings.attend(x)
        return {"sequence": x, "lm": nnx.softmax(logits)}


class LlamaLayer(nnx.Module):
    """Attention and gated feed-forward network, each of the normalised input, and added to it."""

    def __init__(self, spec: LlamaSpec, numerics: Numerics, values: Values, rngs: nnx.Rngs) -> None:
        hidden, inner, heads = spec.hidden_size, spec.intermediate_size, spec.num_attention_heads
        dense = partial(nnx.Linear, use_bias=False, **values.dense, rngs=rngs)
        norm = partial(
            nnx.RMSNorm, hidden, epsilon=numerics.layer_norm_eps, **values.norm, rngs=rngs
        )
        self.activation = ACTIVATIONS[numerics.hidden_act]
        self.attention = nnx.MultiHeadAttention(
            heads,
            hidden,
            qkv_features=heads * spec.head_dim,
            num_kv_heads=spec.num_key_value_heads,
            use_bias=False,
            attention_fn=partial(rotary_attention, theta=numerics.rope_theta),
            decode=False,
            **values.dense,
            rngs=rngs,
        )
        self.attention_norm = norm()
        self.feed_forward_norm = norm()
        self.gate, self.up = dense(hidden, inner), dense(hidden, inner)
        self.down = dense(inner, hidden)

    def __call__(self, x: jax.Array) -> jax.Array:
        x = x + self.attention(self.attention_norm(x), mask=so_far(x))
        normalised = self.feed_forward_norm(x)
        return x + self.down(self.activation(self.gate(normalised)) * self.up(normalised))


def rotary_attention(
    query: jax.Array, key: jax.Array, value: jax.Array, *, theta: float, **how: Any
) -> jax.Array:
    """Apply nnx's attention to rotated queries and keys. If G < A, queries share keys."""
    return nnx.dot_product_attention(rotated(query, theta), rotated(key, theta), value, **how)


def rotated(x: jax.Array, theta: float) -> jax.Array:
    """Return ``x`` (B, S, heads, K) turned by its position p, the rotary embedding.

    Features i and i + K/2 are a pair, here a complex number, turned by the angle
    p·theta^(−2i/K). It is as in Hugging Face's LLaMA; the paper pairs neighbours, 2i and
    2i + 1, which is the same up to the order of a head's features.

    Source: Su et al. 2021, arXiv:2104.09864, section 3.2.2.
    """
    length, half = x.shape[1], x.shape[-1] // 2
    rates = theta ** (-jnp.arange(half, dtype=x.dtype) / half)
    angles = jnp.outer(jnp.arange(length, dtype=x.dtype), rates)[:, None, :]
    turned = jax.lax.complex(x[..., :half], x[..., half:]) * jnp.exp(1j * angles)
    return jnp.concatenate([turned.real, turned.imag], axis=-1)
