"""BERT with ``MultiHeadAttention``."""

from __future__ import annotations

from typing import Any

import keras

from paramproof.builders.frameworks.keras.layers import Parts, PostNorm, Shape
from paramproof.builders.frameworks.keras.names import names
from paramproof.builders.protocol import DType
from paramproof.formulas.spec import EncoderSpec, Numerics

NAMES = {
    **names.table("word_embeddings", "embeddings.word_embeddings"),
    **names.table("position_embeddings", "embeddings.position_embeddings"),
    **names.table("token_type_embeddings", "embeddings.token_type_embeddings"),
    **names.norm("embeddings_norm", "embeddings.layer_norm"),
    **names.layer("layers_*", "layers.*"),
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
        parts = Parts(spec, numerics, dtype)
        self.hidden_size = hidden = spec.hidden_size
        self.word_embeddings = parts.table(spec.vocab_size, "word_embeddings")
        self.position_embeddings = parts.table(spec.max_position_embeddings, "position_embeddings")
        self.token_type_embeddings = parts.table(spec.type_vocab_size, "token_type_embeddings")
        self.embeddings_norm = parts.norm("embeddings_norm")
        # Not `layers`: every Keras model has a property of that name.
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
