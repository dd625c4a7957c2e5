"""BERT from ``nn.TransformerEncoderLayer``."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from paramproof.builders.frameworks.torch.layers import ACTIVATIONS
from paramproof.builders.frameworks.torch.names import names
from paramproof.formulas.spec import EncoderSpec, Numerics

NAMES = {
    **names.table("word_embeddings", "embeddings.word_embeddings"),
    **names.table("position_embeddings", "embeddings.position_embeddings"),
    **names.table("token_type_embeddings", "embeddings.token_type_embeddings"),
    **names.norm("embeddings_norm", "embeddings.layer_norm"),
    **names.layer("layers.*", "layers.*"),
    **names.dense("pooler", "pooler"),
    **names.dense("mlm_dense", "mlm_head.dense"),
    **names.norm("mlm_norm", "mlm_head.layer_norm"),
    **names.dense("mlm_decoder", "mlm_head.decoder"),
    **names.table("mlm_decoder", "mlm_head.decoder"),
    **names.dense("nsp", "nsp_head.classifier"),
}


class Encoder(nn.Module):
    """BERT, post-norm, from PyTorch's own layers."""

    names = NAMES

    def __init__(self, spec: EncoderSpec, numerics: Numerics) -> None:
        super().__init__()
        hidden, eps = spec.hidden_size, numerics.layer_norm_eps
        self.activation = ACTIVATIONS[numerics.hidden_act]
        self.word_embeddings = nn.Embedding(spec.vocab_size, hidden)
        self.position_embeddings = nn.Embedding(spec.max_position_embeddings, hidden)
        self.token_type_embeddings = nn.Embedding(spec.type_vocab_size, hidden)
        self.embeddings_norm = nn.LayerNorm(hidden, eps)
        # nn.TransformerEncoder cannot be used: its forward raises without layers.
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                hidden,
                spec.num_attention_heads,
                spec.intermediate_size,
                dropout=0.0,
                activation=self.activation,
                layer_norm_eps=eps,
                batch_first=True,
            )
            for _ in range(spec.num_hidden_layers)
        )
        self.pooler = nn.Linear(hidden, hidden) if spec.pooler else None
        self.mlm_decoder = None
        if spec.mlm_head:
            self.mlm_dense = nn.Linear(hidden, hidden)
            self.mlm_norm = nn.LayerNorm(hidden, eps)
            self.mlm_decoder = nn.Linear(hidden, spec.vocab_size)
            if spec.tie_word_embeddings:
                self.mlm_decoder.weight = self.word_embeddings.weight
        self.nsp = nn.Linear(hidden, 2) if spec.nsp_head else None

    def forward(self, ids: Tensor, types: Tensor, mask: Tensor) -> dict[str, Tensor | None]:
        positions = torch.arange(ids.shape[1], device=ids.device)
        x = self.word_embeddings(ids) + self.position_embeddings(positions)
        x = self.embeddings_norm(x + self.token_type_embeddings(types))
        for layer in self.layers:
            # PyTorch's mask is True where a key is to be ignored.
            x = layer(x, src_key_padding_mask=~mask)
        pooled = mlm = nsp = None
        if self.pooler is not None:
            pooled = torch.tanh(self.pooler(x[:, 0]))
        if self.mlm_decoder is not None:
            hidden = self.mlm_norm(self.activation(self.mlm_dense(x)))
            mlm = self.mlm_decoder(hidden).softmax(-1)
        if self.nsp is not None:
            nsp = self.nsp(pooled).softmax(-1)
        return {"sequence": x, "pooled": pooled, "mlm": mlm, "nsp": nsp}
