"""Keras's own layers: ``MultiHeadAttention``, ``GroupQueryAttention`` and ``Dense``.

Each layer has a name, from which Keras makes the paths of its variables, and is built by ``build``
alone, with the shape of its input. A few names are not free: every Keras layer has ``output``,
every model ``layers``, and Keras fills an argument that ends in ``mask`` with a mask of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import keras
import numpy as np

from paramproof.builders import composition
from paramproof.builders.names import ModuleNames, NameTable, Storage
from paramproof.builders.protocol import DType
from paramproof.formulas.spec import EncoderDecoderSpec, EncoderSpec, GPTSpec, LlamaSpec, Numerics

Shape: TypeAlias = tuple[int | None, ...]


class KerasNames(ModuleNames):
    def rms_norm(self, native: str, canonical: str) -> NameTable:
        return {f"{native}/scale": Storage((f"{canonical}.scale",))}

    def gated_feed_forward(self, native: str, canonical: str) -> NameTable:
        # A layer holds these itself.
        return super().gated_feed_forward(native.removesuffix("/feed_forward"), canonical)


NAMES = KerasNames(
    separator="/",
    stack="layers_*",
    table_weight="embeddings",
    kernel="kernel",
    scale="gamma",
    shift="beta",
    has_heads=True,
    projections=("query", "key", "value", "attention_output"),
    mlm_head="mlm_head/",
    lm_head="lm_head/decoder",
).families()

ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "gelu": keras.activations.gelu,
    "gelu_new": partial(keras.activations.gelu, approximate=True),
    "relu": keras.activations.relu,
    "silu": keras.activations.silu,
}


class Parts(composition.Parts):
    """Makes Keras's own layers, of the width, numerics and dtype of one model."""

    activations = ACTIVATIONS

    def __init__(self, spec: Any, numerics: Numerics, dtype: DType) -> None:
        super().__init__(spec, numerics)
        self.dtype = dtype

    def dense(self, units: int, name: str, **options: Any) -> keras.layers.Dense:
        return keras.layers.Dense(units, dtype=self.dtype, name=name, **options)

    def table(self, rows: int, name: str) -> keras.layers.Embedding:
        return keras.layers.Embedding(rows, self.spec.hidden_size, dtype=self.dtype, name=name)

    def norm(self, name: str) -> keras.layers.LayerNormalization:
        return keras.layers.LayerNormalization(epsilon=self.eps, dtype=self.dtype, name=name)

    def rms_norm(self, name: str) -> keras.layers.RMSNormalization:
        return keras.layers.RMSNormalization(epsilon=self.eps, dtype=self.dtype, name=name)

    def attention(self, name: str) -> keras.layers.MultiHeadAttention:
        return keras.layers.MultiHeadAttention(
            self.spec.num_attention_heads,
            # key_dim is the width of one head, where others take that of all heads.
            self.spec.head_size,
            use_bias=self.attention_bias,
            dtype=self.dtype,
            name=name,
        )


class Block(keras.Layer):
    """The parts of a layer; the order in which they follow each other is a subclass's."""

    def __init__(self, parts: Parts, name: str) -> None:
        super().__init__(dtype=parts.dtype, name=name)
        self.inner = parts.spec.intermediate_size
        self.attention = parts.attention("attention")
        self.attention_norm = parts.norm("attention_norm")
        self.intermediate = parts.dense(self.inner, "intermediate", activation=parts.activation)
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
        self.decoder = None if tied else parts.dense(tokens, "decoder", use_bias=False)

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


class Encoder(keras.Model):
    """BERT, post-norm, from Keras's own layers."""

    names = NAMES[EncoderSpec]

    def __init__(self, spec: EncoderSpec, numerics: Numerics, dtype: DType) -> None:
        super().__init__(dtype=dtype, name="encoder")
        parts = Parts(spec, numerics, dtype)
        self.hidden_size = hidden = spec.hidden_size
        self.word_embeddings = parts.table(spec.vocab_size, "word_embeddings")
        self.position_embeddings = parts.table(spec.max_position_embeddings, "position_embeddings")
        self.token_type_embeddings = parts.table(spec.type_vocab_size, "token_type_embeddings")
        self.embeddings_norm = parts.norm("embeddings_norm")
        self.blocks = [PostNorm(parts, f"layers_{i}") for i in range(spec.num_hidden_layers)]
        self.pooler = parts.dense(hidden, "pooler", activation="tanh") if spec.pooler else None
        self.mlm_head = MlmHead(parts, spec) if spec.mlm_head else None
        self.nsp = parts.dense(2, "nsp", activation="softmax") if spec.nsp_head else None

    def build(self, input_shape: object = None) -> None:
        tokens, hidden = (None, None), (None, None, self.hidden_size)
        for table in self.word_embeddings, self.position_embeddings, self.token_type_embeddings:
            table.build(tokens)
        for layer in self.embeddings_norm, *self.blocks, self.mlm_head:
            if layer is not None:
                layer.build(hidden)
        for layer in self.pooler, self.nsp:
            if layer is not None:
                layer.build((None, self.hidden_size))

    def call(self, ids: Any, types: Any, attend: Any) -> dict[str, Any]:
        positions = keras.ops.arange(ids.shape[1])
        x = self.word_embeddings(ids) + self.position_embeddings(positions)
        x = self.embeddings_norm(x + self.token_type_embeddings(types))
        for block in self.blocks:
            x = block(x, attend)
        pooled = mlm = nsp = None
        if self.pooler is not None:
            pooled = self.pooler(x[:, 0])
        if self.mlm_head is not None:
            mlm = self.mlm_head(x, self.word_embeddings.embeddings)
        if self.nsp is not None:
            nsp = self.nsp(pooled)
        return {"sequence": x, "pooled": pooled, "mlm": mlm, "nsp": nsp}


