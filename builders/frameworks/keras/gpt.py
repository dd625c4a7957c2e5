"""GPT with ``MultiHeadAttention``, norm first, under Keras's own causal mask."""

from __future__ import annotations

from typing import Any

import keras

from paramproof.builders.frameworks.keras.layers import Block, LanguageHead, Parts
from paramproof.builders.frameworks.keras.names import names
from paramproof.builders.protocol import DType
from paramproof.formulas.spec import GPTSpec, Numerics

NAMES = {
    **names.table("word_embeddings", "embeddings.word_embeddings"),
    **names.table("position_embeddings", "embeddings.position_embeddings"),
    **names.layer("layers_*", "layers.*"),
    **names.norm("final_norm", "final_layer_norm"),
    **names.decoder("lm_head/decoder", "lm_head"),
}


class GPT(keras.Model):
    """GPT-2, pre-norm, from Keras's own layers."""

    names = NAMES

    def __init__(self, spec: GPTSpec, numerics: Numerics, dtype: DType) -> None:
        super().__init__(dtype=dtype, name="gpt")
        parts = Parts(spec, numerics, dtype)
        self.hidden_size = spec.hidden_size
        self.word_embeddings = parts.table(spec.vocab_size, "word_embeddings")
        self.position_embeddings = parts.table(spec.max_position_embeddings, "position_embeddings")
        self.blocks = [PreNorm(parts, f"layers_{i}") for i in range(spec.num_hidden_layers)]
        self.final_norm = parts.norm("final_norm")
        self.lm_head = LanguageHead(parts, spec.vocab_size, spec.tie_word_embeddings)

    def build(self, input_shape: object = None) -> None:
        for table in self.word_embeddings, self.position_embeddings:
            table.build((None, None))
        for layer in *self.blocks, self.final_norm, self.lm_head:
            layer.build((None, None, self.hidden_size))

    def call(self, ids: Any) -> dict[str, Any]:
        positions = self.position_embeddings(keras.ops.arange(ids.shape[1]))
        x = self.word_embeddings(ids) + positions
        for block in self.blocks:
            x = block(x)
        x = self.final_norm(x)
        return {"sequence": x, "lm": self.lm_head(x, self.word_embeddings.embeddings)}


class PreNorm(Block):
    """Causal self-attention and feed-forward network, each of the norm of its input."""

    def call(self, x: Any) -> Any:
        normed = self.attention_norm(x)
        x = x + self.attention(normed, normed, use_causal_mask=True)
        return x + self.feed_forward(self.feed_forward_norm(x))
