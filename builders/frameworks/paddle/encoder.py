"""BERT from ``nn.TransformerEncoderLayer``."""

from __future__ import annotations

import paddle
from paddle import Tensor, nn
from paddle.nn import functional

from paramproof.builders.frameworks.paddle.layers import ACTIVATIONS, attend, layer
from paramproof.builders.frameworks.paddle.names import names
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


class Encoder(nn.Layer):
    """BERT, post-norm, from Paddle's own layers."""

    names = NAMES

    def __init__(self, spec: EncoderSpec, numerics: Numerics) -> None:
        super().__init__()
        hidden = spec.hidden_size
        self.word_embeddings = nn.Embedding(spec.vocab_size, hidden)
        self.position_embeddings = nn.Embedding(spec.max_position_embeddings, hidden)
        self.token_type_embeddings = nn.Embedding(spec.type_vocab_size, hidden)
        self.embeddings_norm = nn.LayerNorm(hidden, numerics.layer_norm_eps)
        # Not nn.TransformerEncoder: it makes further layers from the arguments of the first one,
        # which do not include every activation.
        self.layers = nn.LayerList(
            layer(nn.TransformerEncoderLayer, spec, numerics) for _ in range(spec.num_hidden_layers)
        )
        self.pooler = nn.Linear(hidden, hidden) if spec.pooler else None
        self.mlm_head = MlmHead(spec, numerics) if spec.mlm_head else None
        self.nsp = nn.Linear(hidden, 2) if spec.nsp_head else None

    def forward(self, ids: Tensor, types: Tensor, mask: Tensor) -> dict[str, Tensor | None]:
        x = self.word_embeddings(ids) + self.position_embeddings(paddle.arange(ids.shape[1]))
        x = self.embeddings_norm(x + self.token_type_embeddings(types))
        for one in self.layers:
            x = one(x, src_mask=mask[:, None, None, :])
        pooled = mlm = nsp = None
        if self.pooler is not None:
            pooled = paddle.tanh(self.pooler(x[:, 0]))
        if self.mlm_head is not None:
            mlm = functional.softmax(self.mlm_head(x, self.word_embeddings))
        if self.nsp is not None:
            nsp = functional.softmax(self.nsp(pooled))
        return {"sequence": x, "pooled": pooled, "mlm": mlm, "nsp": nsp}


class MlmHead(nn.Layer):
    """Scores for every token; tied, it multiplies by the token table and adds its own bias."""

    def __init__(self, spec: EncoderSpec, numerics: Numerics) -> None:
        super().__init__()
        hidden, vocab_size = spec.hidden_size, spec.vocab_size
        self.activation = ACTIVATIONS[numerics.hidden_act]
        self.dense = nn.Linear(hidden, hidden)
        self.norm = nn.LayerNorm(hidden, numerics.layer_norm_eps)
        self.tied = spec.tie_word_embeddings
        if self.tied:
            self.bias = self.create_parameter([vocab_size], is_bias=True)
        else:
            self.decoder = nn.Linear(hidden, vocab_size)

    def forward(self, x: Tensor, tokens: nn.Embedding) -> Tensor:
        x = self.norm(self.activation(self.dense(x)))
        return attend(tokens, x) + self.bias if self.tied else self.decoder(x)
