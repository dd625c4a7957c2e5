"""The Transformer of 2017 with ``MultiHeadAttention``, twice in a layer of the decoder."""

from __future__ import annotations

import math
from typing import Any

import keras
import numpy as np

from paramproof.builders.frameworks.keras.layers import Block, LanguageHead, Parts, PostNorm, Shape
from paramproof.builders.frameworks.keras.names import names
from paramproof.builders.protocol import DType
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
    **names.decoder("lm_head/decoder", "lm_head"),
}


class EncoderDecoder(keras.Model):
    """The Transformer, post-norm, from Keras's own layers."""

    names = NAMES

    def __init__(self, spec: EncoderDecoderSpec, numerics: Numerics, dtype: DType) -> None:
        super().__init__(dtype=dtype, name="encoder_decoder")
        parts, bias = Parts(spec, numerics, dtype), spec.attention_bias
        self.hidden_size = spec.hidden_size
        self.source_words = parts.table(spec.vocab_size, "source_words")
        self.target_words = self.source_words
        if not spec.share_embeddings:
            self.target_words = parts.table(spec.target_vocab_size, "target_words")
        self.source_positions = self.target_positions = None
        if spec.learned_positions:
            positions = spec.max_position_embeddings
            self.source_positions = parts.table(positions, "source_positions")
            self.target_positions = parts.table(positions, "target_positions")
        encoders, decoders = range(spec.num_encoder_layers), range(spec.num_decoder_layers)
        self.encoders = [PostNorm(parts, f"encoder_layers_{i}", bias) for i in encoders]
        self.decoders = [DecoderLayer(parts, f"decoder_layers_{i}", bias) for i in decoders]
        self.lm_head = LanguageHead(parts, spec.target_vocab_size, spec.tie_word_embeddings)

    def build(self, input_shape: object = None) -> None:
        words, positions = (self.source_words, self.target_words), self.source_positions
        for table in *words, positions, self.target_positions:
            if table is not None and not table.built:
                table.build((None, None))
        for layer in *self.encoders, *self.decoders, self.lm_head:
            layer.build((None, None, self.hidden_size))

    # Not `source_mask`: Keras fills an argument whose name ends so with a mask of its own.
    def call(self, source: Any, attend: Any, target: Any) -> dict[str, Any]:
        memory = self._embedded(source, self.source_words, self.source_positions)
        for encoder in self.encoders:
            memory = encoder(memory, attend)
        x = self._embedded(target, self.target_words, self.target_positions)
        for decoder in self.decoders:
            x = decoder(x, memory, attend)
        return {"sequence": x, "lm": self.lm_head(x, self.target_words.embeddings)}

    def _embedded(self, ids: Any, words: Any, positions: Any) -> Any:
        """Return tokens times √H plus positions, learned or as sinusoids."""
        x, tokens = words(ids) * math.sqrt(self.hidden_size), ids.shape[1]
        if positions is not None:
            return x + positions(keras.ops.arange(tokens))
        return x + keras.ops.convert_to_tensor(sinusoids(tokens, self.hidden_size), x.dtype)


class DecoderLayer(Block):
    """As in the encoder, with attention to the encoder's output in between."""

    def __init__(self, parts: Parts, name: str, attention_bias: bool) -> None:
        super().__init__(parts, name, attention_bias)
        self.cross_attention = parts.attention("cross_attention", attention_bias)
        self.cross_attention_norm = parts.norm("cross_attention_norm")

    def build(self, shape: Shape) -> None:
        super().build(shape)
        self.cross_attention.build(shape, shape)
        self.cross_attention_norm.build(shape)

    def call(self, x: Any, memory: Any, attend: Any) -> Any:
        x = self.attention_norm(x + self.attention(x, x, use_causal_mask=True))
        attended = self.cross_attention(x, memory, attention_mask=attend[:, None, :])
        x = self.cross_attention_norm(x + attended)
        return self.feed_forward_norm(x + self.feed_forward(x))


def sinusoids(positions: int, width: int) -> np.ndarray:
    """Return fixed positions, (positions, width), sines at even features and cosines at odd ones.

    Source: Vaswani et al. 2017, section 3.5. (Their code, tensor2tensor, has all sines first.)
    """
    angles = np.outer(np.arange(positions), 10000.0 ** (-np.arange(0, width, 2) / width))
    table = np.empty((positions, width))
    table[:, 0::2] = np.sin(angles)
    # As many as there are odd features.
    table[:, 1::2] = np.cos(angles[:, : width // 2])
    return table
