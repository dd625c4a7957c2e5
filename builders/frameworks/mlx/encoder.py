"""BERT from ``nn.TransformerEncoderLayer``."""

from __future__ import annotations

import mlx.core as mx
from mlx import nn

from paramproof.builders.frameworks.mlx.layers import ACTIVATIONS, EncoderLayer, at_keys
from paramproof.builders.frameworks.mlx.names import names
from paramproof.builders.names import Storage
from paramproof.formulas.spec import EncoderSpec, Numerics

NAMES = {
    **names.table("word_embeddings", "embeddings.word_embeddings"),
    **names.table("position_embeddings", "embeddings.position_embeddings"),
    **names.table("token_type_embeddings", "embeddings.token_type_embeddings"),
    **names.norm("embeddings_norm", "embeddings.layer_norm"),
    **names.layer("layers.*", "layers.*"),
    **names.dense("pooler", "pooler"),
    **names.dense("mlm_head.dense", "mlm_head.dense"),
    **names.norm("mlm_head.norm", "mlm_head.layer_norm"),
    **names.decoder("mlm_head.decoder", "mlm_head.decoder"),
    "mlm_head.bias": Storage(("mlm_head.decoder.bias",)),
    **names.dense("nsp", "nsp_head.classifier"),
}


class Encoder(nn.Module):
    """BERT, post-norm, from MLX's own layers. ``nn.TransformerEncoder`` has a norm more."""

    names = NAMES

    def __init__(self, spec: EncoderSpec, numerics: Numerics, *, drawn: bool) -> None:
        super().__init__()
        hidden = spec.hidden_size
        self.word_embeddings = nn.Embedding(spec.vocab_size, hidden)
        self.position_embeddings = nn.Embedding(spec.max_position_embeddings, hidden)
        self.token_type_embeddings = nn.Embedding(spec.type_vocab_size, hidden)
        self.embeddings_norm = nn.LayerNorm(hidden, numerics.layer_norm_eps)
        self.layers = [EncoderLayer(spec, numerics) for _ in range(spec.num_hidden_layers)]
        if spec.pooler:
            self.pooler = nn.Linear(hidden, hidden)
        if spec.mlm_head:
            self.mlm_head = MlmHead(spec, numerics)
        if spec.nsp_head:
            self.nsp = nn.Linear(hidden, 2)

    def __call__(
        self, ids: mx.array, types: mx.array, mask: mx.array
    ) -> dict[str, mx.array | None]:
        x = self.word_embeddings(ids) + self.position_embeddings(mx.arange(ids.shape[1]))
        x = self.embeddings_norm(x + self.token_type_embeddings(types))
        for layer in self.layers:
            x = layer(x, at_keys(mask))
        pooled = mlm = nsp = None
        if "pooler" in self:
            pooled = mx.tanh(self.pooler(x[:, 0]))
        if "mlm_head" in self:
            mlm = mx.softmax(self.mlm_head(x, self.word_embeddings), axis=-1)
        if "nsp" in self:
            nsp = mx.softmax(self.nsp(pooled), axis=-1)
        return {"sequence": x, "pooled": pooled, "mlm": mlm, "nsp": nsp}


class MlmHead(nn.Module):
    """Scores for every token; tied, it multiplies by the token table itself (``as_linear``)."""

    def __init__(self, spec: EncoderSpec, numerics: Numerics) -> None:
        super().__init__()
        hidden = spec.hidden_size
        self.activation = ACTIVATIONS[numerics.hidden_act]
        self.dense = nn.Linear(hidden, hidden)
        self.norm = nn.LayerNorm(hidden, numerics.layer_norm_eps)
        if spec.tie_word_embeddings:
            self.bias = mx.zeros((spec.vocab_size,))
        else:
            self.decoder = nn.Linear(hidden, spec.vocab_size)

    def __call__(self, x: mx.array, words: nn.Embedding) -> mx.array:
        x = self.norm(self.activation(self.dense(x)))
        return self.decoder(x) if "decoder" in self else words.as_linear(x) + self.bias
