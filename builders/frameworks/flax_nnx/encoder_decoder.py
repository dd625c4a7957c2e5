"""The Transformer of 2017: an encoder, and a decoder that attends to what it says."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from paramproof.builders.frameworks.flax_nnx.layers import (
    Layer,
    Parts,
    Sublayers,
    parts,
    so_far,
    stacked,
    through,
)
from paramproof.builders.frameworks.flax_nnx.names import names
from paramproof.builders.jax_tracing import Values
from paramproof.formulas.spec import EncoderDecoderSpec, Numerics

NAMES = {
    **names.table("source_words", "encoder.embeddings.word_embeddings"),
    **names.table("source_positions", "encoder.embeddings.position_embeddings"),
    **names.layer("encoder_layers", "encoder.layers.*"),
    **names.table("target_words", "decoder.embeddings.word_embeddings"),
    **names.table("target_positions", "decoder.embeddings.position_embeddings"),
    **names.layer("decoder_layers", "decoder.layers.*"),
    **names.attention("decoder_layers.cross_attention", "decoder.layers.*.cross_attention"),
    **names.norm(
        "decoder_layers.cross_attention_norm", "decoder.layers.*.cross_attention_layer_norm"
    ),
    **names.decoder("lm_head", "lm_head"),
}


class EncoderDecoder(nnx.Module):
    """Vaswani et al. 2017, section 3. A token table that is shared is one module of two names."""

    names = NAMES

    def __init__(
        self, spec: EncoderDecoderSpec, numerics: Numerics, values: Values, rngs: nnx.Rngs
    ) -> None:
        own, hidden = parts(spec, numerics, values, spec.attention_bias), spec.hidden_size
        positions = partial(own.table, spec.max_position_embeddings)
        self.source_words = self.target_words = own.table(spec.vocab_size, rngs=rngs)
        if not spec.share_embeddings:
            self.target_words = own.table(spec.target_vocab_size, rngs=rngs)
        self.source_positions = positions(rngs=rngs) if spec.learned_positions else None
        self.target_positions = positions(rngs=rngs) if spec.learned_positions else None
        self.encoder_layers = stacked(spec.num_encoder_layers, partial(Layer, own), rngs)
        self.decoder_layers = stacked(spec.num_decoder_layers, partial(DecoderLayer, own), rngs)
        head = partial(own.dense, hidden, spec.target_vocab_size, use_bias=False)
        self.lm_head = None if spec.tie_word_embeddings else head(rngs=rngs)

    def __call__(
        self, source_ids: jax.Array, source_mask: jax.Array, target_ids: jax.Array
    ) -> dict[str, jax.Array]:
        visible = source_mask[:, None, None, :]
        memory = embedded(source_ids, self.source_words, self.source_positions)
        memory = through(self.encoder_layers, memory, visible)
        x = embedded(target_ids, self.target_words, self.target_positions)
        x = through(self.decoder_layers, x, memory, visible)
        logits = self.lm_head(x) if self.lm_head is not None else self.target_words.attend(x)
        return {"sequence": x, "lm": nnx.softmax(logits)}


class DecoderLayer(Sublayers):
    """Attention to the target so far, to the source, and a feed-forward network, post-norm."""

    def __init__(self, parts: Parts, rngs: nnx.Rngs) -> None:
        super().__init__(parts, rngs)
        self.cross_attention = parts.attention(rngs=rngs)
        self.cross_attention_norm = parts.norm(rngs=rngs)

    def __call__(self, x: jax.Array, memory: jax.Array, visible: jax.Array) -> jax.Array:
        x = self.attention_norm(x + self.attention(x, mask=so_far(x)))
        x = self.cross_attention_norm(x + self.cross_attention(x, memory, mask=visible))
        return self.feed_forward_norm(x + self.feed_forward(x))


def embedded(ids: jax.Array, words: nnx.Embed, positions: nnx.Embed | None) -> jax.Array:
    """Return tokens times √H (section 3.4) plus positions, from a table or by sinusoids."""
    x = words(ids) * math.sqrt(words.features)
    if positions is None:
        return x + sinusoids(*x.shape[1:], x.dtype)
    return x + positions(jnp.arange(ids.shape[1]))


def sinusoids(length: int, hidden_size: int, dtype: Any) -> jax.Array:
    """Return fixed positions (length, H), sin(p / 10000^(2i/H)) at 2i and its cosine at 2i + 1.

    They are computed in each forward pass and not stored. Source: Vaswani et al. 2017,
    section 3.5. Its code (tensorflow/tensor2tensor) has all sines first, then all cosines.
    """
    rates = 10000.0 ** (-jnp.arange(0, hidden_size, 2, dtype=dtype) / hidden_size)
    angles = jnp.outer(jnp.arange(length, dtype=dtype), rates)
    pairs = jnp.stack([jnp.sin(angles), jnp.cos(angles)], axis=-1)
    # An odd H ends in a sine that has no cosine.
    return pairs.reshape(length, -1)[:, :hidden_size]
