"""GPT from ``nn.TransformerEncoderLayer``, norm first, under a causal mask."""

from __future__ import annotations

import mlx.core as mx
from mlx import nn

from paramproof.builders.frameworks.mlx.layers import CAUSAL, EncoderLayer, LanguageHead
from paramproof.builders.frameworks.mlx.names import names
from paramproof.formulas.spec import GPTSpec, Numerics

NAMES = {
    **names.table("word_embeddings", "embeddings.word_embeddings"),
    **names.table("position_embeddings", "embeddings.position_embeddings"),
    **names.layer("layers.*", "layers.*"),
    **names.norm("final_norm", "final_layer_norm"),
    **names.decoder("lm_head.own", "lm_head"),
}


class GPT(nn.Module):
    """GPT-2, pre-norm, from MLX's own layers."""

    names = NAMES

    def __init__(self, spec: GPTSpec, numerics: Numerics, *, drawn: bool) -> None:
        super().__init__()
        hidden, layers = spec.hidden_size, range(spec.num_hidden_layers)
        self.word_embeddings = nn.Embedding(spec.vocab_size, hidden)
        self.position_embeddings = nn.Embedding(spec.max_position_embeddings, hidden)
        self.layers = [EncoderLayer(spec, numerics, norm_first=True) for _ in layers]
        self.final_norm = nn.LayerNorm(hidden, numerics.layer_norm_eps)
        self.lm_head = LanguageHead(hidden, spec.vocab_size, spec.tie_word_embeddings)

    def __call__(self, ids: mx.array) -> dict[str, mx.array]:
        x = self.word_embeddings(ids) + self.position_embeddings(mx.arange(ids.shape[1]))
        for layer in self.layers:
            x = layer(x, CAUSAL)
        x = self.final_norm(x)
        return {"sequence": x, "lm": self.lm_head(x, self.word_embeddings)}
