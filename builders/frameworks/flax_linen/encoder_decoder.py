"""The Transformer of 2017: an encoder, and a decoder that attends to what it says."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
from flax import linen as nn

from paramproof.builders.frameworks.flax_linen.layers import Layer, Parts, feed_forward, parts
from paramproof.builders.frameworks.flax_linen.names import names
from paramproof.builders.jax_tracing import Values
from paramproof.formulas.spec import EncoderDecoderSpec, Numerics

NAMES = {
    **names.table("source_words", "encoder.embeddings.word_embeddings"),
    **names.table("source_positions", "encoder.embeddings.position_embeddings"),
    **names.layer("encoder_layers_*", "encoder.layers.*"),
    **names.table("target_words", "decoder.embeddings.word_embeddings"),
    **names.table("target_positions", "decoder.embeddings.position_embeddings"),
    **names.layer("decoder_layers_*", "decoder.layers.*"),
    **names.attention("decoder_layers_*/cross_attention", "decoder.layers.*.cross_attention"),
    **names.norm(
        "decoder_layers_*/cross_attention_norm", "decoder.layers.*.cross_attention_layer_norm"
    ),
    **names.decoder("lm_head", "lm_head"),
}


class EncoderDecoder(nn.Module):
    """Vaswani et al. 2017, section 3. Token tables that are shared are one module."""

    spec: EncoderDecoderSpec
    numerics: Numerics
    values: Values

    names = NAMES
    inputs = (jnp.int32, jnp.bool_, jnp.int32)

    @nn.compact
    def __call__(
        self, source_ids: jax.Array, source_mask: jax.Array, target_ids: jax.Array
    ) -> dict[str, jax.Array]:
        spec = self.spec
        own = parts(spec, self.numerics, self.values, spec.attention_bias)
        source_words = target_words = own.table(spec.vocab_size, name="source_words")
        if not spec.share_embeddings:
            target_words = own.table(spec.target_vocab_size, name="target_words")

        visible = source_mask[:, None, None, :]
        memory = self.embedded(own, source_ids, source_words, "source_positions")
        for index in range(spec.num_encoder_layers):
            memory = Layer(own, name=f"encoder_layers_{index}")(memory, visible)

        causal = nn.make_causal_mask(target_ids, dtype=bool)
        x = self.embedded(own, target_ids, target_words, "target_positions")
        for index in range(spec.num_decoder_layers):
            x = DecoderLayer(own, name=f"decoder_layers_{index}")(x, causal, memory, visible)

        if spec.tie_word_embeddings:
            logits = target_words.attend(x)
        else:
            logits = own.dense(spec.target_vocab_size, use_bias=False, name="lm_head")(x)
        return {"sequence": x, "lm": nn.softmax(logits)}

    def embedded(self, own: Parts, ids: jax.Array, words: nn.Embed, positions: str) -> jax.Array:
        """Return tokens times √H (section 3.4) plus positions, from a table or by sinusoids."""
        x = words(ids) * math.sqrt(self.spec.hidden_size)
        if self.spec.learned_positions:
            table = own.table(self.spec.max_position_embeddings, name=positions)
            return x + table(jnp.arange(ids.shape[1]))
        return x + sinusoids(ids.shape[1], self.spec.hidden_size, self.values.dtype)


class DecoderLayer(nn.Module):
    """Attention to the target so far, to the source, and a feed-forward network, post-norm."""

    parts: Parts

    @nn.compact
    def __call__(
        self, x: jax.Array, causal: jax.Array, memory: jax.Array, visible: jax.Array
    ) -> jax.Array:
        parts = self.parts
        attended = parts.attention(name="attention")(x, mask=causal)
        x = parts.norm(name="attention_norm")(x + attended)
        attended = parts.attention(name="cross_attention")(x, memory, mask=visible)
        x = parts.norm(name="cross_attention_norm")(x + attended)
        return parts.norm(name="feed_forward_norm")(x + feed_forward(parts, x))


def sinusoids(length: int, hidden_size: int, dtype: Any) -> jax.Array:
    """Return fixed positions (length, H), sin(p / 10000^(2i/H)) at 2i and its cosine at 2i + 1.

    They are computed in each forward pass and not stored. Source: Vaswani et al. 2017,
    section 3.5. Its code (tensorflow/tensor2tensor) has all sines first, then all cosines.
    """
    feature = jnp.arange(hidden_size)
    rates = 10000.0 ** -(feature // 2 * 2 / hidden_size).astype(dtype)
    angles = jnp.arange(length, dtype=dtype)[:, None] * rates
    return jnp.where(feature % 2 == 0, jnp.sin(angles), jnp.cos(angles))
