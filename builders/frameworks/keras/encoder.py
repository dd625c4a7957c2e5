"""BERT with ``MultiHeadAttention``."""

from __future__ import annotations

from functools import partial
from typing import Any

import keras

from builders.frameworks.keras import names
from builders.frameworks.keras.layers import ACTIVATIONS, Activation, Make
from builders.protocol import DType
from formulas.spec import EncoderSpec, Numerics

NAMES = {
    **names.table("word_embeddings", "embeddings.word_embeddings"),
    **names.table("position_embeddings", "embeddings.position_embeddings"),
    **names.table("token_type_embeddings", "embeddings.token_type_embeddings"),
    **names.norm("embeddings_norm", "embeddings.layer_norm"),
    **names.attention("layers_*/attention", "layers.*.attention"),
    **names.norm("layers_*/attention_norm", "layers.*.attention_layer_norm"),
    **names.dense("layers_*/intermediate", "layers.*.feed_forward.intermediate"),
    **names.dense("layers_*/output", "layers.*.feed_forward.output"),
    **names.norm("layers_*/feed_forward_norm", "layers.*.feed_forward_layer_norm"),
    **names.dense("pooler", "pooler"),
    **names.dense("mlm_head/dense", "mlm_head.dense"),
    **names.norm("mlm_head/norm", "mlm_head.layer_norm"),
    **names.decoder("mlm_head/decoder", "mlm_head.decoder"),
    **names.dense("mlm_head", "mlm_head.decoder"),
    **names.dense("nsp", "nsp_head.classifier"),
}


class Encoder(keras.Model):
    """BERT, post-norm, from Keras's own layers."""

    names = NAMES

    def __init__(self, spec: EncoderSpec, numerics: Numerics, dtype: DType) -> None:
        super().__init__(dtype=dtype, name="encoder")
        hidden, eps = spec.hidden_size, numerics.layer_norm_eps
        activation = ACTIVATIONS[numerics.hidden_act]
        dense = partial(keras.layers.Dense, dtype=dtype)
        norm = partial(keras.layers.LayerNormalization, epsilon=eps, dtype=dtype)
        table = partial(keras.layers.Embedding, output_dim=hidden, dtype=dtype)
        self.hidden_size = hidden
        self.word_embeddings = table(spec.vocab_size, name="word_embeddings")
        self.position_embeddings = table(spec.max_position_embeddings, name="position_embeddings")
        self.token_type_embeddings = table(spec.type_vocab_size, name="token_type_embeddings")
        self.embeddings_norm = norm(name="embeddings_norm")
        # Not `layers`: every Keras model has a property of that name.
        self.blocks = [
            Layer(spec, activation, dense, norm, dtype=dtype, name=f"layers_{index}")
            for index in range(spec.num_hidden_layers)
        ]
        self.pooler = dense(hidden, activation="tanh", name="pooler") if spec.pooler else None
        self.mlm_head = None
        if spec.mlm_head:
            self.mlm_head = MlmHead(spec, activation, dense, norm, dtype=dtype, name="mlm_head")
        self.nsp = dense(2, activation="softmax", name="nsp") if spec.nsp_head else None

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

    # Not `mask`: Keras fills an argument of that name with a mask of its own.
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


class Layer(keras.Layer):
    """Self-attention and feed-forward network, each added to its input and normalised."""

    def __init__(
        self, spec: EncoderSpec, activation: Activation, dense: Make, norm: Make, **common: Any
    ) -> None:
        super().__init__(**common)
        self.intermediate_size = spec.intermediate_size
        # key_dim is the width of one head, where others take that of all heads.
        self.attention = keras.layers.MultiHeadAttention(
            spec.num_attention_heads, spec.head_size, dtype=self.dtype_policy, name="attention"
        )
        self.attention_norm = norm(name="attention_norm")
        inner = spec.intermediate_size
        self.intermediate = dense(inner, activation=activation, name="intermediate")
        # Not `output`: every Keras layer has a property of that name.
        self.output_dense = dense(spec.hidden_size, name="output")
        self.feed_forward_norm = norm(name="feed_forward_norm")

    def build(self, shape: tuple[int | None, ...]) -> None:
        self.attention.build(shape, shape)
        self.attention_norm.build(shape)
        self.intermediate.build(shape)
        self.output_dense.build((*shape[:-1], self.intermediate_size))
        self.feed_forward_norm.build(shape)

    def call(self, x: Any, attend: Any) -> Any:
        attended = self.attention(x, x, attention_mask=attend[:, None, :])
        x = self.attention_norm(x + attended)
        return self.feed_forward_norm(x + self.output_dense(self.intermediate(x)))


class MlmHead(keras.Layer):
    """Probabilities of every token; tied, it multiplies by the token table itself."""

    def __init__(
        self, spec: EncoderSpec, activation: Activation, dense: Make, norm: Make, **common: Any
    ) -> None:
        super().__init__(**common)
        self.vocab_size = spec.vocab_size
        self.dense = dense(spec.hidden_size, activation=activation, name="dense")
        self.norm = norm(name="norm")
        self.decoder = None
        if not spec.tie_word_embeddings:
            self.decoder = dense(spec.vocab_size, name="decoder")

    def build(self, shape: tuple[int | None, ...]) -> None:
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
