"""GPT from ``nn.TransformerEncoderLayer``, norm first, under a causal mask."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from paramproof.builders.frameworks.torch.layers import ACTIVATIONS, LanguageHead, later
from paramproof.builders.frameworks.torch.names import names
from paramproof.formulas.spec import GPTSpec, Numerics

NAMES = {
    **names.table("word_embeddings", "embeddings.word_embeddings"),
    **names.table("position_embeddings", "embeddings.position_embeddings"),
    **names.layer("layers.*", "layers.*"),
    **names.norm("final_norm", "final_layer_norm"),
    **names.table("lm_head", "lm_head"),
}


class GPT(nn.Module):
    """GPT-2, pre-norm, from PyTorch's own layers."""

    names = NAMES

    def __init__(self, spec: GPTSpec, numerics: Numerics) -> None:
        super().__init__()
        hidden, eps = spec.hidden_size, numerics.layer_norm_eps
        self.word_embeddings = nn.Embedding(spec.vocab_size, hidden)
        self.position_embeddings = nn.Embedding(spec.max_position_embeddings, hidden)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                hidden,
                spec.num_attention_heads,
                spec.intermediate_size,
                dropout=0.0,
                activation=ACTIVATIONS[numerics.hidden_act],
                layer_norm_eps=eps,
                batch_first=True,
                norm_first=True,
            )
            for _ in range(spec.num_hidden_layers)
        )
        self.final_norm = nn.LayerNorm(hidden, eps)
        self.lm_head = LanguageHead(self.word_embeddings, spec.tie_word_embeddings)

    def forward(self, ids: Tensor) -> dict[str, Tensor]:
        tokens = ids.shape[1]
        x = self.word_embeddings(ids) + self.position_embeddings(torch.arange(tokens))
        for layer in self.layers:
            x = layer(x, src_mask=later(tokens), is_causal=True)
        x = self.final_norm(x)
        return {"sequence": x, "lm": self.lm_head(x)}
