"""The Transformer of 2017: an encoder, and a decoder that attends to what it says."""

from __future__ import annotations

import math
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from paramproof.builders.frameworks.equinox.layers import (
    Drawing,
    Layer,
    Parts,
    Sublayers,
    each,
    so_far,
    visible,
)
from paramproof.builders.frameworks.equinox.names import names
from paramproof.formulas.spec import EncoderDecoderSpec, Numerics

NAMES = {
    **names.table("source_words", "encoder.embeddings.word_embeddings"),
    **names.table("source_positions", "encoder.embeddings.position_embeddings"),
    **names.layer("encoder_layers.*", "encoder.layers.*"),
    **names.table("target_words", "decoder.embeddings.word_embeddings"),
    **names.table("target_positions", "decoder.embeddings.position_embeddings"),
    **names.layer("decoder_layers.*", "decoder.layers.*"),
    **names.attention("decoder_layers.*.cross_attention", "decoder.layers.*.cross_attention"),
    **names.norm(
        "decoder_layers.*.cross_attention_norm", "decoder.layers.*.cross_attention_layer_norm"
    ),
    **names.decoder("lm_head", "lm_head"),
}


class DecoderLayer(Sublayers):
    """Attention to the target so far, to the source, and a feed-forward network, post-norm."""

    cross_attention: eqx.nn.MultiheadAttention
    cross_attention_norm: eqx.nn.LayerNorm

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts)
        self.cross_attention = parts.attention()
        self.cross_attention_norm = parts.norm()

    def __call__(self, x: jax.Array, memory: jax.Array, mask: jax.Array) -> jax.Array:
        x = each(self.attention_norm)(x + self.attention(x, x, x, so_far(x)))
        attended = self.cross_attention(x, memory, memory, visible(mask, len(x)))
        x = each(self.cross_attention_norm)(x + attended)
        return each(self.feed_forward_norm)(x + each(self.feed_forward)(x))


class EncoderDecoder(eqx.Module):
    """Vaswani et al. 2017, section 3."""

    names = NAMES

    source_words: eqx.nn.Embedding
    target_words: eqx.nn.Embedding
    source_positions: eqx.nn.Embedding | None
    target_positions: eqx.nn.Embedding | None
    encoder_layers: list[Layer]
    decoder_layers: list[DecoderLayer]
    lm_head: eqx.nn.Linear

    def __init__(self, spec: EncoderDecoderSpec, numerics: Numerics, drawing: Drawing) -> None:
        own = Parts(spec, numerics, drawing, spec.attention_bias)
        positions, learned = spec.max_position_embeddings, spec.learned_positions
        self.source_words = own.table(spec.vocab_size)
        self.target_words = own.table(spec.target_vocab_size)
        self.source_positions = own.table(positions) if learned else None
        self.target_positions = own.table(positions) if learned else None
        self.encoder_layers = [Layer(own) for _ in range(spec.num_encoder_layers)]
        self.decoder_layers = [DecoderLayer(own) for _ in range(spec.num_decoder_layers)]
        self.lm_head = own.linear(spec.hidden_size, spec.target_vocab_size, use_bias=False)

    @staticmethod
    def ties(spec: EncoderDecoderSpec) -> dict[str, str]:
        target = "source_words.weight" if spec.share_embeddings else "target_words.weight"
        ties = {"target_words.weight": target} if spec.share_embeddings else {}
        return ties | ({"lm_head.weight": target} if spec.tie_word_embeddings else {})

    def __call__(
        self, source_ids: jax.Array, source_mask: jax.Array, target_ids: jax.Array
    ) -> dict[str, jax.Array]:
        memory = embedded(source_ids, self.source_words, self.source_positions)
        for layer in self.encoder_layers:
            memory = layer(memory, visible(source_mask, len(source_ids)))
        x = embedded(target_ids, self.target_words, self.target_positions)
        for layer in self.decoder_layers:
            x = layer(x, memory, source_mask)
        return {"sequence": x, "lm": jax.nn.softmax(each(self.lm_head)(x))}


def embedded(
    ids: jax.Array, words: eqx.nn.Embedding, positions: eqx.nn.Embedding | None
) -> jax.Array:
    """Return tokens times √H (section 3.4) plus positions, from a table or by sinusoids."""
    x = each(words)(ids) * math.sqrt(words.embedding_size)
    if positions is None:
        return x + sinusoids(*x.shape, x.dtype)
    return x + each(positions)(jnp.arange(len(ids)))


def sinusoids(length: int, hidden_size: int, dtype: Any) -> jax.Array:
    """Return fixed positions (length, H), sin(p / 10000^(2i/H)) at 2i and its cosine at 2i + 1.

    They are computed in each forward pass and not stored. Source: Vaswani et al. 2017,
    section 3.5. Its code (tensorflow/tensor2tensor) has all sines first, then all cosines.
    """
    feature = jnp.arange(hidden_size)
    rates = 10000.0 ** -(feature // 2 * 2 / hidden_size).astype(dtype)
    angles = jnp.outer(jnp.arange(length, dtype=dtype), rates)
    return jnp.where(feature % 2 == 0, jnp.sin(angles), jnp.cos(angles))
