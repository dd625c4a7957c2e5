"""LLaMA: rotary positions and grouped queries, composed, since linen's attention has neither."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
from flax import linen as nn

from paramproof.builders.frameworks.flax_linen.layers import ACTIVATIONS
from paramproof.builders.frameworks.flax_linen.names import names
from paramproof.builders.jax_tracing import Values
from paramproof.formulas.spec import LlamaSpec, Numerics

NAMES = {
    **names.table("word_embeddings", "embeddings.word_embeddings"),
    **names.attention("layers_*/attention", "layers.*.attention"),
    **names.norm("layers_*/attention_norm", "layers.*.attention_norm"),
    **names.dense("layers_*/gate", "layers.*.feed_forward.gate"),
    **names.dense("layers_*/up", "layers.*.feed_forward.up"),
    **names.dense("layers_*/down", "layers.*.feed_forward.down"),
    **names.norm("layers_*/feed_forward_norm", "layers.*.feed_forward_norm"),
    **names.norm("final_norm", "final_norm"),
    **names.decoder("lm_head", "lm_head"),
}


class Llama(nn.Module):
    """Touvron et al. 2023, section 2.2: RMSNorm first, gated feed-forward, no bias."""

    spec: LlamaSpec
    numerics: Numerics
    values: Values

    names = NAMES
    inputs = (jnp.int32,)

    @nn.compact
    def __call__(self, ids: jax.Array) -> dict[str, jax.Array]:
        spec, values = self.spec, self.values
        words = nn.Embed(spec.vocab_size, spec.hidden_size, **values.table, name="word_embeddings")
        x = words(ids)
        for index in range(spec.num_hidden_layers):
            x = LlamaLayer(spec, self.numerics, values, name=f"layers_{index}")(x)
        x = nn.RMSNorm(self.numerics.layer_norm_eps, **values.norm, name="final_norm")(x)
        if spec.tie_word_embeddings:
            logits = words.attend(x)
        else:
            logits = nn.Dense(spec.vocab_size, use_bias=False, **values.dense, name="lm_head")(x)
        return {"sequence": x, "lm": nn.softmax(logits)}


class LlamaLayer(nn.Module):
    """Attention and gated feed-forward network, each of the normalised input, and added to it."""

    spec: LlamaSpec
    numerics: Numerics
    values: Values

    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        spec, numerics = self.spec, self.numerics
        activation = ACTIVATIONS[numerics.hidden_act]
        dense = partial(nn.Dense, use_bias=False, **self.values.dense)
        norm = partial(nn.RMSNorm, epsilon=numerics.layer_norm_eps, **self.values.norm)
        attention = GroupedQueryAttention(spec, numerics.rope_theta, self.values, name="attention")
        x = x + attention(norm(name="attention_norm")(x))
        normalised = norm(name="feed_forward_norm")(x)
        gate = activation(dense(spec.intermediate_size, name="gate")(normalised))
        up = dense(spec.intermediate_size, name="up")(normalised)
        return x + dense(spec.hidden_size, name="down")(gate * up)


class GroupedQueryAttention(nn.Module):
    """Causal attention in which A / G query heads share the key and the value of one head.

    Source: Ainslie et al. 2023, arXiv:2305.13245, section 2.2.
    """

    spec: LlamaSpec
    rope_theta: float
    values: Values

    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        spec = self.spec
        heads, groups = spec.num_attention_heads, spec.num_key_value_heads
        project = partial(nn.DenseGeneral, use_bias=False, **self.values.dense)
        query = project((heads, spec.head_dim), name="query")(x)
        key = project((groups, spec.head_dim), name="key")(x)
        value = project((groups, spec.head_dim), name="value")(x)
        query, key = rotated(query, self.rope_theta), rotated(key, self.rope_theta)
        key, value = (jnp.repeat(shared, heads // groups, axis=-2) for shared in (key, value))
        mask = nn.make_causal_mask(x[..., 0], dtype=bool)
        attended = nn.dot_product_attention(query, key, value, mask=mask)
        return project(spec.hidden_size, axis=(-2, -1), name="out")(attended)


def rotated(x: jax.Array, theta: float) -> jax.Array:
    """Return ``x`` (B, S, heads, K) turned by its position p, the rotary embedding.

    Features i and i + K/2 are a pair, turned by the angle p·theta^(−2i/K). It is as in Hugging
    Face's LLaMA; the paper pairs neighbours, 2i and 2i + 1, which is the same up to the order
    of a head's features.

    Source: Su et al. 2021, arXiv:2104.09864, section 3.2.2.
    """
    half = x.shape[-1] // 2
    rates = theta ** (-jnp.arange(half, dtype=x.dtype) / half)
    angles = jnp.arange(x.shape[1], dtype=x.dtype)[:, None, None] * rates
    first, second = jnp.split(x, 2, axis=-1)
    cos, sin = jnp.cos(angles), jnp.sin(angles)
    return jnp.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)
