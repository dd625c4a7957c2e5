"""GPT from ``nn.TransformerEncoderLayer``, norm first, under a causal mask."""

from __future__ import annotations

import paddle
from paddle import Tensor, nn

from paramproof.builders.frameworks.paddle.layers import LanguageHead, causal, layer
from paramproof.builders.frameworks.paddle.names import names
from paramproof.formulas.spec import GPTSpec, Numerics

NAMES = {
    **names.table("word_embeddings", "embeddings.word_embeddings"),
    **names.table("position_embeddings", "embeddings.position_embeddings"),
    **names.layer("layers.*", "layers.*"),
    **names.norm("final_norm", "final_layer_norm"),
    **names.decoder("lm_head.projection", "lm_head"),
}


class GPT(nn.Layer):
    """GPT-2, pre-norm, from Paddle's own layers."""

    names = NAMES

    def __init__(self, spec: GPTSpec, numerics: Numerics) -> None:
        super().__init__()
        hidden, vocab_size = spec.hidden_size, spec.vocab_size
        self.word_embeddings = nn.Embedding(vocab_size, hidden)
        self.position_embeddings = nn.Embedding(spec.max_position_embeddings, hidden)
        self.layers = nn.LayerList(
            layer(nn.TransformerEncoderLayer, spec, numerics, normalize_before=True)
            for _ in range(spec.num_hidden_layers)
        )
        self.final_norm = nn.LayerNorm(hidden, numerics.layer_norm_eps)
        self.lm_head = LanguageHead(vocab_size, hidden, spec.tie_word_embeddings)

    def forward(self, ids: Tensor) -> dict[str, Tensor]:
        length = ids.shape[1]
        x = self.word_embeddings(ids) + self.position_embeddings(paddle.arange(length))
        for one in self.layers:
            x = one(x, src_mask=causal(length))
        x = self.final_norm(x)
        return {"sequence": x, "lm": self.lm_head(x, self.word_embeddings)}
