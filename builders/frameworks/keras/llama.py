"""LLaMA with ``GroupQueryAttention``, whose queries and keys are turned before they meet."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np

from paramproof.builders.frameworks.keras.layers import LanguageHead, Parts, Shape
from paramproof.builders.frameworks.keras.names import names, rms_norm
from paramproof.builders.protocol import DType
from paramproof.formulas.spec import LlamaSpec, Numerics

NAMES = {
    **names.table("word_embeddings", "embeddings.word_embeddings"),
    **rms_norm("layers_*/attention_norm", "layers.*.attention_norm"),
    **names.attention("layers_*/attention", "layers.*.attention"),
    **rms_norm("layers_*/feed_forward_norm", "layers.*.feed_forward_norm"),
    **names.dense("layers_*/gate", "layers.*.feed_forward.gate"),
    **names.dense("layers_*/up", "layers.*.feed_forward.up"),
    **names.dense("layers_*/down", "layers.*.feed_forward.down"),
    **rms_norm("final_norm", "final_norm"),
    **names.decoder("lm_head/decoder", "lm_head"),
}


class Llama(keras.Model):
    """LLaMA, pre-norm, without a bias anywhere."""

    names = NAMES

    def __init__(self, spec: LlamaSpec, numerics: Numerics, dtype: DType) -> None:
        super().__init__(dtype=dtype, name="llama")
        parts = Parts(spec, numerics, dtype)
        self.hidden_size = spec.hidden_size
        self.word_embeddings = parts.table(spec.vocab_size, "word_embeddings")
        self.blocks = [
            Layer(parts, spec, numerics, f"layers_{i}") for i in range(spec.num_hidden_layers)
        ]
        self.final_norm = parts.rms_norm("final_norm")
        self.lm_head = LanguageHead(parts, spec.vocab_size, spec.tie_word_embeddings)

    def build(self, input_shape: object = None) -> None:
        self.word_embeddings.build((None, None))
        for layer in *self.blocks, self.final_norm, self.lm_head:
            layer.build((None, None, self.hidden_size))

    def call(self, ids: Any) -> dict[str, Any]:
        x = self.word_embeddings(ids)
        for block in self.blocks:
            x = block(x)
        x = self.final_norm(x)
        return {"sequence": x, "lm": self.lm_head(x, self.word_embeddings.embeddings)}


class Layer(keras.Layer):
    """Attention and SwiGLU, ``down(silu(gate(x)) · up(x))``, each of the norm of its input."""

    def __init__(self, parts: Parts, spec: LlamaSpec, numerics: Numerics, name: str) -> None:
        super().__init__(dtype=parts.dtype, name=name)
        self.inner = inner = spec.intermediate_size
        self.attention_norm = parts.rms_norm("attention_norm")
        self.attention = RotaryAttention(
            spec.head_dim,
            spec.num_attention_heads,
            spec.num_key_value_heads,
            use_bias=False,
            rope_theta=numerics.rope_theta,
            dtype=parts.dtype,
            name="attention",
        )
        self.feed_forward_norm = parts.rms_norm("feed_forward_norm")
        self.gate = parts.dense(inner, "gate", use_bias=False, activation=parts.activation)
        self.up = parts.dense(inner, "up", use_bias=False)
        self.down = parts.dense(spec.hidden_size, "down", use_bias=False)

    def build(self, shape: Shape) -> None:
        self.attention.build(shape, shape)
        for layer in self.attention_norm, self.feed_forward_norm, self.gate, self.up:
            layer.build(shape)
        self.down.build((*shape[:-1], self.inner))

    def call(self, x: Any) -> Any:
        normed = self.attention_norm(x)
        x = x + self.attention(normed, normed, use_causal_mask=True)
        normed = self.feed_forward_norm(x)
        return x + self.down(self.gate(normed) * self.up(normed))


class RotaryAttention(keras.layers.GroupQueryAttention):
    """Keras's grouped queries, with rotary positions.

    Query head i attends to key head i // (A / G).
    """

    def __init__(self, *sizes: int, rope_theta: float, **options: Any) -> None:
        super().__init__(*sizes, **options)
        self.rope_theta = rope_theta

    def _compute_attention(self, query: Any, key: Any, *value: Any, **options: Any) -> Any:
        query, key = (rotated(part, self.rope_theta) for part in (query, key))
        return super()._compute_attention(query, key, *value, **options)


def rotated(x: Any, theta: float) -> Any:
    """Apply rotary positions to (B, S, heads, K): features i and i + K/2 are turned as a pair.

    That is Hugging Face's order; Meta's code pairs neighbours, under weights permuted to
    match. The pair i turns by theta^(−2i/K) from one position to the next.

    Source: Su et al. 2021, arXiv:2104.09864, section 3.4.2.
    """
    _, tokens, _, width = x.shape
    speeds = theta ** (-np.arange(0, width, 2) / width)
    angles = np.outer(np.arange(tokens), speeds)[:, None, :]
    cos, sin = (keras.ops.convert_to_tensor(f(angles), x.dtype) for f in (np.cos, np.sin))
    first, second = keras.ops.split(x, 2, axis=-1)
    return keras.ops.concatenate((first * cos - second * sin, second * cos + first * sin), axis=-1)
