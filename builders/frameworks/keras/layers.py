"""What several models are made of."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import keras

from paramproof.builders.protocol import DType
from paramproof.formulas.spec import EncoderDecoderSpec, EncoderSpec, GPTSpec, LlamaSpec, Numerics

Shape: TypeAlias = tuple[int | None, ...]
Sized: TypeAlias = EncoderSpec | EncoderDecoderSpec | GPTSpec

ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "gelu": keras.activations.gelu,
    "gelu_new": partial(keras.activations.gelu, approximate=True),
    "relu": keras.activations.relu,
    "silu": keras.activations.silu,
}


class Parts:
    """Makes Keras's own layers, of the width, numerics and dtype of one model."""

    def __init__(self, spec: Sized | LlamaSpec, numerics: Numerics, dtype: DType) -> None:
        self.spec = spec
        self.eps = numerics.layer_norm_eps
        self.activation = ACTIVATIONS[numerics.hidden_act]
        self.dtype = dtype

    def dense(self, units: int, name: str, **options: Any) -> keras.layers.Dense:
        return keras.layers.Dense(units, dtype=self.dtype, name=name, **options)

    def table(self, rows: int, name: str) -> keras.layers.Embedding:
        return keras.layers.Embedding(rows, self.spec.hidden_size, dtype=self.dtype, name=name)

    def norm(self, name: str) -> keras.layers.LayerNormalization:
        return keras.layers.LayerNormalization(epsilon=self.eps, dtype=self.dtype, name=name)

    def rms_norm(self, name: str) -> keras.layers.RMSNormalization:
        return keras.layers.RMSNormalization(epsilon=self.eps, dtype=self.dtype, name=name)

    def attention(self, name: str, use_bias: bool = True) -> keras.layers.MultiHeadAttention:
        return keras.layers.MultiHeadAttention(
            self.spec.num_attention_heads,
            # key_dim is the width of one head, where others take that of all heads.
            self.spec.head_size,
            use_bias=use_bias,
            dtype=self.dtype,
            name=name,
        )


class Block(keras.Layer):
    """The parts of a layer; the order in which they follow each other is a subclass's."""

    def __init__(self, parts: Parts, name: str, attention_bias: bool = True) -> None:
        super().__init__(dtype=parts.dtype, name=name)
        self.inner = parts.spec.intermediate_size
        self.attention = parts.attention("attention", attention_bias)
        self.attention_norm = parts.norm("attention_norm")
        self.intermediate = parts.dense(self.inner, "intermediate", activation=parts.activation)
        # Not `output`: every Keras layer has a property of that name.
        self.output_dense = parts.dense(parts.spec.hidden_size, "output")
        self.feed_forward_norm = parts.norm("feed_forward_norm")

    def build(self, shape: Shape) -> None:
        self.attention.build(shape, shape)
        self.attention_norm.build(shape)
        self.intermediate.build(shape)
        self.output_dense.build((*shape[:-1], self.inner))
        self.feed_forward_norm.build(shape)

    def feed_forward(self, x: Any) -> Any:
        return self.output_dense(self.intermediate(x))


class PostNorm(Block):
    """Self-attention and feed-forward network, each added to its input and normalised."""

    def call(self, x: Any, attend: Any) -> Any:
        x = self.attention_norm(x + self.attention(x, x, attention_mask=attend[:, None, :]))
        return self.feed_forward_norm(x + self.feed_forward(x))


class LanguageHead(keras.Layer):
    """Probabilities of every token, without a bias; tied, it multiplies by the token table."""

    def __init__(self, parts: Parts, tokens: int, tied: bool) -> None:
        super().__init__(dtype=parts.dtype, name="lm_head")
        self.decoder = None
        if not tied:
            self.decoder = parts.dense(tokens, "decoder", use_bias=False)

    def build(self, shape: Shape) -> None:
        if self.decoder is not None:
            self.decoder.build(shape)

    def call(self, x: Any, words: Any) -> Any:
        if self.decoder is None:
            scores = keras.ops.matmul(x, keras.ops.transpose(words))
        else:
            scores = self.decoder(x)
        # On torch Keras multiplies matrices of float64 into one of float32.
        return keras.ops.softmax(keras.ops.cast(scores, self.compute_dtype))