class MlmHead(keras.Layer):
    """Probabilities of every token; tied, it multiplies by the token table itself."""

    def __init__(self, parts: Parts, spec: EncoderSpec) -> None:
        super().__init__(dtype=parts.dtype, name="mlm_head")
        self.vocab_size = spec.vocab_size
        self.dense = parts.dense(spec.hidden_size, "dense", activation=parts.activation)
        self.norm = parts.norm("norm")
        self.decoder = None
        if not spec.tie_word_embeddings:
            self.decoder = parts.dense(spec.vocab_size, "decoder")

    def build(self, shape: Shape) -> None:
        self.dense.build(shape)
        self.norm.build(shape)
        if self.decoder is None:
            self.bias = self.add_weight((self.vocab_size,), initializer="zeros", name="bias")
        else:
            self.decoder.build(shape)

    def call(self, x: Any, words: Any) -> Any:
        x = self.norm(self.dense(x))
        if self.decoder is None:
            scores = keras.ops.matmul(x, keras.ops.transpose(words)) + self.bias
        else:
            scores = self.decoder(x)
        return keras.ops.softmax(scores)


class EncoderDecoder(keras.Model):
    """The Transformer, post-norm, from Keras's own layers."""

    names = NAMES[EncoderDecoderSpec]

    def __init__(self, spec: EncoderDecoderSpec, numerics: Numerics, dtype: DType) -> None:
        super().__init__(dtype=dtype, name="encoder_decoder")
        parts = Parts(spec, numerics, dtype)
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
        self.encoders = [PostNorm(parts, f"encoder_layers_{i}") for i in encoders]
        self.decoders = [DecoderLayer(parts, f"decoder_layers_{i}") for i in decoders]
        self.lm_head = LanguageHead(parts, spec.target_vocab_size, spec.tie_word_embeddings)

    def build(self, input_shape: object = None) -> None:
        words, positions = (self.source_words, self.target_words), self.source_positions
        for table in *words, positions, self.target_positions:
            if table is not None and not table.built:
                table.build((None, None))
        for layer in *self.encoders, *self.decoders, self.lm_head:
            layer.build((None, None, self.hidden_size))

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
        return x + keras.ops.convert_to_tensor(
            composition.sinusoids(tokens, self.hidden_size), x.dtype
        )


class DecoderLayer(Block):
    """As in the encoder, with attention to the encoder's output in between."""

    def __init__(self, parts: Parts, name: str) -> None:
        super().__init__(parts, name)
        self.cross_attention = parts.attention("cross_attention")
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


class GPT(keras.Model):
    """GPT-2, pre-norm, from Keras's own layers."""

    names = NAMES[GPTSpec]

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


class Llama(keras.Model):
    """LLaMA, pre-norm, without a bias anywhere."""

    names = NAMES[LlamaSpec]

    def __init__(self, spec: LlamaSpec, numerics: Numerics, dtype: DType) -> None:
        super().__init__(dtype=dtype, name="llama")
        parts = Parts(spec, numerics, dtype)
        self.hidden_size = spec.hidden_size
        self.word_embeddings = parts.table(spec.vocab_size, "word_embeddings")
        self.blocks = [
            LlamaLayer(parts, spec, numerics, f"layers_{i}") for i in range(spec.num_hidden_layers)
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


class LlamaLayer(keras.Layer):
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
    """Turn features i and i + K/2 of ``x`` (B, S, heads, K) by their position, as a pair."""
    angles = composition.rotary_angles(x.shape[1], x.shape[3], theta)[:, None, :]
    cos, sin = (keras.ops.convert_to_tensor(f(angles), x.dtype) for f in (np.cos, np.sin))
    first, second = keras.ops.split(x, 2, axis=-1)
    return keras.ops.concatenate((first * cos - second * sin, second * cos + first * sin), axis=-1)


MODULES = {EncoderSpec: Encoder, EncoderDecoderSpec: EncoderDecoder, GPTSpec: GPT, LlamaSpec: Llama}
