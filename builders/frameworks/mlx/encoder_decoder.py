"""The Transformer of 2017 from ``nn.TransformerEncoderLayer`` and ``…DecoderLayer``.

Not from ``nn.Transformer``, whose stacks each end in a norm and whose attention has no biases.
"""

from __future__ import annotations

import math

import mlx.core as mx
import numpy as np
from mlx import nn

from paramproof.builders.frameworks.mlx.layers import (
    ACTIVATIONS,
    CAUSAL,
    EncoderLayer,
    LanguageHead,
    at_keys,
)
from paramproof.builders.frameworks.mlx.names import decoder_layer, names
from paramproof.formulas.spec import EncoderDecoderSpec, Numerics

NAMES = {
    **names.table("source", "encoder.embeddings.word_embeddings"),
    **names.table("source_positions", "encoder.embeddings.position_embeddings"),
    **names.layer("encoder.*", "encoder.layers.*"),
    **names.table("target", "decoder.embeddings.word_embeddings"),
    **names.table("target_positions", "decoder.embeddings.position_embeddings"),
    **decoder_layer("decoder.*", "decoder.layers.*"),
    **names.decoder("lm_head.own", "lm_head"),
}


class EncoderDecoder(nn.Module):
    """The Transformer, post-norm, from MLX's own layers."""

    names = NAMES

    def __init__(self, spec: EncoderDecoderSpec, numerics: Numerics, *, drawn: bool) -> None:
        super().__init__()
        hidden, bias = spec.hidden_size, spec.attention_bias
        self.source = nn.Embedding(spec.vocab_size, hidden)
        self.source_positions = positions(spec, drawn)
        if not spec.share_embeddings:
            self.target = nn.Embedding(spec.target_vocab_size, hidden)
        self.target_positions = positions(spec, drawn)
        self.encoder = [
            EncoderLayer(spec, numerics, attention_bias=bias)
            for _ in range(spec.num_encoder_layers)
        ]
        self.decoder = [DecoderLayer(spec, numerics) for _ in range(spec.num_decoder_layers)]
        self.lm_head = LanguageHead(hidden, spec.target_vocab_size, spec.tie_word_embeddings)

    def __call__(self, source: mx.array, mask: mx.array, target: mx.array) -> dict[str, mx.array]:
        words = self.target if "target" in self else self.source
        memory = embedded(source, self.source, self.source_positions)
        for encoder in self.encoder:
            memory = encoder(memory, at_keys(mask))
        x = embedded(target, words, self.target_positions)
        for decoder in self.decoder:
            x = decoder(x, memory, CAUSAL, at_keys(mask))
        return {"sequence": x, "lm": self.lm_head(x, words)}


class DecoderLayer(nn.TransformerDecoderLayer):
    """MLX's, which takes neither biases for its attention nor an epsilon for its norms."""

    def __init__(self, spec: EncoderDecoderSpec, numerics: Numerics) -> None:
        hidden, heads, eps = spec.hidden_size, spec.num_attention_heads, numerics.layer_norm_eps
        super().__init__(
            hidden,
            heads,
            spec.intermediate_size,
            activation=ACTIVATIONS[numerics.hidden_act],
            norm_first=False,
        )
        self.self_attention = nn.MultiHeadAttention(hidden, heads, bias=spec.attention_bias)
        self.cross_attention = nn.MultiHeadAttention(hidden, heads, bias=spec.attention_bias)
        self.ln1, self.ln2, self.ln3 = (nn.LayerNorm(hidden, eps) for _ in range(3))


def embedded(ids: mx.array, words: nn.Embedding, positions: nn.Embedding) -> mx.array:
    """Return tokens times √H plus positions."""
    return words(ids) * math.sqrt(words.weight.shape[1]) + positions(mx.arange(ids.shape[1]))


def positions(spec: EncoderDecoderSpec, drawn: bool) -> nn.Embedding:
    """Return learned positions, or sinusoids in a frozen table."""
    table = nn.Embedding(spec.max_position_embeddings, spec.hidden_size)
    if not spec.learned_positions:
        if drawn:
            table.weight = sinusoids(*table.weight.shape)
        table.freeze()
    return table


def sinusoids(length: int, width: int) -> mx.array:
    """Return fixed positions, (length, width), sines at even features and cosines at odd ones.

    NumPy computes them, since MLX's own sines are those of float32.

    Source: Vaswani et al. 2017, section 3.5. (Their code, tensor2tensor, has all sines first.)
    """
    even = np.arange(0, width, 2)
    angles = np.outer(np.arange(length), 10000.0 ** (-even / width))
    table = np.stack((np.sin(angles), np.cos(angles)), axis=-1).reshape(length, -1)
    return mx.array(table[:, :width], dtype=mx.float64)
